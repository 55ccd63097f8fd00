/* The ramp: real calls let in a little at a time. */
#include "breaker_kit.h"

#define OK OUTCOME_OK
#define FAIL OUTCOME_FAIL

#define T (1000 * S)
#define RAMP (T + COOLDOWN) /* when it begins */
#define RAMP_LENGTH (20 * S)
#define RAMP_END (RAMP + RAMP_LENGTH)

static int
in_ramp(void **state)
{
	kit_start(state);
	rules.ramp_ns = RAMP_LENGTH;
	rules.cooldown_max_ns = 300 * S;
	rules.consecutive = 3;
	calls(T, 3, FAIL);
	probe(RAMP, OK);
	is(RAMP, BREAKER_HALF_OPEN);
	return 0;
}

/* How many of n calls at one instant are let in; they succeed. */
static unsigned
admitted(uint64_t at, unsigned n)
{
	unsigned count = 0;
	struct ticket t;

	while (n-- > 0) {
		if (!asks(at, &t))
			continue;
		count++;
		end(t, at, OK);
	}
	return count;
}

static void
begin_of_the_ramp_is_a_transition_of_its_own(void **state)
{
	struct ticket t;

	kit_start(state);
	rules.ramp_ns = RAMP_LENGTH;
	rules.consecutive = 3;
	calls(T, 3, FAIL);
	assert_true(probe_begins(RAMP, &t));
	probe_ends(t, RAMP, OK);
	assert_int_equal(changes.n, 1);
	assert_int_equal(changes.v[0].from, BREAKER_HALF_OPEN);
	assert_int_equal(changes.v[0].to, BREAKER_HALF_OPEN);
	assert_int_equal(changes.v[0].reason, REASON_PROBE_OK);
	assert_int_equal(look(RAMP).total, 0);
	assert_int_equal(look(RAMP).consecutive, 0);
}

static void
first_call_is_admitted_and_then_each_tenth(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(admitted(RAMP, 1), i % 10 == 0);
}

static void
share_grows_from_a_tenth_to_all(void **state)
{
	for (unsigned second = 0; second < 20; second++) {
		unsigned permille = 100 + 45 * second;

		in_ramp(state);
		assert_in_range(admitted(RAMP + second * S, 1000), permille, permille + 1);
	}
}

static void
calls_are_spread_evenly(void **state)
{
	(void)state;
	/* Seven in ten: never two refused in a row, never four admitted. */
	uint64_t at = RAMP + RAMP_LENGTH * 6 / 9;
	unsigned row = 0;

	for (unsigned i = 0; i < 1000; i++) {
		if (admitted(at, 1)) {
			row++;
			assert_true(row <= 3);
		} else {
			assert_true(row >= 2);
			row = 0;
		}
	}
}

static void
asking_takes_no_share(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		bool would;

		changes.n = 0;
		would = breaker_would_admit(&ref, RAMP + i * 50 * MS, &changes);
		assert_int_equal(would, breaker_would_admit(&ref, RAMP + i * 50 * MS, &changes));
		assert_int_equal(would, admitted(RAMP + i * 50 * MS, 1));
	}
}

static void
end_of_the_ramp_closes_and_forgets(void **state)
{
	(void)state;
	assert_int_equal(admitted(RAMP, 1), 1);
	is(RAMP_END - 1, BREAKER_HALF_OPEN);
	assert_true(breaker_due_ns(&ref) == RAMP_END);
	is(RAMP_END, BREAKER_CLOSED);
	last_reason(RAMP_END, REASON_RAMP_DONE);
	assert_int_equal(look(RAMP_END).total, 0);
	assert_int_equal(admitted(RAMP_END, 100), 100);
}

static void
end_noticed_late_was_at_its_time_all_the_same(void **state)
{
	(void)state;
	calls(RAMP_END + 2 * WINDOW + 10 * MS, 3, FAIL);
	/* More than two windows after the ramp's end: a new series. */
	assert_int_equal(look(RAMP_END + 2 * WINDOW + 10 * MS).cooldown_ms, 30000);
}

static void
trip_in_the_ramp_takes_the_next_cooldown(void **state)
{
	uint64_t at = RAMP_END - 1 * S;
	struct ticket t;

	(void)state;
	for (unsigned failed = 0; failed < 3;) {
		if (!asks(at, &t))
			continue;
		end(t, at, FAIL);
		failed++;
	}
	is(at, BREAKER_OPEN);
	last_reason(at, REASON_CONSECUTIVE);
	assert_int_equal(look(at).cooldown_ms, 60000);
}

