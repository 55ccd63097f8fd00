#include "state/state.h"

#include <string.h>

#include "core/seqlock.h"

/* The lowest bit of a claim; the others are the name's hash. */
enum { CLAIM_WRITTEN = 1 };

/* How far from its home a name may lie; beyond that the table counts as full. */
#define PROBE_LIMIT 64

#define PROBER_SILENCE_NS UINT64_C(3000000000)

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

/* With the terminating zero. */
static size_t
size_of(const char *name)
{
	return strnlen(name, BREAKER_NAME_MAX) + 1;
}

/* Several may write the same name at once: each word is stored whole, and the same. */
static void
write_name(struct state_slot *slot, const char *name, uint64_t claim)
{
	seq_store_words(slot->name, name, size_of(name));
	store_release(&slot->claim, claim | CLAIM_WRITTEN);
}

static bool
has_name(const struct state_slot *slot, const char *name)
{
	size_t size = size_of(name);

	for (size_t at = 0; at < size; at += 8) {
		uint64_t word = 0;

		memcpy(&word, name + at, size - at < 8 ? size - at : 8);
		if (load_relaxed(&slot->name[at / 8]) != word)
			return false;
	}
	return true;
}

/* Claims the slot for the name, or finds it there.  False: it is another's. */
static bool
is_mine(struct state_slot *slot, const char *name, uint64_t mine)
{
	uint64_t claim = load_acquire(&slot->claim);

	if (claim == 0 && cas_acq_rel(&slot->claim, &claim, mine))
		claim = mine;
	/* Claimed and not yet written, by us or by one who may have been killed. */
	if (claim == mine)
		write_name(slot, name, mine);
	else
		return claim == (mine | CLAIM_WRITTEN) && has_name(slot, name);
	return true;
}

enum state_found
state_breaker(struct state *s, const char *name, uint64_t settings, uint32_t *index)
{
	uint64_t mine = claim_of(name);

	for (uint32_t tried = 0; tried < PROBE_LIMIT; tried++) {
		uint32_t i = (uint32_t)((mine >> 1) + tried) % STATE_BREAKERS;
		atomic_u64 *set = &s->slots[i].settings;
		uint64_t there = 0;

		if (!is_mine(&s->slots[i], name, mine))
			continue;
		*index = i;
		if (load_relaxed(set) == settings || cas_acq_rel(set, &there, settings) ||
		    there == settings)
			return STATE_FOUND;
		return STATE_FOREIGN;
	}
	return STATE_FULL;
}

static bool
is_written(const struct state *s, uint32_t index)
{
	return index < STATE_BREAKERS &&
	       (load_acquire(&s->slots[index].claim) & CLAIM_WRITTEN) != 0;
}

bool
state_name(const struct state *s, uint32_t index, char out[BREAKER_NAME_MAX + 1])
{
	if (!is_written(s, index))
		return false;
	seq_load_words(out, s->slots[index].name, BREAKER_NAME_MAX);
	out[BREAKER_NAME_MAX] = '\0';
	return true;
}

uint64_t
state_settings(const struct state *s, uint32_t index)
{
	return is_written(s, index) ? load_relaxed(&s->slots[index].settings) : 0;
}

void
state_put_where(struct state *s, uint32_t index, const struct state_where *w)
{
	struct state_slot *slot = &s->slots[index];

	seq_write(&slot->where_seq, slot->where, w, sizeof(*w));
}

bool
state_get_where(const struct state *s, uint32_t index, struct state_where *out)
{
	const struct state_slot *slot = &s->slots[index];

	if (!is_written(s, index) || !seq_read(&slot->where_seq, slot->where, out, sizeof(*out)) ||
	    out->port == 0)
		return false;
	if (out->count > STATE_ADDRESSES)
		out->count = STATE_ADDRESSES;
	out->name[out->name_len < DEST_NAME_MAX ? out->name_len : DEST_NAME_MAX] = '\0';
	return true;
}

void
state_put_change(struct state *s, uint32_t index, const struct state_change *c)
{
	struct state_slot *slot = &s->slots[index];

	seq_write(&slot->change_seq, slot->change, c, sizeof(*c));
}

bool
state_get_change(const struct state *s, uint32_t index, struct state_change *out)
{
	const struct state_slot *slot = &s->slots[index];

	return is_written(s, index) &&
	       seq_read(&slot->change_seq, slot->change, out, sizeof(*out)) &&
	       out->transition.from <= BREAKER_HALF_OPEN && out->transition.to <= BREAKER_HALF_OPEN;
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
