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
