#include "breaker_kit.h"

#define OK OUTCOME_OK
#define FAIL OUTCOME_FAIL
#define NEUTRAL OUTCOME_NEUTRAL

#define T (1000 * S) /* when a test begins */

static void
new_breaker_is_closed_and_admits(void **state)
{
	struct breaker_snapshot s = look(0);

	(void)state;
	assert_int_equal(s.state, BREAKER_CLOSED);
	assert_int_equal(s.reason, REASON_NONE);
	assert_int_equal(s.total, 0);
	assert_int_equal(s.retry_in_ns, 0);
	assert_false(s.held);
	assert_false(refused(0));
	assert_true(breaker_due_ns(&ref) == UINT64_MAX);
}

static void
nth_failure_in_a_row_trips(void **state)
{
	(void)state;
	rules.consecutive = 5;
	calls(T, 4, FAIL);
	is(T, BREAKER_CLOSED);
	assert_int_equal(look(T).consecutive, 4);
	calls(T + S, 1, FAIL);
	is(T + S, BREAKER_OPEN);
	last_reason(T + S, REASON_CONSECUTIVE);
}

static void
success_starts_the_row_again_and_neutral_does_not(void **state)
{
	(void)state;
	rules.consecutive = 3;
	calls(T, 2, FAIL);
	calls(T, 1, OK);
	assert_int_equal(look(T).consecutive, 0);
	calls(T, 2, FAIL);
	calls(T, 1, NEUTRAL);
	assert_int_equal(look(T).consecutive, 2);
	calls(T, 1, FAIL);
	is(T, BREAKER_OPEN);
}

static void
consecutive_zero_counts_and_never_trips(void **state)
{
	(void)state;
	calls(T, 1000, FAIL);
	is(T, BREAKER_CLOSED);
	assert_int_equal(look(T).consecutive, 1000);
}

static void
row_of_failures_does_not_age_with_the_window(void **state)
{
	(void)state;
	rules.consecutive = 3;
	for (unsigned i = 0; i < 3; i++)
		calls(T + i * 2 * WINDOW, 1, FAIL);
	is(T + 4 * WINDOW, BREAKER_OPEN);
}

static void
rate_trips_exactly_at_its_limit(void **state)
{
	(void)state;
	rules.failure_permille = 500;
	calls(T, 11, OK);
	calls(T, 10, FAIL);
	is(T, BREAKER_CLOSED);
	calls(T, 1, FAIL);
	is(T, BREAKER_OPEN);
	last_reason(T, REASON_FAILURE_RATE);
}

static void
rate_of_one_hundred_percent_can_trip(void **state)
{
	(void)state;
	rules.failure_permille = 1000;
	calls(T, 19, FAIL);
	is(T, BREAKER_CLOSED);
	calls(T, 1, FAIL);
	is(T, BREAKER_OPEN);
}

static void
rate_says_nothing_below_min_samples(void **state)
{
	(void)state;
	rules.failure_permille = 100;
	calls(T, 19, FAIL);
	is(T, BREAKER_CLOSED);
	calls(T, 1, OK);
	is(T, BREAKER_OPEN);
	last_reason(T, REASON_FAILURE_RATE);
}

static void
min_samples_of_nothing_needs_a_call_all_the_same(void **state)
{
	(void)state;
	rules.failure_permille = 1000;
	rules.min_samples = 0;
	calls(T, 1, NEUTRAL);
	is(T, BREAKER_CLOSED);
	calls(T, 1, FAIL);
	is(T, BREAKER_OPEN);
}

static void
neutral_outcomes_count_nowhere(void **state)
{
	struct report_summary sum;

	(void)state;
	rules.consecutive = 1;
	rules.failure_permille = 1;
	rules.min_samples = 1;
	calls(T, 100, NEUTRAL);
	is(T, BREAKER_CLOSED);
	assert_int_equal(look(T).total, 0);
	report_summarize(&report, &sum);
	assert_int_equal(sum.total, 0);
}

static void
first_rule_that_holds_gives_the_reason(void **state)
{
	(void)state;
	rules.consecutive = 5;
	rules.failure_permille = 1000;
	rules.min_samples = 5;
	calls(T, 5, FAIL);
	last_reason(T, REASON_CONSECUTIVE);
}

static void
call_counts_in_the_window_when_it_ends(void **state)
{
	(void)state;
	rules.failure_permille = 500;
	rules.min_samples = 5;
	for (unsigned i = 0; i < 5; i++) {
		struct ticket t = begin(T + i * S);

		is(T + i * S, BREAKER_CLOSED);
		end(t, T + i * S + 10 * WINDOW, FAIL);
	}
	is(T + 4 * S + 10 * WINDOW, BREAKER_OPEN);
}

static void
failure_of_an_hour_ago_does_not_count(void **state)
{
	(void)state;
	rules.failure_permille = 200;
	rules.min_samples = 6;
	calls(T, 3, OK);
	calls(T, 2, FAIL);
	calls(T + 3600 * S, 1, FAIL);
	is(T + 3600 * S, BREAKER_CLOSED);
	assert_int_equal(look(T + 3600 * S).total, 1);
}

static void
transition_tells_what_was_judged(void **state)
{
	(void)state;
	rules.failure_permille = 500;
	rules.min_samples = 4;
	calls(T, 2, OK);
	calls(T, 2, FAIL);
	assert_int_equal(changes.n, 1);
	assert_int_equal(changes.v[0].from, BREAKER_CLOSED);
	assert_int_equal(changes.v[0].to, BREAKER_OPEN);
	assert_int_equal(changes.v[0].reason, REASON_FAILURE_RATE);
	assert_int_equal(changes.v[0].total, 4);
	assert_int_equal(changes.v[0].failed, 2);
	assert_int_equal(changes.v[0].slow, 0);
	assert_int_equal(changes.v[0].cooldown_ms, 30000);
}

