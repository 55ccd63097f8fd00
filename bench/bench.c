#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/atomics.h"

/* How often a round of two threads is tried until they run at the same time. */
#define TRIES 8

uint64_t
bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

void
bench_pin(unsigned processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int
by_size(const void *a, const void *b)
{
	double x, y;

	x = *(const double *)a;
	y = *(const double *)b;
	return (x > y) - (x < y);
}

double
bench_median(double *samples, unsigned count)
{
	qsort(samples, count, sizeof(*samples), by_size);
	return samples[count / 2];
}

struct bench_pair
bench_pair_of(double *values, double *floors, unsigned count)
{
	double *ratios = malloc(count * sizeof(*ratios));
	struct bench_pair p;

	if (ratios == NULL)
		abort();
	for (unsigned i = 0; i < count; i++)
		ratios[i] = values[i] / floors[i];
	p.ratio = bench_median(ratios, count);
	p.value = bench_median(values, count);
	p.floor = bench_median(floors, count);
	free(ratios);
	return p;
}

/* What the second thread is to do next: it waits awake, so that both begin together. */
struct task {
	bench_fn *run; /* NULL: end */
	void *context;
	unsigned n;
	uint64_t begin_ns[2], end_ns[2];
	atomic_u32 asked, ready, done;
};

static void
run_timed(struct task *t, unsigned thread)
{
	t->begin_ns[thread] = bench_now_ns();
	t->run(t->context, thread, t->n);
	t->end_ns[thread] = bench_now_ns();
}

static void *
second(void *context)
{
	struct task *t = context;

	bench_pin(1);
	for (uint32_t round = 1;; round++) {
		while (load_acquire(&t->asked) != round)
			;
		if (t->run == NULL)
			return NULL;
		store_release(&t->ready, round);
		run_timed(t, 1);
		store_release(&t->done, round);
	}
}

static void
run_both(struct task *t)
{
	uint32_t round = add_relaxed(&t->asked, 1) + 1;

	while (load_acquire(&t->ready) != round)
		;
	run_timed(t, 0);
	while (load_acquire(&t->done) != round)
		;
}

/* Whether the threads met each other for most of the time, and were not put aside. */
static bool
was_together(const struct task *t)
{
	uint64_t first = t->begin_ns[0] < t->begin_ns[1] ? t->begin_ns[0] : t->begin_ns[1];
	uint64_t last = t->end_ns[0] > t->end_ns[1] ? t->end_ns[0] : t->end_ns[1];
	uint64_t both = t->begin_ns[0] + t->begin_ns[1] - first;
	uint64_t until = t->end_ns[0] + t->end_ns[1] - last;

	return until > both && (until - both) * 10 >= (last - first) * 7;
}

static double
round_of(struct task *t, unsigned threads, bench_fn *run, void *context)
{
	t->run = run;
	t->context = context;
	for (unsigned tries = 0; tries < TRIES; tries++) {
		if (threads == 1) {
			run_timed(t, 0);
			return (double)(t->end_ns[0] - t->begin_ns[0]) / t->n;
		}
		run_both(t);
		if (was_together(t))
			break;
	}
	return (double)(t->end_ns[0] - t->begin_ns[0] + t->end_ns[1] - t->begin_ns[1]) / 2 / t->n;
}

struct bench_pair
bench_compare(unsigned threads, unsigned n, bench_fn *value, void *value_context, bench_fn *floor,
	      void *floor_context)
{
	static double values[BENCH_ROUNDS], floors[BENCH_ROUNDS];
	struct task task = {.n = n};
	pthread_t thread;

	bench_pin(0);
	if (threads > 1 && pthread_create(&thread, NULL, second, &task) != 0)
		abort();
	for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
		floors[i] = round_of(&task, threads, floor, floor_context);
		values[i] = round_of(&task, threads, value, value_context);
	}
	if (threads > 1) {
		task.run = NULL;
		add_relaxed(&task.asked, 1);
		pthread_join(thread, NULL);
	}
	return bench_pair_of(values, floors, BENCH_ROUNDS);
}

const char *
bench_built(const char *name)
{
	static char path[4096];
	const char *dir = getenv("CUTOUT_BUILDDIR");

	snprintf(path, sizeof(path), "%s/%s", dir != NULL ? dir : ".", name);
	if (access(path, R_OK) == 0)
		return path;
	fprintf(stderr, "there is no %s; CUTOUT_BUILDDIR is the build tree\n", path);
	exit(2);
}

void
bench_title(const char *title)
{
	printf("\n%-46s %10s %10s %8s %8s\n", title, "ns", "floor", "ratio", "target");
}

void
bench_row(const char *what, struct bench_pair p, double target)
{
	printf("%-46s %10.1f %10.1f %8.3f ", what, p.value, p.floor, p.ratio);
	if (target > 0)
		printf("%8.3f  %s\n", target, p.ratio <= target ? "ok" : "miss");
	else
		printf("%8s\n", "-");
	fflush(stdout);
}
