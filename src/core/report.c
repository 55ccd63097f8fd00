#include "core/report.h"

#include "core/health.h"

#define SMALLEST_LOG2_US 6

/* Bucket b holds latencies from bucket_low_us(b) up to, not including, that of b + 1. */
static unsigned
bucket_of(uint64_t us)
{
	if (us < UINT64_C(1) << SMALLEST_LOG2_US)
		return 0;
	unsigned log2 = 63 - (unsigned)__builtin_clzll(us);
	unsigned b = (log2 - SMALLEST_LOG2_US) * 4 + (unsigned)(us >> (log2 - 2) & 3);

	return b < REPORT_BUCKETS ? b : REPORT_BUCKETS - 1;
}

static uint64_t
bucket_low_us(unsigned b)
{
	return (uint64_t)(4 + b % 4) << (b / 4 + SMALLEST_LOG2_US - 2);
}

static void
shard_turn(struct report_shard *s, uint64_t epoch)
{
	uint64_t last = load_relaxed(&s->epoch);

	store_relaxed(&s->epoch, epoch);
	for (unsigned b = 0; b < REPORT_BUCKETS; b++) {
		store_relaxed(&s->banks[epoch % 2][b], 0);
		if (epoch - last > 1)
			store_relaxed(&s->banks[(epoch + 1) % 2][b], 0);
	}
}

/*
 * After a failure it comes to rest a little below one million, for ever: what does not
 * move is not written, or all threads would take the line from each other.
 */
static void
ewma_move(struct report *r, uint32_t missing, bool failed)
{
	uint32_t next = HEALTH_ONE - health_ewma(HEALTH_ONE - missing, !failed);

	if (next != missing)
		store_relaxed(&r->ewma_missing, next);
}

void
report_call(struct report *r, unsigned shard, uint64_t window_ns, uint64_t now_ns,
	    uint64_t latency_ns, bool failed)
{
	struct report_shard *s = &r->shards[shard % REPORT_SHARDS];
	uint64_t us = latency_ns / 1000;
	uint64_t epoch = load_relaxed(&s->epoch);
	uint64_t sum = load_relaxed(&s->sum_us);
	uint32_t missing = load_relaxed(&r->ewma_missing);

	if (now_ns >= (epoch + 1) * window_ns) {
		epoch = now_ns / window_ns;
		shard_turn(s, epoch);
	}
	bump_lossy(&s->total, 1);
	bump_lossy(&s->banks[epoch % 2][bucket_of(us)], 1);
	store_relaxed(&s->sum_us, us > UINT64_MAX - sum ? UINT64_MAX : sum + us);
	if (us > load_relaxed(&s->max_us))
		store_relaxed(&s->max_us, us);
	if (failed)
		bump_lossy(&s->failed, 1);
	if (failed || missing > 0)
		ewma_move(r, missing, failed);
}

static void
shard_renew(struct report_shard *s)
{
	for (unsigned b = 0; b < REPORT_BUCKETS; b++) {
		store_relaxed(&s->banks[0][b], 0);
		store_relaxed(&s->banks[1][b], 0);
	}
	store_relaxed(&s->total, 0);
	store_relaxed(&s->failed, 0);
	store_relaxed(&s->sum_us, 0);
	store_relaxed(&s->max_us, 0);
	store_relaxed(&s->epoch, 0);
}

void
report_renew(struct report *r)
{
	for (unsigned i = 0; i < REPORT_SHARDS; i++)
		shard_renew(&r->shards[i]);
	store_relaxed(&r->ewma_missing, 0);
	store_relaxed(&r->probes, 0);
	store_relaxed(&r->answers, 0);
	store_relaxed(&r->other_port, 0);
	store_relaxed(&r->refused, 0);
}

void
report_summarize(const struct report *r, struct report_summary *out)
{
	uint64_t sum_us = 0, max_us = 0;

	*out = (struct report_summary){.refused = load_relaxed(&r->refused),
				       .probes = load_relaxed(&r->probes)};
	for (unsigned i = 0; i < REPORT_SHARDS; i++) {
		const struct report_shard *s = &r->shards[i];
		uint64_t us = load_relaxed(&s->sum_us), max = load_relaxed(&s->max_us);

		out->total += load_relaxed(&s->total);
		out->failed += load_relaxed(&s->failed);
		sum_us = us > UINT64_MAX - sum_us ? UINT64_MAX : sum_us + us;
		max_us = max > max_us ? max : max_us;
	}
	if (out->failed > out->total)
		out->failed = out->total;
	out->mean_ms = out->total > 0 ? sum_us / out->total / 1000 : 0;
	out->max_ms = max_us / 1000;

	uint32_t missing = load_relaxed(&r->ewma_missing);
	uint32_t ewma = missing < HEALTH_ONE ? HEALTH_ONE - missing : 0;

	out->score = health_score(health_rate(out->total - out->failed, out->total), ewma);
}

uint64_t
report_percentile_ms(const struct report *r, unsigned permille)
{
	uint64_t counts[REPORT_BUCKETS], total = 0, seen = 0;

	for (unsigned b = 0; b < REPORT_BUCKETS; b++) {
		counts[b] = 0;
		for (unsigned i = 0; i < REPORT_SHARDS; i++)
			counts[b] += load_relaxed(&r->shards[i].banks[0][b]) +
				     load_relaxed(&r->shards[i].banks[1][b]);
		total += counts[b];
	}
	if (total == 0)
		return 0;
	uint64_t rank = (total * permille + 999) / 1000;

	for (unsigned b = 0; b < REPORT_BUCKETS; b++) {
		seen += counts[b];
		if (seen >= rank) /* the middle of the bucket */
			return ((bucket_low_us(b) + bucket_low_us(b + 1)) / 2 + 500) / 1000;
	}
	return 0;
}