static void
trip(void)
{
	rules.consecutive = 3;
	calls(T, 3, FAIL);
	is(T, BREAKER_OPEN);
}

static void
open_breaker_refuses_and_counts_down(void **state)
{
	(void)state;
	trip();
	for (uint64_t at = T; at < T + COOLDOWN; at += S) {
		assert_true(refused(at));
		assert_true(look(at).retry_in_ns == T + COOLDOWN - at);
	}
	assert_true(refused(T + COOLDOWN - 1));
	assert_true(breaker_due_ns(&ref) == T + COOLDOWN);
}

static void
success_from_before_the_trip_is_ignored(void **state)
{
	struct ticket old = begin(T);

	(void)state;
	trip();
	end(old, T + S, OK);
	is(T + S, BREAKER_OPEN);
	assert_int_equal(look(T + S).total, 3);
}

static void
failure_while_open_restarts_the_same_cooldown(void **state)
{
	struct ticket old = begin(T);

	(void)state;
	trip();
	end(old, T + 20 * S, FAIL);
	assert_int_equal(changes.n, 1);
	assert_int_equal(changes.v[0].reason, REASON_LATE_FAILURE);
	assert_int_equal(changes.v[0].cooldown_ms, 30000);
	assert_true(look(T + 20 * S).retry_in_ns == COOLDOWN);
	assert_true(breaker_due_ns(&ref) == T + 20 * S + COOLDOWN);
}

static void
failure_while_open_may_be_ignored(void **state)
{
	struct ticket old = begin(T);

	(void)state;
	rules.late_failure_extends = false;
	trip();
	end(old, T + 20 * S, FAIL);
	assert_int_equal(changes.n, 0);
	assert_true(breaker_due_ns(&ref) == T + COOLDOWN);
	last_reason(T + 20 * S, REASON_CONSECUTIVE);
}

static void
neutral_end_while_open_does_nothing(void **state)
{
	struct ticket old = begin(T);

	(void)state;
	trip();
	end(old, T + 20 * S, NEUTRAL);
	assert_true(breaker_due_ns(&ref) == T + COOLDOWN);
}

static void
failed_look_up_extends_as_a_call_does(void **state)
{
	struct ticket watch;

	(void)state;
	rules.consecutive = 2;
	breaker_watch(&ref, T, &watch);
	end(watch, T, FAIL);
	assert_int_equal(look(T).consecutive, 1);
	breaker_watch(&ref, T, &watch);
	end(watch, T, FAIL);
	is(T, BREAKER_OPEN);
}

static void
asking_takes_nothing(void **state)
{
	(void)state;
	rules.probe_is_call = true;
	trip();
	for (unsigned i = 0; i < 5; i++) {
		changes.n = 0;
		assert_false(breaker_would_admit(&ref, T + COOLDOWN - 1, &changes));
		assert_true(breaker_would_admit(&ref, T + COOLDOWN, &changes));
	}
	is(T + COOLDOWN, BREAKER_OPEN);
	assert_false(refused(T + COOLDOWN));
}

static void
names_are_those_of_the_log(void **state)
{
	(void)state;
	assert_string_equal(breaker_state_name(BREAKER_HALF_OPEN), "half-open");
	assert_string_equal(breaker_reason_name(REASON_FAILURE_RATE), "failure-rate");
	assert_string_equal(breaker_reason_name(REASON_MANUAL), "manual");
	assert_string_equal(breaker_reason_name((enum reason)200), "none");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(new_breaker_is_closed_and_admits, kit_start),
		cmocka_unit_test_setup(nth_failure_in_a_row_trips, kit_start),
		cmocka_unit_test_setup(success_starts_the_row_again_and_neutral_does_not,
				       kit_start),
		cmocka_unit_test_setup(consecutive_zero_counts_and_never_trips, kit_start),
		cmocka_unit_test_setup(row_of_failures_does_not_age_with_the_window, kit_start),
		cmocka_unit_test_setup(rate_trips_exactly_at_its_limit, kit_start),
		cmocka_unit_test_setup(rate_of_one_hundred_percent_can_trip, kit_start),
		cmocka_unit_test_setup(rate_says_nothing_below_min_samples, kit_start),
		cmocka_unit_test_setup(min_samples_of_nothing_needs_a_call_all_the_same, kit_start),
		cmocka_unit_test_setup(neutral_outcomes_count_nowhere, kit_start),
		cmocka_unit_test_setup(first_rule_that_holds_gives_the_reason, kit_start),
		cmocka_unit_test_setup(call_counts_in_the_window_when_it_ends, kit_start),
		cmocka_unit_test_setup(failure_of_an_hour_ago_does_not_count, kit_start),
		cmocka_unit_test_setup(transition_tells_what_was_judged, kit_start),
		cmocka_unit_test_setup(open_breaker_refuses_and_counts_down, kit_start),
		cmocka_unit_test_setup(success_from_before_the_trip_is_ignored, kit_start),
		cmocka_unit_test_setup(failure_while_open_restarts_the_same_cooldown, kit_start),
		cmocka_unit_test_setup(failure_while_open_may_be_ignored, kit_start),
		cmocka_unit_test_setup(neutral_end_while_open_does_nothing, kit_start),
		cmocka_unit_test_setup(failed_look_up_extends_as_a_call_does, kit_start),
		cmocka_unit_test_setup(asking_takes_nothing, kit_start),
		cmocka_unit_test_setup(names_are_those_of_the_log, kit_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
