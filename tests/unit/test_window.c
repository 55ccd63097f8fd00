#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/window.h"

#define SLOT UINT64_C(1000)
#define WINDOW (10 * SLOT)

static struct window w;

static int
empty(void **state)
{
	(void)state;
	memset(&w, 0, sizeof(w));
	return 0;
}

static void
add(uint64_t at)
{
	window_add(&w, SLOT, at, false, false);
}

static uint32_t
total(uint64_t at)
{
	return window_sum(&w, SLOT, at).total;
}

static void
new_window_is_empty(void **state)
{
	(void)state;
	assert_int_equal(total(0), 0);
	assert_int_equal(total(SLOT * 1000), 0);
}

static void
outcome_counts_at_once_with_what_it_was(void **state)
{
	(void)state;
	window_add(&w, SLOT, 5, false, false);
	window_add(&w, SLOT, 5, true, false);
	window_add(&w, SLOT, 5, false, true);
	window_add(&w, SLOT, 5, true, true);
	window_add(&w, SLOT, 5, true, true);

	struct window_sum sum = window_sum(&w, SLOT, 5);

	assert_int_equal(sum.total, 5);
	assert_int_equal(sum.failed, 3);
	assert_int_equal(sum.slow, 3);
}

static void
outcome_stays_for_the_window_and_at_most_a_tenth_longer(void **state)
{
	for (uint64_t at = 20 * SLOT; at <= 22 * SLOT; at++) {
		empty(state);
		add(at);
		assert_int_equal(total(at + WINDOW), 1);
		assert_int_equal(total(at + WINDOW + SLOT), 0);
	}
}

static void
outcome_of_the_first_instant_counts(void **state)
{
	(void)state;
	add(0);
	assert_int_equal(total(0), 1);
	assert_int_equal(total(WINDOW), 1);
	assert_int_equal(total(WINDOW + SLOT), 0);
}

static void
outcomes_leave_while_nobody_records(void **state)
{
	(void)state;
	for (uint64_t slot = 0; slot < 11; slot++)
		add(slot * SLOT);
	for (uint64_t later = 0; later < 11; later++)
		assert_int_equal(total((10 + later) * SLOT), 11 - later);
	assert_int_equal(total(1000 * SLOT), 0);
}

/* Also where the tags of the slots have come round to the same number. */
static void
nothing_old_comes_back_after_any_idle_time(void **state)
{
	for (uint64_t first = 0; first < 40; first += 13) {
		for (uint64_t idle = 0; idle < 600; idle++) {
			uint64_t at = (first + 10 + idle) * SLOT;

			empty(state);
			for (uint64_t slot = first; slot <= first + 10; slot++)
				add(slot * SLOT);
			add(at);
			assert_int_equal(total(at), idle <= 10 ? 12 - idle : 1);
		}
	}
}

static void
record_of_a_late_uptime_counts(void **state)
{
	uint64_t years = UINT64_C(100) * 365 * 86400 * 1000000000;

	(void)state;
	add(years);
	add(years + WINDOW);
	assert_int_equal(total(years + WINDOW), 2);
	assert_int_equal(total(years + WINDOW + SLOT), 1);
}

static void
clock_behind_the_head_counts_where_the_head_is(void **state)
{
	(void)state;
	add(100 * SLOT);
	add(99 * SLOT);
	add(2 * SLOT);
	assert_int_equal(total(100 * SLOT), 3);
	assert_int_equal(total(2 * SLOT), 3);
	assert_int_equal(total(110 * SLOT), 3);
	assert_int_equal(total(111 * SLOT), 0);
}

