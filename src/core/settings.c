#include "core/settings.h"

#include <asm/errno.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

void
settings_default(struct settings *s)
{
	memset(s, 0, sizeof(*s));
	s->breaker = (struct breaker_config){
		.window_ns = 60 * SECOND_NS,
		.slot_ns = 6 * SECOND_NS,
		.latency_permille = 990,
		.failure_permille = 500,
		.consecutive = 5,
		.min_samples = 20,
		.cooldown_ns = 30 * SECOND_NS,
		.cooldown_max_ns = 300 * SECOND_NS,
		.cooldown_jitter_permille = 100,
		.probe_successes = 2,
		.probe_interval_ns = SECOND_NS,
		.lease_ns = 5 * SECOND_NS,
		.ramp_ns = 20 * SECOND_NS,
		.late_failure_extends = true,
	};
	s->mode = MODE_ENFORCE;
	s->probe = PROBE_TCP;
	s->probe_expect.count = 1;
	s->probe_expect.range[0].low = 200;
	s->probe_expect.range[0].high = 399;
	s->fail_status.count = 1;
	s->fail_status.range[0].low = 500;
	s->fail_status.range[0].high = 599;
	s->refuse_errno = ECONNREFUSED;
	s->answer = ANSWER_TEXT;
	s->answer_status = 424;
}

bool
status_in(const struct status_ranges *r, unsigned status)
{
	for (unsigned i = 0; i < r->count; i++)
		if (status >= r->range[i].low && status <= r->range[i].high)
			return true;
	return false;
}

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 29;
}

static uint64_t
mix_ranges(uint64_t hash, const struct status_ranges *r)
{
	for (uint8_t i = 0; i < r->count; i++)
		hash = mix(hash, (uint64_t)r->range[i].low << 16 | r->range[i].high);
	return mix(hash, r->count);
}

uint64_t
settings_hash(const struct settings *s)
{
	const struct breaker_config *c = &s->breaker;
	const uint64_t values[] = {
		c->window_ns,
		c->latency_ns,
		c->latency_permille,
		c->failure_permille,
		c->consecutive,
		c->min_samples,
		c->cooldown_ns,
		c->cooldown_max_ns,
		c->cooldown_jitter_permille,
		c->probe_successes,
		c->probe_interval_ns,
		c->lease_ns,
		c->ramp_ns,
		c->late_failure_extends,
		s->probe,
		s->mode,
	};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		hash = mix(hash, values[i]);
	for (uint32_t i = 0; i < s->probe_target.len; i++)
		hash = mix(hash, (uint8_t)s->probe_target.at[i]);
	hash = mix_ranges(mix_ranges(hash, &s->probe_expect), &s->fail_status);
	hash = (hash ^ hash >> 48) & ((UINT64_C(1) << 48) - 1);
	return hash != 0 ? hash : 1;
}
