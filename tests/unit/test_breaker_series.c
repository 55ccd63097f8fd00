/* How long it stays open: the series of cooldowns and the jitter. */
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

static uint64_t
cooldown_s(uint64_t at)
{
	return look(at).cooldown_ms / 1000;
}

static void
each_failed_probe_doubles_the_cooldown_up_to_its_limit(void **state)
{
	static const uint64_t series[] = {30, 60, 120, 240, 300, 300, 300};
	uint64_t at = T;

	(void)state;
	rules.cooldown_max_ns = 300 * S;
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(cooldown_s(at), series[i]);
		assert_true(breaker_due_ns(&ref) == at + series[i] * S);
		at += series[i] * S;
		probe(at, FAIL);
	}
}

static void
series_is_long_enough_for_any_limit(void **state)
{
	uint64_t at = T;

	kit_start(state);
	rules.consecutive = 3;
	rules.cooldown_ns = 100 * MS;
	rules.cooldown_max_ns = 86400 * S;
	calls(T, 3, FAIL);
	for (unsigned i = 0; i < 300; i++) {
		at = breaker_due_ns(&ref);
		probe(at, FAIL);
	}
	assert_int_equal(cooldown_s(at), 86400);
}

static void
trip_within_two_windows_of_the_close_goes_on_with_the_series(void **state)
{
	(void)state;
	rules.cooldown_max_ns = 300 * S;
	probe(DUE, FAIL);
	probe(DUE + 60 * S, OK);
	is(DUE + 60 * S, BREAKER_CLOSED);
	calls(DUE + 60 * S + 2 * WINDOW, 3, FAIL);
	assert_int_equal(cooldown_s(DUE + 60 * S + 2 * WINDOW), 120);
}

static void
trip_later_than_two_windows_begins_a_new_series(void **state)
{
	(void)state;
	rules.cooldown_max_ns = 300 * S;
	probe(DUE, FAIL);
	probe(DUE + 60 * S, OK);
	calls(DUE + 60 * S + 2 * WINDOW + 10 * MS, 3, FAIL);
	assert_int_equal(cooldown_s(DUE + 60 * S + 2 * WINDOW + 10 * MS), 30);
}

static void
cooldown_counts_from_the_trip_and_stays_within_the_jitter(void **state)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t at = T + i * 7919 * MS, wait;

		kit_start(state);
		rules.consecutive = 1;
		rules.cooldown_jitter_permille = 100;
		calls(at, 1, FAIL);
		wait = breaker_due_ns(&ref) - at;
		assert_in_range(wait, COOLDOWN, COOLDOWN + COOLDOWN / 10);
		least = wait < least ? wait : least;
		most = wait > most ? wait : most;
	}
	assert_true(least < COOLDOWN + COOLDOWN / 100);
	assert_true(most > COOLDOWN + COOLDOWN * 9 / 100);
}

static void
what_was_judged_outlives_the_window_until_the_close(void **state)
{
	kit_start(state);
	rules.failure_permille = 500;
	rules.min_samples = 4;
	rules.cooldown_ns = rules.cooldown_max_ns = 10 * WINDOW;
	calls(T, 2, OUTCOME_OK);
	calls(T, 2, OUTCOME_FAIL);
	is(T + 9 * WINDOW, BREAKER_OPEN);
	assert_int_equal(look(T + 9 * WINDOW).total, 0);
	assert_int_equal(look(T + 9 * WINDOW).trip_total, 4);
	assert_int_equal(look(T + 9 * WINDOW).trip_failed, 2);
	probe(T + 10 * WINDOW, OUTCOME_OK);
	is(T + 10 * WINDOW, BREAKER_CLOSED);
	assert_int_equal(look(T + 10 * WINDOW).trip_total, 0);
	assert_int_equal(look(T + 10 * WINDOW).trip_failed, 0);
}

static void
of_very_many_calls_the_share_is_remembered(void **state)
{
	kit_start(state);
	rules.failure_permille = 500;
	for (unsigned slot = 0; slot < 8; slot++)
		for (unsigned i = 0; i < 250000; i++)
			window_add(&breaker.window, rules.slot_ns, T + slot * rules.slot_ns,
				   i % 2 == 0, false);
	calls(T + 7 * rules.slot_ns, 1, OUTCOME_FAIL);

	struct breaker_snapshot now = look(T + 7 * rules.slot_ns);

	assert_int_equal(now.total, 2000001);
	assert_int_equal(now.trip_total, 1000000);
	assert_int_equal(now.trip_failed, 500000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_failed_probe_doubles_the_cooldown_up_to_its_limit,
				       tripped),
		cmocka_unit_test_setup(series_is_long_enough_for_any_limit, tripped),
		cmocka_unit_test_setup(trip_within_two_windows_of_the_close_goes_on_with_the_series,
				       tripped),
		cmocka_unit_test_setup(trip_later_than_two_windows_begins_a_new_series, tripped),
		cmocka_unit_test_setup(cooldown_counts_from_the_trip_and_stays_within_the_jitter,
				       tripped),
		cmocka_unit_test(what_was_judged_outlives_the_window_until_the_close),
		cmocka_unit_test(of_very_many_calls_the_share_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