static void
full_slot_leaves_out_what_comes_and_spoils_nothing(void **state)
{
	(void)state;
	add(0);
	for (unsigned i = 0; i < WINDOW_SLOT_MAX + 100000; i++)
		window_add(&w, SLOT, SLOT, true, true);
	add(2 * SLOT);

	struct window_sum sum = window_sum(&w, SLOT, 2 * SLOT);

	assert_int_equal(sum.total, WINDOW_SLOT_MAX + 2);
	assert_int_equal(sum.failed, WINDOW_SLOT_MAX);
	assert_int_equal(sum.slow, WINDOW_SLOT_MAX);
	sum = window_sum(&w, SLOT, SLOT + WINDOW + SLOT);
	assert_int_equal(sum.total, 1);
	assert_int_equal(sum.failed, 0);
}

static void
clear_empties_it_and_it_counts_on(void **state)
{
	(void)state;
	for (uint64_t slot = 100; slot < 120; slot++)
		window_add(&w, SLOT, slot * SLOT, true, true);
	window_clear(&w);

	struct window_sum sum = window_sum(&w, SLOT, 119 * SLOT);

	assert_int_equal(sum.total + sum.failed + sum.slow, 0);
	add(119 * SLOT);
	add(120 * SLOT);
	assert_int_equal(total(120 * SLOT), 2);
}

/* What the window should know: every outcome with the number of its slot. */
#define STEPS 20000

static struct {
	uint64_t slot;
	bool failed, slow;
} outcomes[STEPS];
static unsigned outcome_count;
static uint64_t newest;

static struct window_sum
expected(uint64_t at)
{
	uint64_t slot = at / SLOT > newest ? at / SLOT : newest;
	struct window_sum sum = {0, 0, 0};

	for (unsigned i = outcome_count; i-- > 0 && outcomes[i].slot + 10 >= slot;) {
		sum.total++;
		sum.failed += outcomes[i].failed;
		sum.slow += outcomes[i].slow;
	}
	return sum;
}

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 33;
}

static void
it_agrees_with_a_list_of_all_outcomes(void **state)
{
	uint64_t seed = 42, now = 0;

	(void)state;
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t r = next_random(&seed);
		static const uint64_t leaps[] = {0, 1, 10, SLOT / 3, SLOT, 3 * SLOT, 200 * SLOT};
		uint64_t leap = leaps[r % 100 < 95 ? r % 4 : r % 7];
		bool failed = r >> 8 & 1, slow = r >> 9 & 1;

		now += leap > 0 ? next_random(&seed) % leap : 0;
		/* Some threads have read the clock a little earlier. */
		uint64_t at = r % 10 == 0 && now > SLOT ? now - SLOT : now;

		if (at / SLOT > newest)
			newest = at / SLOT;
		outcomes[outcome_count].slot = newest;
		outcomes[outcome_count].failed = failed;
		outcomes[outcome_count++].slow = slow;
		window_add(&w, SLOT, at, failed, slow);
		for (uint64_t ahead = 0; ahead < 3 * SLOT; ahead += SLOT) {
			struct window_sum want = expected(now + ahead);
			struct window_sum got = window_sum(&w, SLOT, now + ahead);

			assert_memory_equal(&got, &want, sizeof(want));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(new_window_is_empty, empty),
		cmocka_unit_test_setup(outcome_counts_at_once_with_what_it_was, empty),
		cmocka_unit_test_setup(outcome_stays_for_the_window_and_at_most_a_tenth_longer,
				       empty),
		cmocka_unit_test_setup(outcome_of_the_first_instant_counts, empty),
		cmocka_unit_test_setup(outcomes_leave_while_nobody_records, empty),
		cmocka_unit_test_setup(nothing_old_comes_back_after_any_idle_time, empty),
		cmocka_unit_test_setup(record_of_a_late_uptime_counts, empty),
		cmocka_unit_test_setup(clock_behind_the_head_counts_where_the_head_is, empty),
		cmocka_unit_test_setup(full_slot_leaves_out_what_comes_and_spoils_nothing, empty),
		cmocka_unit_test_setup(clear_empties_it_and_it_counts_on, empty),
		cmocka_unit_test_setup(it_agrees_with_a_list_of_all_outcomes, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
