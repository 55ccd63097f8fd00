/*
 * The circuit breaker: closed, open, half-open, and what moves it between them.
 *
 * Every function takes the time (monotonic nanoseconds) and decides by that alone:
 * no clock, lock, allocation or system call.  A breaker is a fixed number of
 * atomics without pointers, so it may lie in memory that processes share.  Its
 * state, generation and next deadline are one 64-bit word that changes by
 * compare-and-swap, so a process killed at any instruction leaves a whole breaker.
 *
 * Deadlines are kept in ticks of 100 us, rounded up.
 */
#ifndef CORE_BREAKER_H
#define CORE_BREAKER_H

#include "core/atomics.h"
#include "core/inflight.h"
#include "core/report.h"
#include "core/settings.h"
#include "core/window.h"

/* All zero is a closed breaker that has seen nothing. */
struct breaker {
	atomic_u64 gate;	  /* state, generation, deadline */
	atomic_u64 overdue_at_ns; /* when the next call is overdue; 0: none waits */
	atomic_u64 bad_until_ns;  /* the window may hold bad calls until then */
	atomic_u64 course;	  /* place in the series, last reason, probe successes */
	atomic_u64 busy_until_ns; /* the calls seen so far matter until then, if not longer */
	atomic_u32 consecutive;	  /* bad calls in a row */
	atomic_u32 ramp_credit;	  /* parts of a call that the ramp owes, in 1/2^20 */
	struct window window;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct breaker) <= 192, "a breaker is three cache lines");

