#include "core/breaker_gate.h"

uint64_t
breaker_due_ns(const struct breaker_ref *r)
{
	uint64_t word = load_acquire(&r->breaker->gate);
	uint64_t overdue_ns = load_relaxed(&r->breaker->overdue_at_ns);
	uint64_t until_ns = gate_until_ns(word);

	if (overdue_ns == 0)
		overdue_ns = UINT64_MAX;
	switch (gate_state(word)) {
	case GATE_CLOSED:
		return overdue_ns;
	case GATE_RAMP:
		return until_ns < overdue_ns ? until_ns : overdue_ns;
	case GATE_PROBING:
		return until_ns;
	case GATE_OPEN:
	case GATE_WAIT:
		return r->config->probe_is_call ? UINT64_MAX : until_ns;
	default:
		return UINT64_MAX;
	}
}

void
breaker_look(const struct breaker_ref *r, uint64_t now_ns, struct breaker_snapshot *out)
{
	uint64_t word = load_acquire(&r->breaker->gate);
	uint64_t course = load_relaxed(&r->breaker->course);
	uint64_t until_ns = gate_until_ns(word);
	struct window_sum sum = window_sum(&r->breaker->window, r->config->slot_ns, now_ns);

	*out = (struct breaker_snapshot){
		.state = gate_public(word),
		.reason = course_reason(course),
		.held = gate_state(word) >= GATE_HELD_OPEN,
		.recovering = gate_public(word) == BREAKER_HALF_OPEN,
		.generation = gate_generation(word),
		.total = sum.total,
		.failed = sum.failed,
		.slow = sum.slow,
		.consecutive = load_relaxed(&r->breaker->consecutive),
		.cooldown_ms = course_cooldown_ns(r->config, course) / 1000000,
	};
	if (gate_state(word) != GATE_CLOSED && !out->held) {
		out->trip_failed = course_failed(course);
		out->trip_total = course_total(course);
	}
	if (out->state != BREAKER_CLOSED && until_ns != UINT64_MAX && until_ns > now_ns)
		out->retry_in_ns = until_ns - now_ns;
}

const char *
breaker_state_name(enum breaker_state s)
{
	static const char *const names[] = {"closed", "open", "half-open"};

	return names[s];
}

const char *
breaker_reason_name(enum reason r)
{
	static const char *const names[] = {
		"none",		"consecutive",	 "failure-rate", "latency",   "probe-ok",
		"probe-failed", "lease-expired", "late-failure", "ramp-done", "manual",
	};

	/* The number may come from memory that others write. */
	return (unsigned)r < sizeof(names) / sizeof(names[0]) ? names[r] : names[REASON_NONE];
}