static void
five_calls_are_enough_for_the_rate_in_the_ramp(void **state)
{
	struct ticket t[5];
	unsigned n = 0;

	(void)state;
	rules.consecutive = 0;
	rules.failure_permille = 500;
	while (n < 5)
		n += asks(RAMP_END - S, &t[n]);
	for (unsigned i = 0; i < 4; i++)
		end(t[i], RAMP_END - S, i < 2 ? OK : FAIL);
	is(RAMP_END - S, BREAKER_HALF_OPEN);
	end(t[4], RAMP_END - S, FAIL);
	is(RAMP_END - S, BREAKER_OPEN);
	last_reason(RAMP_END - S, REASON_FAILURE_RATE);
}

static void
fewer_than_five_stay_fewer(void **state)
{
	(void)state;
	rules.consecutive = 0;
	rules.failure_permille = 1000;
	rules.min_samples = 2;
	calls(RAMP, 1, FAIL);
	is(RAMP, BREAKER_HALF_OPEN);

	struct ticket t;

	while (!asks(RAMP, &t))
		;
	end(t, RAMP, FAIL);
	is(RAMP, BREAKER_OPEN);
}

static void
call_of_the_ramp_counts_when_it_ends_after_it(void **state)
{
	struct ticket t = begin(RAMP);

	(void)state;
	is(RAMP_END, BREAKER_CLOSED);
	end(t, RAMP_END + S, FAIL);
	assert_int_equal(look(RAMP_END + S).failed, 1);
	assert_int_equal(look(RAMP_END + S).consecutive, 1);
}

static void
call_from_before_the_ramp_does_not_trip_it(void **state)
{
	struct ticket old[5];

	kit_start(state);
	rules.ramp_ns = RAMP_LENGTH;
	rules.consecutive = 3;
	for (unsigned i = 0; i < 5; i++)
		old[i] = begin(T - S);
	calls(T, 3, FAIL);
	probe(RAMP, OK);
	for (unsigned i = 0; i < 5; i++)
		end(old[i], RAMP, FAIL);
	is(RAMP, BREAKER_HALF_OPEN);
	assert_int_equal(look(RAMP).total, 0);
}

static void
no_probe_begins_in_the_ramp(void **state)
{
	struct ticket t;

	(void)state;
	assert_false(probe_begins(RAMP + S, &t));
	is(RAMP + S, BREAKER_HALF_OPEN);
}

static void
ramp_of_hours_and_one_of_a_millisecond_work(void **state)
{
	kit_start(state);
	rules.consecutive = 1;
	rules.ramp_ns = 24 * 3600 * S;
	calls(T, 1, FAIL);
	probe(RAMP, OK);
	assert_in_range(admitted(RAMP + 12 * 3600 * S, 100), 55, 56);
	kit_start(state);
	rules.consecutive = 1;
	rules.ramp_ns = 1 * MS;
	calls(T, 1, FAIL);
	probe(RAMP, OK);
	assert_int_equal(admitted(RAMP, 10), 1);
	is(RAMP + 1 * MS, BREAKER_CLOSED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(begin_of_the_ramp_is_a_transition_of_its_own, in_ramp),
		cmocka_unit_test_setup(first_call_is_admitted_and_then_each_tenth, in_ramp),
		cmocka_unit_test_setup(share_grows_from_a_tenth_to_all, in_ramp),
		cmocka_unit_test_setup(calls_are_spread_evenly, in_ramp),
		cmocka_unit_test_setup(asking_takes_no_share, in_ramp),
		cmocka_unit_test_setup(end_of_the_ramp_closes_and_forgets, in_ramp),
		cmocka_unit_test_setup(end_noticed_late_was_at_its_time_all_the_same, in_ramp),
		cmocka_unit_test_setup(trip_in_the_ramp_takes_the_next_cooldown, in_ramp),
		cmocka_unit_test_setup(five_calls_are_enough_for_the_rate_in_the_ramp, in_ramp),
		cmocka_unit_test_setup(fewer_than_five_stay_fewer, in_ramp),
		cmocka_unit_test_setup(call_of_the_ramp_counts_when_it_ends_after_it, in_ramp),
		cmocka_unit_test_setup(call_from_before_the_ramp_does_not_trip_it, in_ramp),
		cmocka_unit_test_setup(no_probe_begins_in_the_ramp, in_ramp),
		cmocka_unit_test_setup(ramp_of_hours_and_one_of_a_millisecond_work, in_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
