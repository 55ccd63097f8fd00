#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/inflight.h"

#define S UINT64_C(1000000000)
#define LIMIT (5 * S)
#define START (100 * S)

static void
free_dead(struct inflight *in, bool (*lives)(uint32_t pid))
{
	struct inflight_dead dead;
	uint32_t from = 0;

	while (inflight_next_dead(in, &from, lives, &dead))
		;
}

static struct inflight f;

static int
empty(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	return 0;
}

static struct mark
take(uint64_t at)
{
	return inflight_take(&f, 1, 7, 0, at, 0);
}

static struct inflight_sweep
sweep(uint64_t at)
{
	return inflight_sweep(&f, 1, 7, LIMIT, at);
}

static void
call_is_overdue_exactly_at_the_limit(void **state)
{
	(void)state;
	take(START);

	struct inflight_sweep s = sweep(START + LIMIT - 1);

	assert_int_equal(s.overdue, 0);
	assert_true(s.next_ns == START + LIMIT);
	s = sweep(START + LIMIT);
	assert_int_equal(s.overdue, 1);
	assert_int_equal(s.newly, 1);
	assert_true(s.next_ns == UINT64_MAX);
}

static void
call_is_new_to_one_sweep_and_overdue_to_all(void **state)
{
	(void)state;
	take(START);
	assert_int_equal(sweep(START + LIMIT).newly, 1);
	assert_int_equal(sweep(START + LIMIT).newly, 0);
	assert_int_equal(sweep(START + 2 * LIMIT).overdue, 1);
}

static void
giving_back_tells_whether_it_was_noticed(void **state)
{
	struct mark quick = take(START), hung = take(START);

	(void)state;
	assert_false(inflight_give(&f, quick));
	sweep(START + LIMIT);
	assert_true(inflight_give(&f, hung));
	assert_int_equal(sweep(START + 2 * LIMIT).overdue, 0);
}

static void
giving_back_twice_or_nothing_does_nothing(void **state)
{
	struct mark first = take(START);

	(void)state;
	inflight_give(&f, first);

	struct mark second = take(START);

	assert_int_equal(first.index, second.index);
	assert_false(inflight_give(&f, first));
	assert_false(inflight_give(&f, (struct mark){INFLIGHT_NONE, 0}));
	assert_int_equal(sweep(START + LIMIT).overdue, 1);
}

static void
next_is_the_earliest_that_waits(void **state)
{
	(void)state;
	take(START + 2 * S);
	take(START + 1 * S);
	take(START);
	assert_true(sweep(START + LIMIT).next_ns == START + 1 * S + LIMIT);
}

static void
others_are_not_counted(void **state)
{
	(void)state;
	inflight_take(&f, 2, 7, 0, START, 0);
	inflight_take(&f, 1, 8, 0, START, 0);

	struct inflight_sweep s = sweep(START + LIMIT);

	assert_int_equal(s.overdue, 0);
	assert_true(s.next_ns == UINT64_MAX);
}

static void
clock_behind_the_start_is_age_zero(void **state)
{
	(void)state;
	take(START);
	assert_int_equal(sweep(START - S).overdue, 0);
}

static void
full_table_gives_no_mark_until_one_is_given_back(void **state)
{
	struct mark last = {INFLIGHT_NONE, 0};

	(void)state;
	for (unsigned i = 0; i < INFLIGHT_MARKS; i++) {
		last = inflight_take(&f, 1, 7, 0, START, 4000);
		assert_int_not_equal(last.index, INFLIGHT_NONE);
	}
	assert_int_equal(take(START).index, INFLIGHT_NONE);
	assert_int_equal(sweep(START + LIMIT).overdue, INFLIGHT_MARKS);
	assert_true(inflight_give(&f, last));
	assert_int_equal(take(START).index, last.index);
}

static void
any_hint_finds_a_place(void **state)
{
	(void)state;
	assert_int_equal(inflight_take(&f, 1, 7, 0, START, UINT32_MAX).index, INFLIGHT_MARKS - 1);
	assert_int_equal(inflight_take(&f, 1, 7, 0, START, UINT32_MAX).index, 0);
}

static void
mark_of_the_dead_is_freed_when_its_lease_is_over(void **state)
{
	struct mark dead = take(START);

	(void)state;
	assert_int_equal(sweep(START + INFLIGHT_LEASE_NS - 1).overdue, 1);
	assert_int_equal(sweep(START + INFLIGHT_LEASE_NS).overdue, 0);
	assert_int_equal(take(START + INFLIGHT_LEASE_NS).index, dead.index);
}

static void
any_sweep_frees_the_marks_of_other_breakers_and_generations(void **state)
{
	(void)state;
	for (unsigned i = 0; i < INFLIGHT_MARKS; i++)
		inflight_take(&f, i % 4096, i % 131072, 0, START, i);
	inflight_sweep(&f, 4095, 99, LIMIT, START + INFLIGHT_LEASE_NS);
	assert_int_not_equal(take(START).index, INFLIGHT_NONE);
}

static void
result_after_the_lease_frees_nobody_else(void **state)
{
	struct mark old = take(START);

	(void)state;
	sweep(START + INFLIGHT_LEASE_NS);

	struct mark now = take(START + INFLIGHT_LEASE_NS);

	assert_int_equal(now.index, old.index);
	assert_false(inflight_give(&f, old));
	assert_int_equal(sweep(START + INFLIGHT_LEASE_NS + LIMIT).overdue, 1);
}

