#include "state/state.h"

#include <string.h>

#include "core/seqlock.h"
#include "state/state_claim.h"

#define PROBER_SILENCE_NS UINT64_C(3000000000)

uint64_t
state_claim(const struct state *s, uint32_t index)
{
	uint64_t claim = index < STATE_BREAKERS ? load_acquire(&s->claims[index]) : 0;

	return claim_kind(claim) == CLAIM_WRITTEN ? claim : 0;
}

bool
state_name(const struct state *s, uint32_t index, char out[BREAKER_NAME_MAX + 1])
{
	uint64_t claim = state_claim(s, index);

	if (claim == 0)
		return false;
	claim_read_name(s, index, out);
	/* A maker that was stopped may have written the name that it wanted over another. */
	return claim_has_hash(claim, claim_hash(out));
}

uint64_t
state_settings(const struct state *s, uint32_t index)
{
	uint64_t claim = state_claim(s, index);
	uint64_t word = claim != 0 ? load_relaxed(&s->slots[index].settings) : 0;

	return claim != 0 && word >> SETTINGS_BITS == claim_version(claim)
		       ? word & ((UINT64_C(1) << SETTINGS_BITS) - 1)
		       : 0;
}

/* Longer than any of the two values, and their words. */
struct claimed {
	uint64_t claim;
	uint64_t words[STATE_WHERE_WORDS - 1];
};

static void
put(const struct state *s, uint32_t index, atomic_u32 *seq, atomic_u64 *to, const void *value,
    size_t size)
{
	struct claimed c = {.claim = state_claim(s, index)};

	memcpy(c.words, value, size);
	seq_write(seq, to, &c, sizeof(c.claim) + size);
}

static bool
get(const struct state *s, uint32_t index, const atomic_u32 *seq, const atomic_u64 *from,
    void *value, size_t size)
{
	struct claimed c;

	if (!seq_read(seq, from, &c, sizeof(c.claim) + size) || c.claim == 0 ||
	    c.claim != state_claim(s, index))
		return false;
	memcpy(value, c.words, size);
	return true;
}

void
state_put_where(struct state *s, uint32_t index, const struct state_where *w)
{
	struct state_slot *slot = &s->slots[index];

	put(s, index, &slot->where_seq, slot->where, w, sizeof(*w));
}

bool
state_get_where(const struct state *s, uint32_t index, struct state_where *out)
{
	if (index >= STATE_BREAKERS)
		return false;
	const struct state_slot *slot = &s->slots[index];

	if (!get(s, index, &slot->where_seq, slot->where, out, sizeof(*out)) || out->port == 0)
		return false;
	if (out->count > STATE_ADDRESSES)
		out->count = STATE_ADDRESSES;
	out->name[out->name_len < DEST_NAME_MAX ? out->name_len : DEST_NAME_MAX] = '\0';
	return true;
}

bool
state_has_where(const struct state *s, uint32_t index)
{
	const struct state_slot *slot = &s->slots[index];

	return load_relaxed(&slot->where_seq) != 0 &&
	       load_relaxed(&slot->where[0]) == state_claim(s, index);
}

void
state_put_change(struct state *s, uint32_t index, const struct state_change *c)
{
	struct state_slot *slot = &s->slots[index];

	put(s, index, &slot->change_seq, slot->change, c, sizeof(*c));
}

bool
state_get_change(const struct state *s, uint32_t index, struct state_change *out)
{
	if (index >= STATE_BREAKERS)
		return false;
	const struct state_slot *slot = &s->slots[index];

	return get(s, index, &slot->change_seq, slot->change, out, sizeof(*out)) &&
	       out->transition.from <= BREAKER_HALF_OPEN && out->transition.to <= BREAKER_HALF_OPEN;
}

static uint32_t
told_version(const struct state *s, uint32_t index)
{
	return (uint32_t)claim_version(state_claim(s, index)) << TOLD_BITS;
}

uint32_t
state_told(const struct state *s, uint32_t index)
{
	uint32_t word = load_acquire(&s->slots[index].alerted);

	return (word ^ told_version(s, index)) >> TOLD_BITS == 0 ? word & ((1U << TOLD_BITS) - 1)
								 : 0;
}

bool
state_tell(struct state *s, uint32_t index, uint32_t from, uint32_t to)
{
	atomic_u32 *alerted = &s->slots[index].alerted;
	uint32_t word = load_acquire(alerted);

	return state_told(s, index) == from &&
	       cas_acq_rel(alerted, &word, told_version(s, index) | to);
}

static void
mend(atomic_u32 *seq, atomic_u64 *words, size_t count, uint32_t *seen)
{
	uint32_t was = load_relaxed(seq);

	/* Still odd, so that we are the writer now. */
	if (was % 2 != 0 && was == *seen && cas_acq_rel(seq, &was, was + 2)) {
		for (size_t i = 0; i < count; i++)
			store_relaxed(&words[i], 0);
		store_release(seq, was + 3);
	}
	*seen = was;
}

void
state_mend(struct state *s, uint32_t index, struct state_seen *seen)
{
	struct state_slot *slot = &s->slots[index];

	mend(&slot->where_seq, slot->where, STATE_WHERE_WORDS, &seen->where_seq);
	mend(&slot->change_seq, slot->change, STATE_CHANGE_WORDS, &seen->change_seq);
}

bool
state_has_prober(const struct state *s, uint64_t now_ns)
{
	uint64_t beat_ns = load_relaxed(&s->header.beat_ns);
	uint64_t since_ns = now_ns > beat_ns ? now_ns - beat_ns : beat_ns - now_ns;

	return beat_ns != 0 && since_ns < PROBER_SILENCE_NS;
}

void
state_beat(struct state *s, uint64_t now_ns)
{
	store_relaxed(&s->header.beat_ns, now_ns);
}
