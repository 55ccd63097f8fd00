/*
 * What is kept of a breaker's calls for people: counts since the start, mean and
 * maximum latency, and a histogram from which the log's percentiles come.
 *
 * Nothing here decides anything.  Threads write into one of a few shards without
 * atomic additions, so that a report costs a call next to nothing; two threads in
 * one shard at the same instant may lose one count.  The histogram has two banks
 * that take turns each window, so it tells of the last one to two windows.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/atomics.h"

#define REPORT_SHARDS 4
#define REPORT_BUCKETS 104 /* four to the octave, from 64 us to over an hour */

struct report_shard {
	atomic_u64 total;
	atomic_u64 failed;
	atomic_u64 sum_us; /* saturates */
	atomic_u64 max_us;
	atomic_u64 epoch; /* number of the window that the newer bank counts */
	atomic_u32 banks[2][REPORT_BUCKETS];
} __attribute__((aligned(64)));

struct report {
	atomic_u32 ewma_missing; /* one million less the moving average, so that zero is new */
	atomic_u32 probes;
	atomic_u32 answers;    /* not 0: a question was seen to be answered */
	atomic_u32 other_port; /* at which something else than HTTP/1 was spoken last */
	atomic_u64 refused;
	struct report_shard shards[REPORT_SHARDS];
};

struct report_summary {
	uint64_t total;
	uint64_t failed;
	uint64_t refused;
	uint64_t mean_ms;
	uint64_t max_ms;
	uint32_t probes;
	uint32_t score; /* millionths, see health.h */
};

/* Adds one call that ended at now_ns; shard is any number, best the thread's own. */
void report_call(struct report *r, unsigned shard, uint64_t window_ns, uint64_t now_ns,
		 uint64_t latency_ns, bool failed);

/* Forgets all. */
void report_renew(struct report *r);

void report_summarize(const struct report *r, struct report_summary *out);

/* Nearest-rank percentile of the recent calls in milliseconds, rounded; 0 without calls. */
uint64_t report_percentile_ms(const struct report *r, unsigned permille);

#endif
