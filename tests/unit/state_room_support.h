/* A state with more names than places, for the tests of who gives way. */
#ifndef TESTS_STATE_ROOM_SUPPORT_H
#define TESTS_STATE_ROOM_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "state/state_claim.h"

#define S UINT64_C(1000000000)
#define T (1000 * S)
#define WINDOW (60 * S)
#define LATER (T + 10 * WINDOW)

static struct state memory;
static struct state *const s = &memory;

static const struct breaker_config config = {
	.window_ns = WINDOW,
	.slot_ns = WINDOW / 10,
	.failure_permille = 500,
	.consecutive = 3,
	.min_samples = 20,
	.cooldown_ns = 30 * S,
	.cooldown_max_ns = 300 * S,
	.probe_successes = 2,
	.probe_interval_ns = S,
	.lease_ns = 5 * S,
	.ramp_ns = 20 * S,
	.late_failure_extends = true,
};

static inline int
empty(void **state)
{
	(void)state;
	memset(s, 0, sizeof(*s));
	return 0;
}

static inline enum state_found
want(const char *name, bool is_of_many, uint64_t now_ns, struct state_place *p)
{
	return state_find(
		s,
		&(struct state_want){
			.name = name, .settings = 7, .is_of_many = is_of_many, .now_ns = now_ns},
		p);
}

static inline const char *
numbered(unsigned number)
{
	static __thread char name[32];

	snprintf(name, sizeof(name), "carrier/%u", number);
	return name;
}

static inline struct state_place
section_at(unsigned number, uint64_t now_ns)
{
	struct state_place p;

	assert_int_equal(want(numbered(number), false, now_ns, &p), STATE_FOUND);
	return p;
}

static inline struct breaker_ref
ref_to(const struct state_place *p)
{
	struct breaker_ref r = state_ref(s, p->index, &config);

	r.marks_all = true;
	return r;
}

static inline struct ticket
begin(const struct state_place *p, uint64_t now_ns)
{
	struct breaker_ref r = ref_to(p);
	struct transitions tr = {.n = 0};
	struct ticket t;

	assert_true(breaker_admit(&r, now_ns, 0, &t, &tr));
	return t;
}

static inline void
end(const struct state_place *p, const struct ticket *t, uint64_t now_ns, enum outcome outcome)
{
	struct breaker_ref r = ref_to(p);
	struct transitions tr = {.n = 0};

	breaker_end(&r, t, now_ns, S, outcome, 0, &tr);
}

static inline void
call(const struct state_place *p, uint64_t now_ns, enum outcome outcome)
{
	struct ticket t = begin(p, now_ns);

	end(p, &t, now_ns, outcome);
}

static inline struct breaker_snapshot
look_at(const struct state_place *p, uint64_t now_ns)
{
	struct breaker_ref r = ref_to(p);
	struct breaker_snapshot look;

	breaker_look(&r, now_ns, &look);
	return look;
}

/* All places taken, number i since i nanoseconds after T. */
static inline void
fill(struct state_place place[STATE_BREAKERS])
{
	for (unsigned i = 0; i < STATE_BREAKERS; i++) {
		place[i] = section_at(i, T);
		assert_false(place[i].gave_way);
		call(&place[i], T + i, OUTCOME_OK);
	}
}

static struct state_place place[STATE_BREAKERS];

#endif
