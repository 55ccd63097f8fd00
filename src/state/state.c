#include "state/state.h"

#include <string.h>

/* The lowest bit of a claim; the others are the name's hash. */
enum { CLAIM_WRITTEN = 1 };

/* How far from its home a name may lie; beyond that the table counts as full. */
#define PROBE_LIMIT 64

/* FNV-1a.  Even, and never zero. */
static uint64_t
claim_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	hash = (hash ^ hash >> 32) & ~(uint64_t)CLAIM_WRITTEN;
	return hash != 0 ? hash : 2;
}

/* Several may write the same name at once: each byte is stored whole, and the same. */
static void
write_name(struct state_slot *slot, const char *name, uint64_t claim)
{
	size_t i = 0;

	for (; name[i] != '\0' && i < BREAKER_NAME_MAX; i++)
		__atomic_store_n(&slot->name[i], name[i], __ATOMIC_RELAXED);
	__atomic_store_n(&slot->name[i], '\0', __ATOMIC_RELAXED);
	store_release(&slot->claim, claim | CLAIM_WRITTEN);
}

uint32_t
state_breaker(struct state *s, const char *name)
{
	uint64_t mine = claim_of(name);

	for (uint32_t tried = 0; tried < PROBE_LIMIT; tried++) {
		uint32_t index = (uint32_t)((mine >> 1) + tried) % STATE_BREAKERS;
		struct state_slot *slot = &s->slots[index];
		uint64_t claim = load_acquire(&slot->claim);

		if (claim == 0 && cas_acq_rel(&slot->claim, &claim, mine))
			claim = mine;
		/* Claimed and not yet written, by us or by one who may have been killed. */
		if (claim == mine)
			write_name(slot, name, mine);
		else if (claim != (mine | CLAIM_WRITTEN) ||
			 strncmp(slot->name, name, BREAKER_NAME_MAX) != 0)
			continue;
		return index;
	}
	return STATE_FULL;
}

const char *
state_name(const struct state *s, uint32_t index)
{
	if (index >= STATE_BREAKERS || !(load_acquire(&s->slots[index].claim) & CLAIM_WRITTEN))
		return NULL;
	return s->slots[index].name;
}

struct breaker_ref
state_ref(struct state *s, uint32_t index, const struct breaker_config *config)
{
	return (struct breaker_ref){
		.breaker = &s->breakers[index],
		.config = config,
		.report = &s->reports[index],
		.inflight = &s->inflight,
		.index = index,
	};
}
