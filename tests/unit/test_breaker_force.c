/* Held open, held closed, and handed back to the rules. */
#include "breaker_kit.h"

#define OK OUTCOME_OK
#define FAIL OUTCOME_FAIL

#define T (1000 * S)
#define DUE (T + COOLDOWN) /* when the first probe may begin */

/* Open since T. */
static int
tripped(void **state)
{
	kit_start(state);
	rules.consecutive = 3;
	calls(T, 3, FAIL);
	is(T, BREAKER_OPEN);
	return 0;
}

static void
held_open_refuses_and_probes_nothing(void **state)
{
	struct ticket t;

	kit_start(state);
	breaker_force(&ref, FORCE_OPEN, T, &changes);
	assert_true(look(T).held);
	assert_true(refused(T + 86400 * S));
	assert_false(probe_begins(T + 86400 * S, &t));
	assert_true(breaker_due_ns(&ref) == UINT64_MAX);
	last_reason(T, REASON_MANUAL);
}

static void
handed_back_from_open_it_cools_down_and_probes(void **state)
{
	kit_start(state);
	breaker_force(&ref, FORCE_OPEN, T - COOLDOWN, &changes);
	breaker_force(&ref, FORCE_AUTO, T, &changes);
	assert_false(look(T).held);
	is(T, BREAKER_OPEN);
	probe(DUE, OK);
	is(DUE, BREAKER_CLOSED);
}

static void
held_closed_admits_and_never_trips(void **state)
{
	(void)state;
	breaker_force(&ref, FORCE_CLOSED, T + S, &changes);
	calls(T + S, 100, FAIL);
	is(T + S, BREAKER_CLOSED);
	assert_int_equal(look(T + S).consecutive, 103);
	breaker_force(&ref, FORCE_AUTO, T + 2 * S, &changes);
	is(T + 2 * S, BREAKER_CLOSED);
	assert_int_equal(look(T + 2 * S).total, 0);
	calls(T + 2 * S, 3, FAIL);
	is(T + 2 * S, BREAKER_OPEN);
}

static void
probe_under_way_decides_nothing_once_it_is_held(void **state)
{
	struct ticket t;

	(void)state;
	assert_true(probe_begins(DUE, &t));
	breaker_force(&ref, FORCE_OPEN, DUE, &changes);
	probe_ends(t, DUE + S, OK);
	is(DUE + S, BREAKER_OPEN);
	assert_true(look(DUE + S).held);
}

static void
what_a_trip_judged_does_not_count_as_a_recent_close(void **state)
{
	(void)state;
	rules.cooldown_max_ns = 4 * COOLDOWN;
	breaker_force(&ref, FORCE_OPEN, T + S, &changes);
	assert_int_equal(look(T + S).trip_total, 0);
	breaker_force(&ref, FORCE_AUTO, T + 2 * S, &changes);
	assert_int_equal(look(T + 2 * S).cooldown_ms, COOLDOWN / MS);
}

static void
forcing_what_is_forced_changes_nothing(void **state)
{
	uint32_t generation;

	(void)state;
	breaker_force(&ref, FORCE_OPEN, T, &changes);
	generation = look(T).generation;
	breaker_force(&ref, FORCE_OPEN, T, &changes);
	assert_int_equal(look(T).generation, generation);
	breaker_force(&ref, FORCE_AUTO, T, &changes);
	generation = look(T).generation;
	breaker_force(&ref, FORCE_AUTO, T, &changes);
	assert_int_equal(look(T).generation, generation);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(held_open_refuses_and_probes_nothing, tripped),
		cmocka_unit_test_setup(handed_back_from_open_it_cools_down_and_probes, tripped),
		cmocka_unit_test_setup(held_closed_admits_and_never_trips, tripped),
		cmocka_unit_test_setup(probe_under_way_decides_nothing_once_it_is_held, tripped),
		cmocka_unit_test_setup(what_a_trip_judged_does_not_count_as_a_recent_close,
				       tripped),
		cmocka_unit_test_setup(forcing_what_is_forced_changes_nothing, tripped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
