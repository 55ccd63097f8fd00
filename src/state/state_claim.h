/*
 * One word says whose a slot is: who has it, and how often that has changed.  For
 * state.c and state_claim.c alone.
 *
 * Kind in bits 0-1, whether the section has many in bit 2, version in bits 3-17, the
 * hash of the name above.  Zero is a slot that was never used; none becomes so again, so
 * the first one ends a search.
 */
#ifndef STATE_STATE_CLAIM_H
#define STATE_STATE_CLAIM_H

#include <string.h>

#include "core/seqlock.h"
#include "state/state.h"

enum claim_kind {
	CLAIM_FREE,
	CLAIM_WANTED,  /* nobody may use it yet; its maker may have been killed */
	CLAIM_WRITTEN, /* a breaker */
	CLAIM_VACANT   /* whoever had it gave way */
};

#define CLAIM_MANY UINT64_C(4)
#define CLAIM_VERSION_SHIFT 3
#define CLAIM_VERSION_MAX UINT64_C(0x7fff)
#define CLAIM_HASH_SHIFT 18

/* In the words that carry a version; an alert's has less room. */
#define SETTINGS_BITS 48
#define TOLD_BITS 18

static inline enum claim_kind
claim_kind(uint64_t claim)
{
	return (enum claim_kind)(claim & 3);
}

static inline uint64_t
claim_version(uint64_t claim)
{
	return claim >> CLAIM_VERSION_SHIFT & CLAIM_VERSION_MAX;
}

/* Of a slot that nobody had before; it is all zero. */
static inline bool
claim_is_first(uint64_t claim)
{
	return claim_version(claim) == 1;
}

/* FNV-1a, as it stands in a claim. */
static inline uint64_t
claim_hash(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return (hash ^ hash >> 32) << CLAIM_HASH_SHIFT;
}

static inline bool
claim_has_hash(uint64_t claim, uint64_t hash)
{
	return claim >> CLAIM_HASH_SHIFT == hash >> CLAIM_HASH_SHIFT;
}

static inline uint64_t
claim_with(uint64_t claim, enum claim_kind kind)
{
	return (claim & ~UINT64_C(3)) | kind;
}

static inline void
claim_read_name(const struct state *s, uint32_t index, char out[BREAKER_NAME_MAX + 1])
{
	seq_load_words(out, s->slots[index].name, BREAKER_NAME_MAX);
	out[BREAKER_NAME_MAX] = '\0';
}

#endif
