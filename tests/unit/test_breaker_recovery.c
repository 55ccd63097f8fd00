/* The way back: probes, trials and leases. */
#include "breaker_kit.h"

#define OK OUTCOME_OK
#define FAIL OUTCOME_FAIL
#define NEUTRAL OUTCOME_NEUTRAL

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

static int
tripped_with_trials(void **state)
{
	tripped(state);
	rules.probe_is_call = true;
	return 0;
}

static void
probe_begins_when_the_cooldown_is_over_and_not_before(void **state)
{
	struct ticket t;

	(void)state;
	assert_false(probe_begins(DUE - 1, &t));
	is(DUE, BREAKER_OPEN);
	assert_true(probe_begins(DUE, &t));
	assert_int_equal(changes.n, 1);
	assert_int_equal(changes.v[0].to, BREAKER_HALF_OPEN);
	assert_int_equal(changes.v[0].reason, REASON_CONSECUTIVE);
	is(DUE, BREAKER_HALF_OPEN);
}

static void
one_probe_at_a_time_and_no_call_beside_it(void **state)
{
	struct ticket t, other;

	(void)state;
	assert_true(probe_begins(DUE, &t));
	assert_false(probe_begins(DUE, &other));
	assert_false(probe_begins(DUE + LEASE - 1, &other));
	assert_true(refused(DUE));
	assert_true(refused(DUE + LEASE - 1));
}

static void
probe_comes_also_when_nobody_calls(void **state)
{
	(void)state;
	assert_true(breaker_due_ns(&ref) == DUE);
	probe(DUE + 3600 * S, OK);
	is(DUE + 3600 * S, BREAKER_CLOSED);
	last_reason(DUE + 3600 * S, REASON_PROBE_OK);
}

static void
successes_in_a_row_close_it(void **state)
{
	struct ticket t;

	(void)state;
	rules.probe_successes = 3;
	probe(DUE, OK);
	is(DUE, BREAKER_HALF_OPEN);
	assert_true(breaker_due_ns(&ref) == DUE + S);
	assert_false(probe_begins(DUE + S - 1, &t));
	assert_true(refused(DUE + S));
	probe(DUE + S, OK);
	probe(DUE + 2 * S, OK);
	is(DUE + 2 * S, BREAKER_CLOSED);
}

static void
failed_probe_opens_again_and_the_row_begins_anew(void **state)
{
	(void)state;
	rules.probe_successes = 2;
	probe(DUE, OK);
	probe(DUE + S, FAIL);
	is(DUE + S, BREAKER_OPEN);
	last_reason(DUE + S, REASON_PROBE_FAILED);
	probe(DUE + S + COOLDOWN, OK);
	is(DUE + S + COOLDOWN, BREAKER_HALF_OPEN);
	probe(DUE + 2 * S + COOLDOWN, OK);
	is(DUE + 2 * S + COOLDOWN, BREAKER_CLOSED);
}

static void
neutral_probe_gives_no_verdict_and_frees_its_place(void **state)
{
	struct ticket t;

	(void)state;
	rules.probe_successes = 2;
	probe(DUE, OK);
	probe(DUE + S, NEUTRAL);
	is(DUE + S, BREAKER_HALF_OPEN);
	assert_false(probe_begins(DUE + 2 * S - 1, &t));
	probe(DUE + 2 * S, OK);
	is(DUE + 2 * S, BREAKER_CLOSED);
}

static void
lease_that_runs_out_opens_again_from_its_end(void **state)
{
	struct ticket t;

	(void)state;
	assert_true(probe_begins(DUE, &t));
	is(DUE + LEASE - 1, BREAKER_HALF_OPEN);
	is(DUE + LEASE, BREAKER_OPEN);
	last_reason(DUE + LEASE, REASON_LEASE_EXPIRED);
	assert_true(breaker_due_ns(&ref) == DUE + LEASE + COOLDOWN);
}

static void
lease_noticed_long_after_counts_from_its_end_too(void **state)
{
	struct ticket t;

	(void)state;
	assert_true(probe_begins(DUE, &t));
	assert_true(probe_begins(DUE + 3600 * S, &t));
	assert_int_equal(changes.n, 2);
	assert_int_equal(changes.v[0].reason, REASON_LEASE_EXPIRED);
	assert_int_equal(changes.v[1].to, BREAKER_HALF_OPEN);
}

