#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/window.h"

#define THREADS 4
#define ROUNDS 1500
#define ADDS 60 /* of each thread in a round */

static struct window w;
static pthread_barrier_t barrier;

/* One for all threads: whoever reads it moves it on. */
static atomic_u64 clock_ns;

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 33;
}

#define SLOT UINT64_C(3000)

/* A round passes nine slots, so that at its end all of it is in the window. */
static void *
record_rounds(void *unused)
{
	const uint64_t step = 9 * SLOT / (THREADS * ADDS);

	(void)unused;
	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		for (unsigned i = 0; i < ADDS; i++)
			window_add(&w, SLOT, add_relaxed(&clock_ns, step), i % 2 == 0, i % 3 == 0);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void
no_outcome_is_lost_when_slots_turn_over(void **state)
{
	pthread_t threads[THREADS];
	uint64_t seed = 7;

	(void)state;
	memset(&w, 0, sizeof(w));
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, record_rounds, NULL), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t now = load_relaxed(&clock_ns) / SLOT * SLOT;

		/* Idle for longer than the window, and then just before a slot's end. */
		store_relaxed(&clock_ns, now + (13 + next_random(&seed) % 300) * SLOT - 5);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);

		struct window_sum sum = window_sum(&w, SLOT, load_relaxed(&clock_ns));

		assert_int_equal(sum.total, THREADS * ADDS);
		assert_int_equal(sum.failed, THREADS * ADDS / 2);
		assert_int_equal(sum.slow, THREADS * ADDS / 3);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

#define REAL_SLOT UINT64_C(5000000)
#define REAL_ADDS 300000

static uint64_t
real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct worker {
	pthread_t thread;
	uint64_t added;
};

/* Until the slots have turned over nine times since *start. */
static void *
record_real_time(void *at)
{
	struct worker *me = at;
	uint64_t start = load_relaxed(&clock_ns), now;

	pthread_barrier_wait(&barrier);
	while (now = real_ns(), now < start + 9 * REAL_SLOT && me->added < REAL_ADDS) {
		window_add(&w, REAL_SLOT, now, false, false);
		me->added++;
	}
	return NULL;
}

static void
no_outcome_is_lost_in_slots_of_milliseconds(void **state)
{
	struct worker workers[THREADS] = {{.added = 0}};
	uint64_t start = real_ns(), sum = 0;

	(void)state;
	memset(&w, 0, sizeof(w));
	store_relaxed(&clock_ns, start);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, record_real_time, &workers[i]), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].added;
	}
	assert_int_equal(window_sum(&w, REAL_SLOT, start + 9 * REAL_SLOT).total, sum);
	pthread_barrier_destroy(&barrier);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_outcome_is_lost_when_slots_turn_over),
		cmocka_unit_test(no_outcome_is_lost_in_slots_of_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