static void
foreign_length_of_the_table_is_not_believed(void **state)
{
	(void)state;
	take(START);
	store_relaxed(&f.high, UINT32_MAX);
	assert_int_equal(sweep(START + LIMIT).overdue, 1);
}

static void
forgotten_mark_is_free_and_giving_it_back_does_nothing(void **state)
{
	struct mark m = take(START);

	(void)state;
	sweep(START + LIMIT);
	inflight_forget(&f);
	assert_int_equal(sweep(START + LIMIT).overdue, 0);
	assert_false(inflight_give(&f, m));
	m = take(START);
	assert_int_equal(m.index, 0);
	assert_int_equal(sweep(START + LIMIT).newly, 1);
}

static bool
is_even(uint32_t pid)
{
	return pid % 2 == 0;
}

static void
marks_of_dead_processes_are_freed_and_no_others(void **state)
{
	struct mark living, dead, overdue;

	(void)state;
	overdue = inflight_take(&f, 1, 7, 4194303, START, 0);
	sweep(START + LIMIT);
	living = inflight_take(&f, 1, 7, 4194302, START, 0);
	dead = inflight_take(&f, 2, 8, 3, START, 0);
	free_dead(&f, is_even);
	assert_int_equal(sweep(START + LIMIT).overdue, 1);
	assert_true(inflight_give(&f, living));
	assert_int_equal(take(START).index, overdue.index);
	assert_int_equal(take(START).index, living.index);
	assert_int_equal(take(START).index, dead.index);
}

static bool
nobody(uint32_t pid)
{
	(void)pid;
	return false;
}

static void
marks_without_a_pid_stay(void **state)
{
	(void)state;
	take(START);
	free_dead(&f, nobody);
	assert_int_equal(sweep(START + LIMIT).overdue, 1);
}

static void
freed_mark_that_is_given_back_frees_nobody_else(void **state)
{
	struct mark dead = inflight_take(&f, 1, 7, 5, START, 0);

	(void)state;
	free_dead(&f, is_even);
	inflight_take(&f, 1, 7, 5, START, 0);
	assert_false(inflight_give(&f, dead));
	assert_int_equal(sweep(START + LIMIT).overdue, 1);
}

static void
process_killed_while_it_took_a_mark_holds_nothing(void **state)
{
	struct mark m = inflight_take(&f, 1, 7, 5, START, 0);

	(void)state;
	/* As its word is between the claim and the start of the call. */
	store_relaxed(&f.entries[m.index].owner, m.owner | 1);
	assert_int_not_equal(inflight_take(&f, 1, 7, 6, START, 0).index, m.index);
	free_dead(&f, is_even);
	assert_int_equal(inflight_take(&f, 1, 7, 6, START, 0).index, m.index);
}

#define THREADS 4
#define TURNS 20000

static atomic_u64 noticed, given_overdue;

static void *
take_and_give(void *hint)
{
	for (unsigned i = 0; i < TURNS; i++) {
		struct mark m = inflight_take(&f, 1, 7, 0, START + i, *(uint32_t *)hint);

		if (i % 16 == 0)
			add_relaxed(&noticed, sweep(START + i + LIMIT).newly);
		add_relaxed(&given_overdue, inflight_give(&f, m));
	}
	return NULL;
}

static void
threads_notice_each_call_once(void **state)
{
	pthread_t threads[THREADS];
	static uint32_t hints[THREADS];

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		hints[i] = i / 2; /* two of them look at the same place */
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &hints[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(load_relaxed(&noticed) > 0);
	assert_int_equal(load_relaxed(&noticed), load_relaxed(&given_overdue));
	assert_int_equal(sweep(START + 100 * LIMIT).overdue, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(call_is_overdue_exactly_at_the_limit, empty),
		cmocka_unit_test_setup(call_is_new_to_one_sweep_and_overdue_to_all, empty),
		cmocka_unit_test_setup(giving_back_tells_whether_it_was_noticed, empty),
		cmocka_unit_test_setup(giving_back_twice_or_nothing_does_nothing, empty),
		cmocka_unit_test_setup(next_is_the_earliest_that_waits, empty),
		cmocka_unit_test_setup(others_are_not_counted, empty),
		cmocka_unit_test_setup(clock_behind_the_start_is_age_zero, empty),
		cmocka_unit_test_setup(full_table_gives_no_mark_until_one_is_given_back, empty),
		cmocka_unit_test_setup(any_hint_finds_a_place, empty),
		cmocka_unit_test_setup(mark_of_the_dead_is_freed_when_its_lease_is_over, empty),
		cmocka_unit_test_setup(any_sweep_frees_the_marks_of_other_breakers_and_generations,
				       empty),
		cmocka_unit_test_setup(result_after_the_lease_frees_nobody_else, empty),
		cmocka_unit_test_setup(foreign_length_of_the_table_is_not_believed, empty),
		cmocka_unit_test_setup(forgotten_mark_is_free_and_giving_it_back_does_nothing,
				       empty),
		cmocka_unit_test_setup(marks_of_dead_processes_are_freed_and_no_others, empty),
		cmocka_unit_test_setup(marks_without_a_pid_stay, empty),
		cmocka_unit_test_setup(freed_mark_that_is_given_back_frees_nobody_else, empty),
		cmocka_unit_test_setup(process_killed_while_it_took_a_mark_holds_nothing, empty),
		cmocka_unit_test_setup(threads_notice_each_call_once, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
