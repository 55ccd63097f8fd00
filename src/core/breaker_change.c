#include "core/breaker_change.h"

#define SERIES_MAX 30

uint64_t
course_cooldown_ns(const struct breaker_config *c, uint64_t course)
{
	uint64_t wait_ns = c->cooldown_ns;

	for (uint64_t place = course & 0xff; place > 0 && wait_ns < c->cooldown_max_ns; place--)
		wait_ns *= 2;
	return wait_ns < c->cooldown_max_ns ? wait_ns : c->cooldown_max_ns;
}

/* Of more calls than there is room for, the share alone is kept. */
static uint64_t
course_of_calls(struct window_sum sum)
{
	while (sum.total > COURSE_CALLS_MAX || sum.failed > COURSE_CALLS_MAX) {
		sum.total /= 2;
		sum.failed /= 2;
	}
	return (uint64_t)sum.total << 44 | (uint64_t)sum.failed << 24;
}

static uint64_t
course_after_trip(uint64_t course, bool was_closed, uint64_t at_ns, enum reason reason,
		  struct window_sum sum)
{
	uint64_t place = course & 0xff;
	uint64_t series_ticks = course_series_ticks(course);

	if (was_closed && at_ns / TICK_NS >= series_ticks)
		place = 0;
	else if (place < SERIES_MAX)
		place++;
	return place | (uint64_t)reason << 8 | course_of_calls(sum);
}

static uint64_t
course_after_close(const struct breaker_config *c, uint64_t course, uint64_t at_ns,
		   enum reason reason)
{
	/* Rounded up, so that the end of the two windows itself still goes on. */
	uint64_t ticks = (at_ns + 2 * c->window_ns) / TICK_NS;

	return (course & 0xff) | (uint64_t)reason << 8 | ((ticks >> SERIES_TICKS_SHIFT) + 1) << 24;
}

static uint64_t
with_jitter(const struct breaker_config *c, uint64_t wait_ns, uint64_t seed)
{
	/* The finalizer of splitmix64: neighbours in time land far apart. */
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	seed ^= seed >> 31;
	return wait_ns + wait_ns / 1000 * (seed % (c->cooldown_jitter_permille + 1));
}

/* Tells the caller of a change that has been made. */
static void
tell(const struct breaker_ref *r, uint64_t from, uint64_t to, enum reason reason,
     struct window_sum sum, struct transitions *tr)
{
	if (tr->n == TRANSITIONS_MAX)
		return;
	tr->v[tr->n++] = (struct transition){
		.from = gate_public(from),
		.to = gate_public(to),
		.reason = reason,
		.total = sum.total,
		.failed = sum.failed,
		.slow = sum.slow,
		.p50_ms = report_percentile_ms(r->report, 500),
		.p99_ms = report_percentile_ms(r->report, 990),
		.cooldown_ms =
			course_cooldown_ns(r->config, load_relaxed(&r->breaker->course)) / 1000000,
	};
}

struct window_sum
breaker_window(const struct breaker_ref *r, uint64_t now_ns)
{
	return window_sum(&r->breaker->window, r->config->slot_ns, now_ns);
}

/* What the breaker forgets when a ramp begins and at each close. */
static void
forget_calls(const struct breaker_ref *r)
{
	struct breaker *b = r->breaker;

	window_clear(&b->window);
	store_relaxed(&b->consecutive, 0);
	store_relaxed(&b->bad_until_ns, 0);
	/* Calls of a ramp that are overdue stay so when it is closed: look at once. */
	if (r->config->latency_ns > 0)
		store_relaxed(&b->overdue_at_ns, 1);
}

void
change_to_open(const struct breaker_ref *r, uint64_t word, uint64_t from_ns, enum reason reason,
	       struct window_sum sum, struct transitions *tr)
{
	bool starts = gate_public(word) == BREAKER_CLOSED || gate_state(word) == GATE_HELD_OPEN;
	uint64_t course =
		course_after_trip(load_relaxed(&r->breaker->course), starts, from_ns, reason, sum);
	uint64_t wait_ns = course_cooldown_ns(r->config, course);
	uint64_t open = gate_make(GATE_OPEN, gate_generation(word) + 1,
				  from_ns + with_jitter(r->config, wait_ns, from_ns));

	if (!cas_acq_rel(&r->breaker->gate, &word, open))
		return;
	store_relaxed(&r->breaker->course, course);
	tell(r, word, open, reason, sum, tr);
}

/*
 * The calls are forgotten before the state changes: nobody may judge the new state
 * by the old calls.  A lost race costs counts of a state that no longer uses them.
 */
