/* The latency limit: slow calls at their end, and overdue ones before it. */
#include "breaker_kit.h"

#define OK OUTCOME_OK
#define FAIL OUTCOME_FAIL
#define NEUTRAL OUTCOME_NEUTRAL

#define T (1000 * S)
#define LIMIT (5 * S)

static int
start(void **state)
{
	kit_start(state);
	rules.latency_ns = LIMIT;
	rules.latency_permille = 990;
	return 0;
}

/* n calls of this latency, one after the other in the books but at one instant. */
static void
calls_of(uint64_t latency, uint64_t end_at, unsigned n, enum outcome outcome)
{
	struct ticket t;

	while (n-- > 0) {
		t = begin(end_at - latency);
		breaker_answered(&ref, &t, end_at - latency, true, &changes);
		t.start_ns = end_at - latency;
		end(t, end_at, outcome);
	}
}

static void
call_is_slow_only_over_the_limit(void **state)
{
	(void)state;
	calls_of(LIMIT, T, 1, OK);
	assert_int_equal(look(T).slow, 0);
	calls_of(LIMIT + 1, T, 1, OK);
	assert_int_equal(look(T).slow, 1);
	assert_int_equal(look(T).total, 2);
}

/* Trips exactly when slow > total - ceil(total * permille / 1000), and slow >= 2. */
static void
percentile_is_the_nearest_rank_for_every_total(void **state)
{
	static const uint32_t permilles[] = {500, 900, 950, 990, 999};

	for (unsigned p = 0; p < 5; p++) {
		for (unsigned total = 2; total <= 320; total += total < 24 ? 1 : 37) {
			unsigned rank = (total * permilles[p] + 999) / 1000;
			unsigned slow = total - rank + 1 > 2 ? total - rank + 1 : 2;

			start(state);
			rules.latency_permille = permilles[p];
			rules.min_samples = total;
			calls_of(0, T, total - slow, OK);
			calls_of(LIMIT + 1, T, slow - 1, OK);
			calls_of(0, T, 1, OK);
			is(T, BREAKER_CLOSED);
			start(state);
			rules.latency_permille = permilles[p];
			rules.min_samples = total;
			calls_of(LIMIT + 1, T, slow - 1, OK);
			calls_of(0, T, total - slow, OK);
			calls_of(LIMIT + 1, T, 1, OK);
			is(T, BREAKER_OPEN);
			last_reason(T, REASON_LATENCY);
		}
	}
}

static void
one_slow_call_is_no_percentile(void **state)
{
	(void)state;
	rules.min_samples = 1;
	calls_of(0, T, 1, OK);
	calls_of(2 * LIMIT, T, 1, OK);
	is(T, BREAKER_CLOSED);
}

static void
slow_call_is_a_bad_one_in_the_row(void **state)
{
	(void)state;
	rules.consecutive = 3;
	calls_of(LIMIT + 1, T, 1, OK);
	calls_of(0, T, 1, FAIL);
	assert_int_equal(look(T).consecutive, 2);
	calls_of(LIMIT + 1, T, 1, FAIL);
	is(T, BREAKER_OPEN);
	last_reason(T, REASON_CONSECUTIVE);
}

static void
slow_call_does_not_move_the_score(void **state)
{
	struct report_summary sum;

	(void)state;
	calls_of(10 * LIMIT, T, 1, OK);
	report_summarize(&report, &sum);
	assert_int_equal(sum.score, 1000000);
	assert_int_equal(sum.max_ms, 50000);
}

static void
hangs_are_noticed_at_the_limit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		begin(T);
	assert_true(breaker_due_ns(&ref) == T + LIMIT);
	is(T + LIMIT - 1, BREAKER_CLOSED);
	is(T + LIMIT, BREAKER_OPEN);
	last_reason(T + LIMIT, REASON_LATENCY);
}

static void
next_admission_notices_what_nobody_ticked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		begin(T);
	assert_true(refused(T + 10 * LIMIT));
	assert_int_equal(changes.n, 1);
	assert_int_equal(changes.v[0].slow, 20);
}

static void
hangs_below_min_samples_are_too_few(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 19; i++)
		begin(T);
	is(T + LIMIT, BREAKER_CLOSED);
	begin(T + 2 * S);
	is(T + LIMIT + 2 * S, BREAKER_OPEN);
}

