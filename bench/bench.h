/*
 * Two pieces of code measured in turns, so that what else the machine does hits both,
 * and the row that tells how they compare.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

/* Does the thing n times; thread is 0 or 1. */
typedef void bench_fn(void *context, unsigned thread, unsigned n);

struct bench_pair {
	double value, floor; /* medians of the rounds, nanoseconds each time */
	double ratio;	     /* median of the rounds' ratios */
};

#define BENCH_ROUNDS 51

uint64_t bench_now_ns(void);

/* Keeps this thread on one processor, where there is more than one. */
void bench_pin(unsigned processor);

/* Runs both in turns in 1 or 2 threads at once, n times a round. */
struct bench_pair bench_compare(unsigned threads, unsigned n, bench_fn *value, void *value_context,
				bench_fn *floor, void *floor_context);

/* From the same number of samples of each, taken in turns. */
struct bench_pair bench_pair_of(double *values, double *floors, unsigned count);

double bench_median(double *samples, unsigned count);

/* A file of the build tree, which CUTOUT_BUILDDIR names; ends the program where it is not. */
const char *bench_built(const char *name);

void bench_title(const char *title);

/* The target is a ratio; 0: there is none. */
void bench_row(const char *what, struct bench_pair p, double target);

#endif
