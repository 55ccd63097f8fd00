/* One breaker, its rules and a hand on its clock, for the tests of the breaker. */
#ifndef TESTS_BREAKER_KIT_H
#define TESTS_BREAKER_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/breaker.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define WINDOW (60 * S)
#define COOLDOWN (30 * S)
#define LEASE (5 * S)

static struct breaker breaker;
static struct report report;
static struct inflight inflight;
static struct breaker_config rules;
static struct transitions changes; /* of the last call below */
static const struct breaker_ref ref = {&breaker, &rules, &report, &inflight, 3, 0, false};

/* No rule trips, the probe is synthetic, one success closes: a test sets what it is about. */
static inline int
kit_start(void **state)
{
	(void)state;
	memset(&breaker, 0, sizeof(breaker));
	memset(&report, 0, sizeof(report));
	memset(&inflight, 0, sizeof(inflight));
	changes.n = 0;
	rules = (struct breaker_config){
		.window_ns = WINDOW,
		.slot_ns = WINDOW / 10,
		.min_samples = 20,
		.cooldown_ns = COOLDOWN,
		.cooldown_max_ns = COOLDOWN,
		.probe_successes = 1,
		.probe_interval_ns = 1 * S,
		.lease_ns = LEASE,
		.late_failure_extends = true,
	};
	return 0;
}

static inline bool
asks(uint64_t at, struct ticket *t)
{
	changes.n = 0;
	return breaker_admit(&ref, at, 0, t, &changes);
}

static inline struct ticket
begin(uint64_t at)
{
	struct ticket t;

	assert_true(asks(at, &t));
	return t;
}

static inline bool
refused(uint64_t at)
{
	struct ticket t;

	return !asks(at, &t);
}

static inline void
end(struct ticket t, uint64_t at, enum outcome outcome)
{
	changes.n = 0;
	breaker_end(&ref, &t, at, at - t.start_ns, outcome, 0, &changes);
}

/* n calls that begin and end at the same instant. */
static inline void
calls(uint64_t at, unsigned n, enum outcome outcome)
{
	while (n-- > 0)
		end(begin(at), at, outcome);
}

static inline bool
probe_begins(uint64_t at, struct ticket *t)
{
	changes.n = 0;
	return breaker_probe_begin(&ref, at, t, &changes);
}

static inline void
probe_ends(struct ticket t, uint64_t at, enum outcome outcome)
{
	changes.n = 0;
	breaker_probe_end(&ref, &t, at, outcome, &changes);
}

/* A probe that takes no time. */
static inline void
probe(uint64_t at, enum outcome outcome)
{
	struct ticket t;

	assert_true(probe_begins(at, &t));
	probe_ends(t, at, outcome);
}

static inline struct breaker_snapshot
look(uint64_t at)
{
	struct breaker_snapshot s;

	changes.n = 0;
	breaker_tick(&ref, at, &changes);
	breaker_look(&ref, at, &s);
	return s;
}

static inline void
is(uint64_t at, enum breaker_state state)
{
	assert_string_equal(breaker_state_name(look(at).state), breaker_state_name(state));
}

static inline void
last_reason(uint64_t at, enum reason reason)
{
	assert_string_equal(breaker_reason_name(look(at).reason), breaker_reason_name(reason));
}

#endif
