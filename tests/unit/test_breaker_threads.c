/* What threads may not do to each other. */
#include <pthread.h>

#include "breaker_kit.h"

#define THREADS 4
#define ROUNDS 2000
#define T (1000 * S)

static pthread_barrier_t barrier;
static atomic_u64 now_ns, took, sum;

typedef void round_fn(unsigned thread, unsigned round);

static round_fn *work;
static unsigned rounds;

static void *
run_rounds(void *at)
{
	unsigned thread = *(unsigned *)at;

	for (unsigned round = 0; round < rounds; round++) {
		pthread_barrier_wait(&barrier);
		work(thread, round);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* Runs fn in all threads at once, n times; before and after see to what is between. */
static void
race(round_fn *fn, unsigned n, void (*before)(unsigned), void (*after)(unsigned))
{
	pthread_t threads[THREADS];
	unsigned numbers[THREADS];

	work = fn;
	rounds = n;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, run_rounds, &numbers[i]), 0);
	}
	for (unsigned round = 0; round < n; round++) {
		before(round);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		after(round);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

static void
trip_again(unsigned round)
{
	kit_start(NULL);
	rules.consecutive = 1;
	rules.probe_is_call = round % 2 == 1;
	calls(T, 1, OUTCOME_FAIL);
	store_relaxed(&took, 0);
}

static void
take_probe(unsigned thread, unsigned round)
{
	struct transitions tr = {.n = 0};
	struct ticket t;

	(void)thread;
	if (round % 2 == 0)
		add_relaxed(&took, breaker_probe_begin(&ref, T + COOLDOWN, &t, &tr));
	else
		add_relaxed(&took, breaker_admit(&ref, T + COOLDOWN, 0, &t, &tr));
}

static void
one_took_it(unsigned round)
{
	(void)round;
	assert_int_equal(load_relaxed(&took), 1);
	is(T + COOLDOWN, BREAKER_HALF_OPEN);
}

static void
exactly_one_thread_gets_the_probe(void **state)
{
	(void)state;
	race(take_probe, ROUNDS, trip_again, one_took_it);
}

static void
strand_probe(unsigned round)
{
	struct ticket t;

	trip_again(round);
	if (round % 2 == 0)
		assert_true(probe_begins(T + COOLDOWN, &t));
	else
		begin(T + COOLDOWN);
}

static void
take_next_probe(unsigned thread, unsigned round)
{
	struct transitions tr = {.n = 0};
	struct ticket t;
	uint64_t at = T + COOLDOWN + LEASE + COOLDOWN;

	(void)thread;
	if (round % 2 == 0)
		add_relaxed(&took, breaker_probe_begin(&ref, at, &t, &tr));
	else
		add_relaxed(&took, breaker_admit(&ref, at, 0, &t, &tr));
	for (unsigned i = 0; i < tr.n; i++)
		add_relaxed(&sum, tr.v[i].to == BREAKER_OPEN);
}

static void
one_took_it_and_one_told_of_the_lease(unsigned round)
{
	one_took_it(round);
	assert_int_equal(swap_acq_rel(&sum, 0), 1);
}

static void
exactly_one_thread_gets_the_probe_after_a_lost_one(void **state)
{
	(void)state;
	store_relaxed(&sum, 0);
	race(take_next_probe, ROUNDS, strand_probe, one_took_it_and_one_told_of_the_lease);
}

static void
nothing_yet(unsigned round)
{
	(void)round;
	kit_start(NULL);
	rules.consecutive = 50;
	rules.late_failure_extends = false;
	rules.latency_ns = 5 * S;
	rules.latency_permille = 990;
	store_relaxed(&now_ns, T);
	store_relaxed(&sum, 0);
}

static void
fail_often(unsigned thread, unsigned round)
{
	struct transitions tr = {.n = 0};

	(void)round;
	for (unsigned i = 0; i < 100; i++) {
		uint64_t at = add_relaxed(&now_ns, 1);
		struct ticket t;

		if (breaker_admit(&ref, at, thread * 8, &t, &tr))
			breaker_end(&ref, &t, at, 0, OUTCOME_FAIL, thread, &tr);
	}
	add_relaxed(&sum, tr.n);
}

static void
it_tripped_once(unsigned round)
{
	(void)round;
	assert_int_equal(load_relaxed(&sum), 1);
	is(T + S, BREAKER_OPEN);
}

static void
trip_of_many_threads_is_told_once(void **state)
{
	(void)state;
	race(fail_often, ROUNDS / 4, nothing_yet, it_tripped_once);
}

#define CALLS 100

static void
move_on(unsigned round)
{
	if (round == 0)
		nothing_yet(round);
	rules.consecutive = 0;
	rules.latency_permille = 100;
	store_relaxed(&now_ns, T + round * 13 * rules.slot_ns - 7);
}

/* Nine slots pass in a round; each third call is slow, each fourth fails. */
static void
end_many(unsigned thread, unsigned round)
{
	struct transitions tr = {.n = 0};

	(void)round;
	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t at = add_relaxed(&now_ns, 9 * WINDOW / 10 / (THREADS * CALLS));
		struct ticket t;

		breaker_admit(&ref, at, thread * 8, &t, &tr);
		breaker_answered(&ref, &t, at, true, &tr);
		breaker_end(&ref, &t, at, i % 3 == 0 ? 6 * S : 1 * S,
			    i % 4 == 0 ? OUTCOME_FAIL : OUTCOME_OK, thread, &tr);
	}
}

static void
all_are_counted(unsigned round)
{
	struct breaker_snapshot s = look(load_relaxed(&now_ns));

	(void)round;
	assert_int_equal(s.total, THREADS * CALLS);
	assert_int_equal(s.failed, THREADS * ((CALLS + 3) / 4));
	assert_int_equal(s.slow, THREADS * ((CALLS + 2) / 3));
}

static void
no_outcome_of_many_threads_is_lost(void **state)
{
	(void)state;
	race(end_many, ROUNDS / 4, move_on, all_are_counted);
}

static void
ramp_again(unsigned round)
{
	trip_again(0);
	(void)round;
	rules.ramp_ns = 20 * S;
	probe(T + COOLDOWN, OUTCOME_OK);
}

static void
ask_often(unsigned thread, unsigned round)
{
	struct transitions tr = {.n = 0};
	struct ticket t;

	(void)round;
	for (unsigned i = 0; i < 100; i++)
		add_relaxed(&took, breaker_admit(&ref, T + COOLDOWN, thread, &t, &tr));
}

static void
a_tenth_came_in(unsigned round)
{
	(void)round;
	assert_int_equal(load_relaxed(&took), THREADS * 10);
}

static void
threads_share_the_ramp(void **state)
{
	(void)state;
	race(ask_often, ROUNDS / 4, ramp_again, a_tenth_came_in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_one_thread_gets_the_probe),
		cmocka_unit_test(exactly_one_thread_gets_the_probe_after_a_lost_one),
		cmocka_unit_test(trip_of_many_threads_is_told_once),
		cmocka_unit_test(no_outcome_of_many_threads_is_lost),
		cmocka_unit_test(threads_share_the_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