void
change_to_closed(const struct breaker_ref *r, uint64_t word, uint32_t generation, uint64_t at_ns,
		 enum reason reason, struct transitions *tr)
{
	struct window_sum sum = breaker_window(r, at_ns);
	uint64_t closed = gate_make(GATE_CLOSED, generation, 0);

	forget_calls(r);
	if (!cas_acq_rel(&r->breaker->gate, &word, closed))
		return;
	store_relaxed(
		&r->breaker->course,
		course_after_close(r->config, load_relaxed(&r->breaker->course), at_ns, reason));
	tell(r, word, closed, reason, sum, tr);
}

void
change_to_ramp(const struct breaker_ref *r, uint64_t word, uint64_t now_ns, struct transitions *tr)
{
	struct window_sum sum = breaker_window(r, now_ns);
	uint64_t ramp =
		gate_make(GATE_RAMP, gate_generation(word) + 1, now_ns + r->config->ramp_ns);

	forget_calls(r);
	/* So that the first call is admitted, and the next ones evenly after it. */
	store_relaxed(&r->breaker->ramp_credit, CREDIT_ONE - CREDIT_TENTH);
	if (!cas_acq_rel(&r->breaker->gate, &word, ramp))
		return;
	store_relaxed(&r->breaker->course,
		      course_with_reason(load_relaxed(&r->breaker->course), REASON_PROBE_OK));
	tell(r, word, ramp, REASON_PROBE_OK, sum, tr);
}

bool
change_to_probing(const struct breaker_ref *r, uint64_t word, uint64_t now_ns, struct ticket *t,
		  struct transitions *tr)
{
	bool opens = gate_state(word) == GATE_OPEN;
	uint32_t generation = gate_generation(word) + opens;
	uint64_t lease_ns = r->config->lease_ns;
	uint64_t probing =
		gate_make(GATE_PROBING, generation, lease_ns > 0 ? now_ns + lease_ns : UINT64_MAX);

	if (!cas_acq_rel(&r->breaker->gate, &word, probing))
		return false;
	t->generation = generation;
	t->is_probe = true;
	if (opens) {
		store_relaxed(&r->breaker->course,
			      course_without_successes(load_relaxed(&r->breaker->course)));
		tell(r, word, probing, course_reason(load_relaxed(&r->breaker->course)),
		     breaker_window(r, now_ns), tr);
	}
	return true;
}

void
change_restart_cooldown(const struct breaker_ref *r, uint64_t word, uint64_t now_ns,
			struct transitions *tr)
{
	uint64_t course = load_relaxed(&r->breaker->course);
	uint64_t wait_ns = with_jitter(r->config, course_cooldown_ns(r->config, course), now_ns);
	uint64_t open = gate_make(GATE_OPEN, gate_generation(word), now_ns + wait_ns);

	if (open <= word || !cas_acq_rel(&r->breaker->gate, &word, open))
		return;
	store_relaxed(&r->breaker->course, course_with_reason(course, REASON_LATE_FAILURE));
	tell(r, word, open, REASON_LATE_FAILURE, breaker_window(r, now_ns), tr);
}

void
change_to_held(const struct breaker_ref *r, uint64_t word, enum gate_state state, uint64_t now_ns,
	       struct transitions *tr)
{
	uint64_t held = gate_make(state, gate_generation(word) + 1, 0);

	uint64_t course = load_relaxed(&r->breaker->course);

	if (gate_state(word) == state || !cas_acq_rel(&r->breaker->gate, &word, held))
		return;
	/* What a trip judged is no tick until which the series goes on. */
	if (gate_state(word) != GATE_CLOSED && gate_state(word) < GATE_HELD_OPEN)
		course &= 0xffffff;
	store_relaxed(&r->breaker->course, course_with_reason(course, REASON_MANUAL));
	tell(r, word, held, REASON_MANUAL, breaker_window(r, now_ns), tr);
}

void
breaker_force(const struct breaker_ref *r, enum force force, uint64_t now_ns,
	      struct transitions *tr)
{
	breaker_tick(r, now_ns, tr);

	uint64_t word = load_acquire(&r->breaker->gate);

	if (force == FORCE_OPEN)
		change_to_held(r, word, GATE_HELD_OPEN, now_ns, tr);
	else if (force == FORCE_CLOSED)
		change_to_held(r, word, GATE_HELD_CLOSED, now_ns, tr);
	else if (gate_state(word) == GATE_HELD_OPEN)
		change_to_open(r, word, now_ns, REASON_MANUAL, breaker_window(r, now_ns), tr);
	else if (gate_state(word) == GATE_HELD_CLOSED)
		change_to_closed(r, word, gate_generation(word) + 1, now_ns, REASON_MANUAL, tr);
}
