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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
