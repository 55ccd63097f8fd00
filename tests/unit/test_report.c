#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/report.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define WINDOW (60 * S)

static struct report r;
static struct report_summary sum;

static int
empty(void **state)
{
	(void)state;
	memset(&r, 0, sizeof(r));
	return 0;
}

static void
call(uint64_t at, uint64_t latency, bool failed)
{
	report_call(&r, 0, WINDOW, at, latency, failed);
}

static void
summarize(void)
{
	report_summarize(&r, &sum);
}

static void
report_of_nothing_is_healthy_and_zero(void **state)
{
	(void)state;
	summarize();
	assert_int_equal(sum.total, 0);
	assert_int_equal(sum.failed, 0);
	assert_int_equal(sum.mean_ms, 0);
	assert_int_equal(sum.max_ms, 0);
	assert_int_equal(sum.score, 1000000);
	assert_int_equal(report_percentile_ms(&r, 990), 0);
}

static void
score_is_that_of_the_outcomes_in_their_order(void **state)
{
	(void)state;
	call(1 * S, 0, false);
	call(2 * S, 0, false);
	call(3 * S, 0, true);
	summarize();
	assert_int_equal(sum.total, 3);
	assert_int_equal(sum.failed, 1);
	assert_int_equal(sum.score, 689999);
}

static void
slow_call_that_succeeds_does_not_move_the_score(void **state)
{
	(void)state;
	call(100 * S, 90 * S, false);
	summarize();
	assert_int_equal(sum.score, 1000000);
}

static void
mean_and_maximum_include_failed_calls(void **state)
{
	(void)state;
	call(1 * S, 100 * MS, false);
	call(2 * S, 700 * MS, true);
	summarize();
	assert_int_equal(sum.mean_ms, 400);
	assert_int_equal(sum.max_ms, 700);
}

static void
sum_of_latencies_saturates(void **state)
{
	(void)state;
	store_relaxed(&r.shards[0].sum_us, UINT64_MAX - 5);
	call(1 * S, 1 * S, false);
	assert_true(load_relaxed(&r.shards[0].sum_us) == UINT64_MAX);
	report_call(&r, 1, WINDOW, 1 * S, 1 * S, false);
	summarize();
	assert_true(sum.mean_ms == UINT64_MAX / 2 / 1000);
}

static void
shards_of_threads_add_up(void **state)
{
	(void)state;
	for (unsigned shard = 0; shard < 10; shard++)
		report_call(&r, shard, WINDOW, 1 * S, shard * MS, shard < 2);
	summarize();
	assert_int_equal(sum.total, 10);
	assert_int_equal(sum.failed, 2);
	assert_int_equal(sum.max_ms, 9);
	assert_int_equal(sum.mean_ms, 4);
}

static void
counts_of_refusals_and_probes_are_passed_on(void **state)
{
	(void)state;
	store_relaxed(&r.refused, 49607);
	store_relaxed(&r.probes, 3);
	summarize();
	assert_int_equal(sum.refused, 49607);
	assert_int_equal(sum.probes, 3);
	assert_int_equal(sum.total, 0);
}

static void
failures_never_outnumber_the_calls(void **state)
{
	(void)state;
	store_relaxed(&r.shards[0].failed, 5);
	store_relaxed(&r.shards[0].total, 4);
	summarize();
	assert_int_equal(sum.failed, 4);
}

/* A bucket is a quarter of an octave: its middle is at most an eighth off. */
static void
near(uint64_t got_ms, uint64_t want_ms)
{
	assert_in_range(got_ms, want_ms - want_ms / 8 - 1, want_ms + want_ms / 8 + 1);
}

static void
percentile_is_the_nearest_rank(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 99; i++)
		call(1 * S, 20 * MS, false);
	call(1 * S, 4 * S, false);
	near(report_percentile_ms(&r, 500), 20);
	near(report_percentile_ms(&r, 990), 20);
	near(report_percentile_ms(&r, 999), 4000);
	call(1 * S, 4 * S, false);
	near(report_percentile_ms(&r, 990), 4000);
}

static void
percentile_of_one_call_is_that_call(void **state)
{
	(void)state;
	static const uint64_t ms[] = {1, 3, 10, 100, 999, 5000, 30000, 600000, 3600000};

	for (unsigned i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
		empty(state);
		call(1 * S, ms[i] * MS, true);
		near(report_percentile_ms(&r, 500), ms[i]);
		near(report_percentile_ms(&r, 999), ms[i]);
	}
}

static void
latency_beyond_the_histogram_counts_in_its_last_bucket(void **state)
{
	(void)state;
	call(1 * S, UINT64_MAX, false);
	call(1 * S, 0, false);
	assert_true(report_percentile_ms(&r, 999) >= 3600000);
	assert_int_equal(report_percentile_ms(&r, 500), 0);
}

static void
percentiles_tell_of_the_last_one_to_two_windows(void **state)
{
	(void)state;
	call(WINDOW, 10 * S, false);
	call(2 * WINDOW - 1, 10 * S, false);
	call(2 * WINDOW, 20 * MS, false);
	near(report_percentile_ms(&r, 500), 10000);
	call(3 * WINDOW, 20 * MS, false);
	near(report_percentile_ms(&r, 999), 20);
}

static void
percentiles_forget_over_a_long_idle_time(void **state)
{
	(void)state;
	for (uint64_t idle = 2; idle < 9; idle++) {
		empty(state);
		call(0, 10 * S, false);
		call(WINDOW, 10 * S, false);
		call((1 + idle) * WINDOW, 20 * MS, false);
		near(report_percentile_ms(&r, 999), 20);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(report_of_nothing_is_healthy_and_zero, empty),
		cmocka_unit_test_setup(score_is_that_of_the_outcomes_in_their_order, empty),
		cmocka_unit_test_setup(slow_call_that_succeeds_does_not_move_the_score, empty),
		cmocka_unit_test_setup(mean_and_maximum_include_failed_calls, empty),
		cmocka_unit_test_setup(sum_of_latencies_saturates, empty),
		cmocka_unit_test_setup(shards_of_threads_add_up, empty),
		cmocka_unit_test_setup(counts_of_refusals_and_probes_are_passed_on, empty),
		cmocka_unit_test_setup(failures_never_outnumber_the_calls, empty),
		cmocka_unit_test_setup(percentile_is_the_nearest_rank, empty),
		cmocka_unit_test_setup(percentile_of_one_call_is_that_call, empty),
		cmocka_unit_test_setup(latency_beyond_the_histogram_counts_in_its_last_bucket,
				       empty),
		cmocka_unit_test_setup(percentiles_tell_of_the_last_one_to_two_windows, empty),
		cmocka_unit_test_setup(percentiles_forget_over_a_long_idle_time, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
