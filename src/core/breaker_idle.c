#include "core/breaker_idle.h"

#define TRIES 8

uint64_t
breaker_idle_since_ns(const struct breaker *b, uint64_t now_ns)
{
	uint64_t word = load_acquire(&b->gate);
	uint64_t series_ns = course_series_ticks(load_relaxed(&b->course)) * TICK_NS;
	uint64_t since_ns = load_relaxed(&b->busy_until_ns);

	if (series_ns > since_ns)
		since_ns = series_ns;
	return gate_state(word) == GATE_CLOSED && since_ns <= now_ns ? since_ns : UINT64_MAX;
}

bool
breaker_renew(struct breaker *b, struct report *report, uint64_t now_ns)
{
	uint64_t word = load_acquire(&b->gate);

	for (unsigned tries = 0;; tries++) {
		if (tries == TRIES)
			return false;
		if (cas_acq_rel(&b->gate, &word,
				gate_make(GATE_CLOSED, gate_generation(word) + 1, 0)))
			break;
	}
	store_relaxed(&b->course, 0);
	store_relaxed(&b->consecutive, 0);
	store_relaxed(&b->ramp_credit, 0);
	store_relaxed(&b->overdue_at_ns, 0);
	store_relaxed(&b->bad_until_ns, 0);
	store_relaxed(&b->busy_until_ns, now_ns);
	window_renew(&b->window);
	report_renew(report);
	return true;
}
