/*
 * The calls that wait for their answers: who they belong to and since when, so that a
 * hang is noticed at the latency limit and not at the client's time-out, and so that
 * a call counts although its process is killed.
 *
 * One table serves all breakers of a state.  A mark is taken at admission and
 * given back at the end; where the table is full the call goes on without one and
 * its slowness is noticed at its end.  Safe for any number of threads and
 * processes; a mark whose process died is freed by inflight_next_dead(), or once its
 * lease is over.
 */
#ifndef CORE_INFLIGHT_H
#define CORE_INFLIGHT_H

#include "core/atomics.h"

#define INFLIGHT_MARKS 4096
#define INFLIGHT_NONE (-1)
#define INFLIGHT_LEASE_NS (UINT64_C(900) * 1000000000) /* longer than any model waits */

struct inflight_entry {
	atomic_u64 start_ns;
	atomic_u64 owner; /* state, breaker, generation, sequence and pid in one word */
};

struct inflight {
	atomic_u32 high; /* no mark at or above this index was ever taken */
	struct inflight_entry entries[INFLIGHT_MARKS];
};

/* A taken mark; owner tells it from a later use of the same entry. */
struct mark {
	int32_t index; /* INFLIGHT_NONE: no mark */
	uint64_t owner;
};

struct inflight_sweep {
	uint32_t overdue; /* unanswered calls whose age has reached the limit */
	uint32_t newly;	  /* of these, those that no sweep had noticed before */
	uint64_t next_ns; /* when the next one reaches it; UINT64_MAX: none waits */
};

/*
 * Takes a mark for a call of breaker (below 4096) and generation that begins at
 * start_ns.  pid is the process that makes it, 0: who sweeps could not tell.  hint is
 * where to look first: what this thread used last.
 */
struct mark inflight_take(struct inflight *f, uint32_t breaker, uint32_t generation, uint32_t pid,
			  uint64_t start_ns, uint32_t hint);

/* Gives it back.  True when a sweep had noticed it as overdue. */
bool inflight_give(struct inflight *f, struct mark m);

/* Notices what is overdue among the calls of one breaker and generation. */
struct inflight_sweep inflight_sweep(struct inflight *f, uint32_t breaker, uint32_t generation,
				     uint64_t limit_ns, uint64_t now_ns);

/* For each breaker below 4096 one bit: whether a call of it is in flight. */
struct inflight_busy {
	uint64_t bits[64];
};

void inflight_busy(const struct inflight *f, uint64_t now_ns, struct inflight_busy *out);

static inline bool
inflight_is_busy(const struct inflight_busy *b, uint32_t breaker)
{
	return (b->bits[breaker / 64 % 64] >> breaker % 64 & 1) != 0;
}

/* Frees every mark: in a copy of the table, where none of the calls will end. */
void inflight_forget(struct inflight *f);

/* A call whose process is gone. */
struct inflight_dead {
	uint32_t breaker;
	uint32_t generation;
	uint64_t start_ns;
	bool was_overdue;
};

/*
 * Frees the next mark of a process that lives() says no of, from *from on, which is 0 at
 * first and moves behind it.  False: there is none.
 */
bool inflight_next_dead(struct inflight *f, uint32_t *from, bool (*lives)(uint32_t pid),
			struct inflight_dead *out);

#endif