static void
late_result_of_a_probe_decides_nothing(void **state)
{
	struct ticket late, now;

	(void)state;
	assert_true(probe_begins(DUE, &late));
	probe_ends(late, DUE + LEASE, OK);
	is(DUE + LEASE, BREAKER_OPEN);
	assert_true(probe_begins(DUE + LEASE + COOLDOWN, &now));
	probe_ends(late, DUE + LEASE + COOLDOWN, OK);
	is(DUE + LEASE + COOLDOWN, BREAKER_HALF_OPEN);
	probe_ends(late, DUE + LEASE + COOLDOWN, FAIL);
	is(DUE + LEASE + COOLDOWN, BREAKER_HALF_OPEN);
	probe_ends(now, DUE + LEASE + COOLDOWN, OK);
	is(DUE + LEASE + COOLDOWN, BREAKER_CLOSED);
}

static void
without_a_lease_the_probe_has_all_the_time(void **state)
{
	struct ticket t;

	(void)state;
	rules.lease_ns = 0;
	assert_true(probe_begins(DUE, &t));
	assert_true(breaker_due_ns(&ref) == UINT64_MAX);
	is(DUE + 86400 * S, BREAKER_HALF_OPEN);
	probe_ends(t, DUE + 86400 * S, OK);
	is(DUE + 86400 * S, BREAKER_CLOSED);
}

static void
closing_empties_the_window_and_the_row(void **state)
{
	(void)state;
	assert_int_equal(look(T).total, 3);
	probe(DUE, OK);
	assert_int_equal(look(DUE).total, 0);
	assert_int_equal(look(DUE).consecutive, 0);
	calls(DUE, 2, FAIL);
	is(DUE, BREAKER_CLOSED);
}

static void
call_from_before_the_trip_does_not_touch_half_open_or_closed(void **state)
{
	struct ticket old[3];

	kit_start(state);
	rules.consecutive = 3;
	for (unsigned i = 0; i < 3; i++)
		old[i] = begin(T - S);
	calls(T, 3, FAIL);
	rules.probe_successes = 2;
	probe(DUE, OK);
	end(old[0], DUE, FAIL);
	is(DUE, BREAKER_HALF_OPEN);
	end(old[1], DUE, OK);
	is(DUE, BREAKER_HALF_OPEN);
	probe(DUE + S, OK);
	end(old[2], DUE + S, FAIL);
	assert_int_equal(look(DUE + S).total, 0);
	assert_int_equal(look(DUE + S).consecutive, 0);
}

static void
trial_is_the_first_call_after_the_cooldown(void **state)
{
	struct ticket t;

	(void)state;
	assert_true(breaker_due_ns(&ref) == UINT64_MAX);
	assert_true(refused(DUE - 1));
	is(DUE + 100 * S, BREAKER_OPEN);
	t = begin(DUE + 100 * S);
	assert_true(t.is_probe);
	is(DUE + 100 * S, BREAKER_HALF_OPEN);
	assert_true(refused(DUE + 100 * S));
	end(t, DUE + 101 * S, OK);
	is(DUE + 101 * S, BREAKER_CLOSED);
	assert_false(refused(DUE + 101 * S));
}

static void
no_synthetic_probe_where_calls_are_the_probe(void **state)
{
	struct ticket t;

	(void)state;
	assert_false(probe_begins(DUE, &t));
	is(DUE, BREAKER_OPEN);
}

static void
neutral_trial_lets_in_the_next_call_at_once(void **state)
{
	(void)state;
	end(begin(DUE), DUE + S, NEUTRAL);
	is(DUE + S, BREAKER_HALF_OPEN);

	struct ticket t = begin(DUE + S);

	assert_true(t.is_probe);
	assert_true(refused(DUE + S));
	end(t, DUE + S, FAIL);
	is(DUE + S, BREAKER_OPEN);
	last_reason(DUE + S, REASON_PROBE_FAILED);
}

static void
stranded_trial_does_not_wedge(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 50; round++) {
		uint64_t at = DUE + round * (LEASE + COOLDOWN);

		begin(at);
		assert_true(refused(at + LEASE - 1));
		is(at + LEASE, BREAKER_OPEN);
		assert_true(refused(at + LEASE + COOLDOWN - 1));
	}
}