static void
overdue_call_takes_its_place_in_the_row_once(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	rules.consecutive = 2;
	assert_int_equal(look(T + LIMIT - 1).consecutive, 0);
	assert_int_equal(look(T + LIMIT).consecutive, 1);
	assert_int_equal(look(T + 2 * LIMIT).consecutive, 1);
	end(t, T + 3 * LIMIT, FAIL);
	assert_int_equal(look(T + 3 * LIMIT).consecutive, 1);
	is(T + 3 * LIMIT, BREAKER_CLOSED);
}

static void
overdue_call_counts_in_the_window_once_and_at_its_end(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	assert_int_equal(look(T + LIMIT).total, 0);
	end(t, T + 2 * LIMIT, FAIL);

	struct breaker_snapshot s = look(T + 2 * LIMIT);

	assert_int_equal(s.total, 1);
	assert_int_equal(s.failed, 1);
	assert_int_equal(s.slow, 1);
}

static void
end_notices_first_that_the_call_was_overdue(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	rules.consecutive = 2;
	end(t, T + 2 * LIMIT, OK);
	assert_int_equal(look(T + 2 * LIMIT).consecutive, 1);
}

static void
good_calls_bring_out_the_overdue_ones(void **state)
{
	(void)state;
	begin(T);
	begin(T);
	calls_of(0, T + LIMIT, 17, OK);
	is(T + LIMIT, BREAKER_CLOSED);
	calls_of(0, T + LIMIT, 1, OK);
	is(T + LIMIT, BREAKER_OPEN);
	last_reason(T + LIMIT, REASON_LATENCY);
}

static void
answer_ends_the_wait_before_the_call_ends(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	rules.consecutive = 1;
	changes.n = 0;
	breaker_answered(&ref, &t, T + S, true, &changes);
	is(T + 10 * LIMIT, BREAKER_CLOSED);
	breaker_end(&ref, &t, T + 20 * LIMIT, 1 * S, OK, 0, &changes);
	assert_int_equal(look(T + 20 * LIMIT).slow, 0);
	assert_int_equal(look(T + 20 * LIMIT).total, 1);
}

static void
late_answer_keeps_its_place_in_the_row(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	rules.consecutive = 2;
	changes.n = 0;
	breaker_answered(&ref, &t, T + 2 * LIMIT, true, &changes);
	breaker_end(&ref, &t, T + 3 * LIMIT, 2 * LIMIT, OK, 0, &changes);
	assert_int_equal(look(T + 3 * LIMIT).consecutive, 1);
	assert_int_equal(look(T + 3 * LIMIT).slow, 1);
}

static void
neutral_end_of_an_overdue_call_leaves_no_trace_in_the_window(void **state)
{
	struct ticket t = begin(T);

	(void)state;
	is(T + LIMIT, BREAKER_CLOSED);
	end(t, T + 2 * LIMIT, NEUTRAL);
	assert_int_equal(look(T + 2 * LIMIT).total, 0);
	calls_of(0, T + 2 * LIMIT, 100, OK);
	is(T + 2 * LIMIT, BREAKER_CLOSED);
	assert_int_equal(look(T + 2 * LIMIT).total, 100);
}

static void
full_table_is_noticed_at_the_end_instead(void **state)
{
	struct ticket t;

	(void)state;
	for (unsigned i = 0; i < INFLIGHT_MARKS; i++)
		inflight_take(&inflight, 9, 0, 0, T, 0);
	t = begin(T);
	assert_int_equal(t.mark.index, INFLIGHT_NONE);
	is(T + LIMIT, BREAKER_CLOSED);
	end(t, T + 2 * LIMIT, OK);
	assert_int_equal(look(T + 2 * LIMIT).slow, 1);
	assert_int_equal(look(T + 2 * LIMIT).consecutive, 1);
}

static void
calls_from_before_the_trip_are_not_overdue_after_it(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		begin(T);
	is(T + LIMIT, BREAKER_OPEN);
	probe(T + LIMIT + COOLDOWN, OK);
	is(T + LIMIT + COOLDOWN, BREAKER_CLOSED);
	calls_of(0, T + LIMIT + COOLDOWN, 30, OK);
	is(T + 2 * LIMIT + COOLDOWN, BREAKER_CLOSED);
}

