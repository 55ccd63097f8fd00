#include "shim/curl_lookups.h"

#include <netdb.h>
#include <string.h>

#include "core/atomics.h"
#include "core/dest.h"
#include "shim/hook_curl.h"

/*
 * One word a name: the upper bits of its hash, and the EAI number without its sign in
 * the low eight.  A name that needs the place of another overwrites it.
 */
#define PLACES 512 /* a power of two */
#define EAI_MASK UINT64_C(0xff)

static atomic_u64 lookups[PLACES];

static uint64_t
hash_of(struct span name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	name = dest_name_trim(name);
	for (uint32_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c + 'a' - 'A');
		hash = (hash ^ (uint8_t)c) * UINT64_C(0x100000001b3);
	}
	return hash ^ hash >> 29;
}

void
curl_note_lookup(const char *name, int eai)
{
	struct span span = {name, (uint32_t)strnlen(name, DEST_NAME_MAX + 1)};
	uint64_t hash = hash_of(span);

	store_relaxed(&lookups[hash / 256 % PLACES],
		      (hash & ~EAI_MASK) | ((uint64_t)-eai & EAI_MASK));
}

bool
curl_lookup_is_neutral(struct span name)
{
	uint64_t hash = hash_of(name);
	uint64_t word = load_relaxed(&lookups[hash / 256 % PLACES]);

	if ((word ^ hash) & ~EAI_MASK)
		return false;
	switch (-(int)(word & EAI_MASK)) {
	case 0: /* it was found: something else failed */
	case EAI_AGAIN:
	case EAI_FAIL:
		return false;
	default:
		return true;
	}
}