/* A breaker with what it works on.  report and inflight may be shared as well. */
struct breaker_ref {
	struct breaker *breaker;
	const struct breaker_config *config;
	struct report *report;
	struct inflight *inflight;
	uint32_t index; /* its number in inflight, below 4096 */
	uint32_t pid;	/* of who calls, see inflight_take() */
	bool marks_all; /* calls that cannot become overdue take marks as well */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

enum outcome { OUTCOME_OK, OUTCOME_FAIL, OUTCOME_NEUTRAL };

enum reason {
	REASON_NONE,
	REASON_CONSECUTIVE,
	REASON_FAILURE_RATE,
	REASON_LATENCY,
	REASON_PROBE_OK,
	REASON_PROBE_FAILED,
	REASON_LEASE_EXPIRED,
	REASON_LATE_FAILURE,
	REASON_RAMP_DONE,
	REASON_MANUAL
};

enum force { FORCE_AUTO, FORCE_OPEN, FORCE_CLOSED };

/* What an admitted call or a probe keeps until its end. */
struct ticket {
	uint64_t start_ns;
	struct mark mark;
	uint32_t generation;
	bool is_probe;	  /* holds the lease of a half-open breaker */
	bool was_overdue; /* its place in the count of bad calls is taken */
};

/*
 * One change of state, as the log tells it.  A restart of the cooldown is one from
 * open to open, the begin of a ramp one from half-open to half-open.  The change
 * from open to half-open keeps the reason of the trip.
 */
struct transition {
	uint8_t from, to; /* enum breaker_state */
	uint8_t reason;	  /* enum reason */
	uint32_t total, failed, slow;
	uint64_t p50_ms, p99_ms;
	uint64_t cooldown_ms;
};

#define TRANSITIONS_MAX 4

/* Filled by the functions below; the caller starts with n = 0. */
struct transitions {
	unsigned n;
	struct transition v[TRANSITIONS_MAX];
};

/*
 * Asks to make a call.  True: admitted, *t is filled and breaker_end() must follow
 * (with OUTCOME_NEUTRAL where the end cannot be known).  False: refused.
 * hint: see inflight_take().
 */
bool breaker_admit(const struct breaker_ref *r, uint64_t now_ns, uint32_t hint, struct ticket *t,
		   struct transitions *tr);

/*
 * A ticket for what counts only when it fails, such as a look-up of the name before
 * the call.  Takes nothing; breaker_end() may follow.
 */
void breaker_watch(const struct breaker_ref *r, uint64_t now_ns, struct ticket *t);

/* Whether breaker_admit() would admit now; takes nothing. */
bool breaker_would_admit(const struct breaker_ref *r, uint64_t now_ns, struct transitions *tr);

/*
 * The first byte of the answer is there, the call goes on: it can no longer become
 * overdue.  is_good: as far as the answer can be judged it is no failure, which is the
 * verdict of a call that is the probe; its end says no more.  Optional; breaker_end()
 * must follow.
 */
void breaker_answered(const struct breaker_ref *r, struct ticket *t, uint64_t now_ns, bool is_good,
		      struct transitions *tr);

/*
 * The call stands still: nobody waits for an answer, so it can neither become overdue
 * nor be lost with its process.  breaker_resume() goes on as if it had begun at start_ns,
 * which is its start from then on.
 */
void breaker_pause(const struct breaker_ref *r, struct ticket *t);
void breaker_resume(const struct breaker_ref *r, struct ticket *t, uint64_t start_ns,
		    uint32_t hint);

/*
 * The call ended at now_ns after latency_ns (to the first byte of the answer).
 * shard: see report_call().
 */
void breaker_end(const struct breaker_ref *r, const struct ticket *t, uint64_t now_ns,
		 uint64_t latency_ns, enum outcome outcome, unsigned shard, struct transitions *tr);

/*
 * Takes the one synthetic probe that is due.  True: *t holds its lease and
 * breaker_probe_end() must follow.  False: none is due, or another has it.
 */
bool breaker_probe_begin(const struct breaker_ref *r, uint64_t now_ns, struct ticket *t,
			 struct transitions *tr);
void breaker_probe_end(const struct breaker_ref *r, const struct ticket *t, uint64_t now_ns,
		       enum outcome outcome, struct transitions *tr);

/* Does what has fallen due: lease over, ramp over, calls overdue. */
void breaker_tick(const struct breaker_ref *r, uint64_t now_ns, struct transitions *tr);

/* When something falls due, a synthetic probe included; UINT64_MAX: nothing. */
uint64_t breaker_due_ns(const struct breaker_ref *r);

/* Holds it open or closed whatever happens, or hands it back to the rules. */
void breaker_force(const struct breaker_ref *r, enum force force, uint64_t now_ns,
		   struct transitions *tr);

struct breaker_snapshot {
	enum breaker_state state;
	enum reason reason; /* of the last transition */
	bool held;	    /* by breaker_force() */
	bool recovering;    /* half-open: probing or in the ramp */
	uint32_t generation;
	uint32_t total, failed, slow; /* of the window */
	uint32_t consecutive;
	uint32_t trip_failed, trip_total; /* as judged by the last trip; 0: not known */
	uint64_t cooldown_ms;
	uint64_t retry_in_ns; /* to the next deadline of open and half-open, else 0 */
};

/*
 * Since when it has had nothing to do but to wait for calls: closed, not held, an empty
 * window, and no trip so near that its series would go on.  UINT64_MAX: it is not idle.
 * Calls that are in flight must be asked for elsewhere, see inflight_busy().
 */
uint64_t breaker_idle_since_ns(const struct breaker *b, uint64_t now_ns);

/*
 * Makes it a closed one that has seen nothing, under a new generation: a call that was
 * admitted before counts nowhere.  False: others change it all the time.
 */
bool breaker_renew(struct breaker *b, struct report *report, uint64_t now_ns);

/* Looks only; call breaker_tick() first for what fell due. */
void breaker_look(const struct breaker_ref *r, uint64_t now_ns, struct breaker_snapshot *out);

/* "closed", "open", "half-open"; the reason's word in the log. */
const char *breaker_state_name(enum breaker_state s);
const char *breaker_reason_name(enum reason r);

#endif