#define RAMP (T + COOLDOWN)
#define RAMP_END (RAMP + 20 * S)

static void
begin_ramp(void)
{
	rules.ramp_ns = 20 * S;
	rules.consecutive = 1;
	calls(T, 1, FAIL);
	rules.consecutive = 0;
	probe(RAMP, OK);
	is(RAMP, BREAKER_HALF_OPEN);
}

/* Asks until the ramp has let in n calls, which never end. */
static void
hang(uint64_t at, unsigned n)
{
	struct ticket t;

	while (n > 0)
		n -= asks(at, &t);
}

static void
hangs_of_a_ramp_are_judged_by_at_most_five(void **state)
{
	(void)state;
	begin_ramp();
	hang(RAMP, 5);
	is(RAMP + LIMIT - 1, BREAKER_HALF_OPEN);
	is(RAMP + LIMIT, BREAKER_OPEN);
	last_reason(RAMP + LIMIT, REASON_LATENCY);
}

static void
calls_overdue_in_the_ramp_stand_on_when_it_is_closed(void **state)
{
	(void)state;
	begin_ramp();
	hang(RAMP, 2);
	is(RAMP + LIMIT, BREAKER_HALF_OPEN);
	is(RAMP_END, BREAKER_CLOSED);
	calls_of(0, RAMP_END, 17, OK);
	is(RAMP_END, BREAKER_CLOSED);
	calls_of(0, RAMP_END, 1, OK);
	is(RAMP_END, BREAKER_OPEN);
}

static void
calls_of_the_ramp_become_overdue_after_it(void **state)
{
	(void)state;
	begin_ramp();
	hang(RAMP_END - 1, 2);
	calls_of(0, RAMP_END, 18, OK);
	is(RAMP_END + LIMIT - 2, BREAKER_CLOSED);
	is(RAMP_END + LIMIT - 1, BREAKER_OPEN);
}

static void
what_is_noticed_after_the_ramp_is_judged_by_the_closed_rules(void **state)
{
	(void)state;
	begin_ramp();
	hang(RAMP, 6);
	/* Nobody came by; five would have been enough in the ramp. */
	is(RAMP_END, BREAKER_CLOSED);
	last_reason(RAMP_END, REASON_RAMP_DONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(call_is_slow_only_over_the_limit, start),
		cmocka_unit_test_setup(percentile_is_the_nearest_rank_for_every_total, start),
		cmocka_unit_test_setup(one_slow_call_is_no_percentile, start),
		cmocka_unit_test_setup(slow_call_is_a_bad_one_in_the_row, start),
		cmocka_unit_test_setup(slow_call_does_not_move_the_score, start),
		cmocka_unit_test_setup(hangs_are_noticed_at_the_limit, start),
		cmocka_unit_test_setup(next_admission_notices_what_nobody_ticked, start),
		cmocka_unit_test_setup(hangs_below_min_samples_are_too_few, start),
		cmocka_unit_test_setup(overdue_call_takes_its_place_in_the_row_once, start),
		cmocka_unit_test_setup(overdue_call_counts_in_the_window_once_and_at_its_end,
				       start),
		cmocka_unit_test_setup(end_notices_first_that_the_call_was_overdue, start),
		cmocka_unit_test_setup(good_calls_bring_out_the_overdue_ones, start),
		cmocka_unit_test_setup(answer_ends_the_wait_before_the_call_ends, start),
		cmocka_unit_test_setup(late_answer_keeps_its_place_in_the_row, start),
		cmocka_unit_test_setup(neutral_end_of_an_overdue_call_leaves_no_trace_in_the_window,
				       start),
		cmocka_unit_test_setup(full_table_is_noticed_at_the_end_instead, start),
		cmocka_unit_test_setup(calls_from_before_the_trip_are_not_overdue_after_it, start),
		cmocka_unit_test_setup(hangs_of_a_ramp_are_judged_by_at_most_five, start),
		cmocka_unit_test_setup(calls_overdue_in_the_ramp_stand_on_when_it_is_closed, start),
		cmocka_unit_test_setup(calls_of_the_ramp_become_overdue_after_it, start),
		cmocka_unit_test_setup(what_is_noticed_after_the_ramp_is_judged_by_the_closed_rules,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
