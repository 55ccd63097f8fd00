#include "core/inflight.h"

/* owner: pid in bits 42-63, sequence 31-41, generation 14-30, breaker 2-13, state 0-1. */
enum { FREE, CLAIMED, WAITING, OVERDUE };

#define STATE_MASK UINT64_C(3)
#define WHO_MASK ((UINT64_C(1) << 31) - 1 - STATE_MASK)
#define BREAKER_SHIFT 2
#define BREAKER_MAX 0xfff
#define GENERATION_SHIFT 14
#define GENERATION_MAX 0x1ffff
#define SEQUENCE_ONE (UINT64_C(1) << 31)
#define PID_SHIFT 42
#define SEQUENCE_MASK ((UINT64_C(1) << PID_SHIFT) - SEQUENCE_ONE)

static uint64_t
who(uint32_t breaker, uint32_t generation)
{
	return ((uint64_t)generation << GENERATION_SHIFT | (uint64_t)breaker << BREAKER_SHIFT) &
	       WHO_MASK;
}

static void
raise_high(struct inflight *f, uint32_t index)
{
	uint32_t high = load_relaxed(&f->high);

	while (high <= index && !cas_acq_rel(&f->high, &high, index + 1))
		;
}

struct mark
inflight_take(struct inflight *f, uint32_t breaker, uint32_t generation, uint32_t pid,
	      uint64_t start_ns, uint32_t hint)
{
	uint64_t mine = (uint64_t)pid << PID_SHIFT | who(breaker, generation);

	for (uint32_t tried = 0; tried < INFLIGHT_MARKS; tried++) {
		uint32_t index = (hint + tried) % INFLIGHT_MARKS;
		struct inflight_entry *e = &f->entries[index];
		uint64_t owner = load_relaxed(&e->owner);
		uint64_t taken = mine | ((owner + SEQUENCE_ONE) & SEQUENCE_MASK);

		if ((owner & STATE_MASK) != FREE ||
		    !cas_acq_rel(&e->owner, &owner, taken | CLAIMED))
			continue;
		raise_high(f, index);
		store_relaxed(&e->start_ns, start_ns);
		store_release(&e->owner, taken | WAITING);
		return (struct mark){(int32_t)index, taken};
	}
	return (struct mark){INFLIGHT_NONE, 0};
}

bool
inflight_give(struct inflight *f, struct mark m)
{
	if (m.index == INFLIGHT_NONE)
		return false;
	struct inflight_entry *e = &f->entries[m.index];
	uint64_t found = m.owner | WAITING;

	if (cas_acq_rel(&e->owner, &found, m.owner))
		return false;
	/* Noticed, or its lease ran out and the entry is another's by now. */
	return found == (m.owner | OVERDUE) && cas_acq_rel(&e->owner, &found, m.owner);
}

/* No index at or above it was ever taken, whatever others wrote there. */
static uint32_t
high_of(const struct inflight *f)
{
	uint32_t high = load_acquire(&f->high);

	return high < INFLIGHT_MARKS ? high : INFLIGHT_MARKS;
}

struct inflight_sweep
inflight_sweep(struct inflight *f, uint32_t breaker, uint32_t generation, uint64_t limit_ns,
	       uint64_t now_ns)
{
	struct inflight_sweep s = {0, 0, UINT64_MAX};
	uint32_t high = high_of(f);

	for (uint32_t i = 0; i < high; i++) {
		struct inflight_entry *e = &f->entries[i];
		uint64_t owner = load_acquire(&e->owner);

		if ((owner & STATE_MASK) < WAITING)
			continue;
		uint64_t start_ns = load_relaxed(&e->start_ns);
		uint64_t age_ns = now_ns > start_ns ? now_ns - start_ns : 0;

		/* Whoever sweeps frees what is left of the dead, for others too. */
		if (age_ns >= INFLIGHT_LEASE_NS) {
			cas_acq_rel(&e->owner, &owner, owner & ~STATE_MASK);
		} else if ((owner & WHO_MASK) != who(breaker, generation)) {
			continue;
		} else if (age_ns < limit_ns) {
			if (start_ns + limit_ns < s.next_ns)
				s.next_ns = start_ns + limit_ns;
		} else if ((owner & STATE_MASK) == OVERDUE) {
			s.overdue++;
		} else if (cas_acq_rel(&e->owner, &owner, owner | OVERDUE)) {
			s.overdue++;
			s.newly++;
		}
	}
	return s;
}

void
inflight_busy(const struct inflight *f, uint64_t now_ns, struct inflight_busy *out)
{
	uint32_t high = high_of(f);

	*out = (struct inflight_busy){{0}};
	for (uint32_t i = 0; i < high; i++) {
		uint64_t owner = load_acquire(&f->entries[i].owner);
		uint64_t start_ns = load_relaxed(&f->entries[i].start_ns);
		uint32_t breaker = (uint32_t)(owner >> BREAKER_SHIFT) & BREAKER_MAX;

		/* One that is only claimed has no start of its own yet. */
		if ((owner & STATE_MASK) == CLAIMED ||
		    ((owner & STATE_MASK) != FREE && now_ns < start_ns + INFLIGHT_LEASE_NS))
			out->bits[breaker / 64] |= UINT64_C(1) << breaker % 64;
	}
}

void
inflight_forget(struct inflight *f)
{
	uint32_t high = high_of(f);

	for (uint32_t i = 0; i < high; i++) {
		uint64_t owner = load_relaxed(&f->entries[i].owner);

		if ((owner & STATE_MASK) != FREE)
			store_relaxed(&f->entries[i].owner, owner & ~STATE_MASK);
	}
}

bool
inflight_next_dead(struct inflight *f, uint32_t *from, bool (*lives)(uint32_t pid),
		   struct inflight_dead *out)
{
	uint32_t high = high_of(f), known = 0;

	while (*from < high) {
		struct inflight_entry *e = &f->entries[(*from)++];
		uint64_t owner = load_acquire(&e->owner);
		uint32_t pid = (uint32_t)(owner >> PID_SHIFT);

		/* Marks of one process often stand together. */
		if ((owner & STATE_MASK) == FREE || pid == 0 || pid == known)
			continue;
		if (lives(pid)) {
			known = pid;
			continue;
		}
		*out = (struct inflight_dead){
			.breaker = (uint32_t)(owner >> BREAKER_SHIFT) & BREAKER_MAX,
			.generation = (uint32_t)(owner >> GENERATION_SHIFT) & GENERATION_MAX,
			.start_ns = load_relaxed(&e->start_ns),
			.was_overdue = (owner & STATE_MASK) == OVERDUE,
		};
		if (cas_acq_rel(&e->owner, &owner, owner & ~STATE_MASK))
			return true;
	}
	return false;
}