static void
late_results_of_a_trial_close_nothing_and_extend(void **state)
{
	struct ticket late = begin(DUE), second;

	(void)state;
	end(late, DUE + LEASE, OK);
	is(DUE + LEASE, BREAKER_OPEN);
	second = begin(DUE + LEASE + COOLDOWN);
	end(late, DUE + LEASE + COOLDOWN + S, OK);
	is(DUE + LEASE + COOLDOWN + S, BREAKER_HALF_OPEN);
	assert_true(refused(DUE + LEASE + COOLDOWN + S));
	is(DUE + 2 * LEASE + COOLDOWN, BREAKER_OPEN);
	end(second, DUE + 2 * LEASE + COOLDOWN + 2 * S, FAIL);
	assert_true(refused(DUE + 2 * LEASE + 2 * COOLDOWN + 2 * S - 1));
	assert_false(refused(DUE + 2 * LEASE + 2 * COOLDOWN + 2 * S));
}

static void
first_byte_of_a_good_answer_is_the_verdict_of_a_trial(void **state)
{
	struct ticket t = begin(DUE), other;

	(void)state;
	rules.probe_successes = 2;
	breaker_answered(&ref, &t, DUE + S, true, &changes);
	is(DUE + S, BREAKER_HALF_OPEN);
	other = begin(DUE + S);
	/* Its end, long after, says nothing of the other's lease. */
	breaker_end(&ref, &t, DUE + 2 * S, S, FAIL, 0, &changes);
	is(DUE + 2 * S, BREAKER_HALF_OPEN);
	breaker_answered(&ref, &other, DUE + 3 * S, true, &changes);
	is(DUE + 3 * S, BREAKER_CLOSED);
}

static void
first_byte_of_a_failure_leaves_a_trial_to_its_end(void **state)
{
	struct ticket t = begin(DUE);

	(void)state;
	breaker_answered(&ref, &t, DUE + S, false, &changes);
	is(DUE + S, BREAKER_HALF_OPEN);
	breaker_end(&ref, &t, DUE + 2 * S, S, FAIL, 0, &changes);
	is(DUE + 2 * S, BREAKER_OPEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(first_byte_of_a_good_answer_is_the_verdict_of_a_trial,
				       tripped_with_trials),
		cmocka_unit_test_setup(first_byte_of_a_failure_leaves_a_trial_to_its_end,
				       tripped_with_trials),
		cmocka_unit_test_setup(probe_begins_when_the_cooldown_is_over_and_not_before,
				       tripped),
		cmocka_unit_test_setup(one_probe_at_a_time_and_no_call_beside_it, tripped),
		cmocka_unit_test_setup(probe_comes_also_when_nobody_calls, tripped),
		cmocka_unit_test_setup(successes_in_a_row_close_it, tripped),
		cmocka_unit_test_setup(failed_probe_opens_again_and_the_row_begins_anew, tripped),
		cmocka_unit_test_setup(neutral_probe_gives_no_verdict_and_frees_its_place, tripped),
		cmocka_unit_test_setup(lease_that_runs_out_opens_again_from_its_end, tripped),
		cmocka_unit_test_setup(lease_noticed_long_after_counts_from_its_end_too, tripped),
		cmocka_unit_test_setup(late_result_of_a_probe_decides_nothing, tripped),
		cmocka_unit_test_setup(without_a_lease_the_probe_has_all_the_time, tripped),
		cmocka_unit_test_setup(closing_empties_the_window_and_the_row, tripped),
		cmocka_unit_test_setup(call_from_before_the_trip_does_not_touch_half_open_or_closed,
				       tripped),
		cmocka_unit_test_setup(trial_is_the_first_call_after_the_cooldown,
				       tripped_with_trials),
		cmocka_unit_test_setup(no_synthetic_probe_where_calls_are_the_probe,
				       tripped_with_trials),
		cmocka_unit_test_setup(neutral_trial_lets_in_the_next_call_at_once,
				       tripped_with_trials),
		cmocka_unit_test_setup(stranded_trial_does_not_wedge, tripped_with_trials),
		cmocka_unit_test_setup(late_results_of_a_trial_close_nothing_and_extend,
				       tripped_with_trials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
