#include "core/breaker.h"

#include "core/breaker_change.h"
#include "core/breaker_idle.h"

#define RAMP_MIN_SAMPLES 5

static bool
is_over(uint64_t word, uint64_t now_ns)
{
	return gate_until_ns(word) <= now_ns;
}

/* Trips when one of the rules says so; overdue calls stand as slow ones. */
static void
evaluate(const struct breaker_ref *r, uint64_t word, uint64_t now_ns, uint32_t overdue,
	 struct transitions *tr)
{
	const struct breaker_config *c = r->config;
	struct window_sum sum = breaker_window(r, now_ns);
	uint32_t consecutive = load_relaxed(&r->breaker->consecutive);
	uint32_t enough = c->min_samples;
	enum reason reason = REASON_NONE;

	sum.total += overdue;
	sum.slow += overdue;
	if (sum.failed > 0 || sum.slow > 0)
		store_relaxed(&r->breaker->bad_until_ns,
			      overdue > 0 ? UINT64_MAX : now_ns + WINDOW_RING * c->slot_ns);
	else if (load_relaxed(&r->breaker->bad_until_ns) == UINT64_MAX)
		store_relaxed(&r->breaker->bad_until_ns, 0);
	if (gate_state(word) == GATE_RAMP && enough > RAMP_MIN_SAMPLES)
		enough = RAMP_MIN_SAMPLES;
	if (c->consecutive > 0 && consecutive >= c->consecutive)
		reason = REASON_CONSECUTIVE;
	else if (sum.total == 0 || sum.total < enough)
		return;
	else if (c->failure_permille > 0 &&
		 (uint64_t)sum.failed * 1000 >= (uint64_t)c->failure_permille * sum.total)
		reason = REASON_FAILURE_RATE;
	else if (c->latency_ns > 0 && sum.slow >= 2 &&
		 (uint64_t)sum.slow * 1000 > (uint64_t)(1000 - c->latency_permille) * sum.total)
		reason = REASON_LATENCY;
	if (reason != REASON_NONE)
		change_to_open(r, word, now_ns, reason, sum, tr);
}

/* Notices overdue calls, each once, and returns how many there are. */
static uint32_t
sweep(const struct breaker_ref *r, uint64_t word, uint64_t now_ns)
{
	/*
	 * Zero first: a call that takes its mark during the sweep sets its own
	 * deadline then, and the earlier of both is kept below.
	 */
	store_relaxed(&r->breaker->overdue_at_ns, 0);

	struct inflight_sweep s = inflight_sweep(r->inflight, r->index, gate_generation(word),
						 r->config->latency_ns, now_ns);
	uint64_t none = 0;

	if (s.next_ns != UINT64_MAX && !cas_acq_rel(&r->breaker->overdue_at_ns, &none, s.next_ns) &&
	    none > s.next_ns)
		store_relaxed(&r->breaker->overdue_at_ns, s.next_ns);
	if (s.newly > 0)
		add_relaxed(&r->breaker->consecutive, s.newly);
	return s.overdue;
}

static bool
counts_calls(uint64_t word)
{
	return gate_state(word) == GATE_CLOSED || gate_state(word) == GATE_RAMP;
}

static bool
is_overdue_due(const struct breaker_ref *r, uint64_t now_ns)
{
	uint64_t at_ns = load_relaxed(&r->breaker->overdue_at_ns);

	return at_ns != 0 && now_ns >= at_ns;
}

void
breaker_tick(const struct breaker_ref *r, uint64_t now_ns, struct transitions *tr)
{
	/* A lease and a ramp can each run out once; the third round sees the rest. */
	for (unsigned round = 0; round < 3; round++) {
		uint64_t word = load_acquire(&r->breaker->gate);
		uint64_t until_ns = gate_until_ns(word);
		bool ramp_is_over = gate_state(word) == GATE_RAMP && is_over(word, now_ns);

		/* What is noticed after the ramp is judged by the rules that hold then. */
		if (counts_calls(word) && !ramp_is_over && is_overdue_due(r, now_ns)) {
			evaluate(r, word, now_ns, sweep(r, word, now_ns), tr);
			word = load_acquire(&r->breaker->gate);
		}
		if (gate_state(word) == GATE_PROBING && is_over(word, now_ns))
			change_to_open(r, word, until_ns, REASON_LEASE_EXPIRED,
				       breaker_window(r, now_ns), tr);
		else if (gate_state(word) == GATE_RAMP && is_over(word, now_ns))
			change_to_closed(r, word, gate_generation(word), until_ns, REASON_RAMP_DONE,
					 tr);
		else
			return;
	}
}

static uint32_t
ramp_share(const struct breaker_config *c, uint64_t word, uint64_t now_ns)
{
	uint64_t left_ns = gate_until_ns(word) - now_ns;
	uint64_t passed_ns = left_ns < c->ramp_ns ? c->ramp_ns - left_ns : 0;

	/* Others who share the breaker may have a ramp where these rules have none. */
	if (c->ramp_ns < 1000)
		return CREDIT_ONE;
	/* Microseconds keep the product within 64 bits for any ramp. */
	return CREDIT_TENTH +
	       (uint32_t)((CREDIT_ONE - CREDIT_TENTH) * (passed_ns / 1000) / (c->ramp_ns / 1000));
}

static bool
credit_covers(uint32_t credit, uint32_t share)
{
	return credit % CREDIT_ONE + share >= CREDIT_ONE;
}

/* A call that may become overdue, or whose process may be killed. */
static inline bool
needs_mark(const struct breaker_ref *r)
{
	return (r->config->latency_ns | r->pid | r->marks_all) != 0;
}

static void
take_mark(const struct breaker_ref *r, uint64_t now_ns, uint32_t hint, struct ticket *t)
{
	uint64_t due_ns = now_ns + r->config->latency_ns;
	uint64_t at_ns = 0;

	t->mark = inflight_take(r->inflight, r->index, t->generation, r->pid, now_ns, hint);
	if (r->config->latency_ns > 0 && load_relaxed(&r->breaker->overdue_at_ns) == 0)
		cas_acq_rel(&r->breaker->overdue_at_ns, &at_ns, due_ns);
}

static bool
probe_is_due(uint64_t word, uint64_t now_ns)
{
	return (gate_state(word) == GATE_OPEN || gate_state(word) == GATE_WAIT) &&
	       is_over(word, now_ns);
}

/* Out of line, so that the quick path saves no registers. */
__attribute__((noinline)) static bool
admit_slowly(const struct breaker_ref *r, uint64_t now_ns, uint32_t hint, struct ticket *t,
	     struct transitions *tr)
{
	breaker_tick(r, now_ns, tr);
	idle_not_before(r, now_ns);

	uint64_t word = load_acquire(&r->breaker->gate);
	uint32_t share;

	t->generation = gate_generation(word);
	switch (gate_state(word)) {
	case GATE_RAMP:
		share = ramp_share(r->config, word, now_ns);
		if (!credit_covers(add_relaxed(&r->breaker->ramp_credit, share), share))
			return false;
		break;
	case GATE_CLOSED:
	case GATE_HELD_CLOSED:
		break;
	default:
		return r->config->probe_is_call && probe_is_due(word, now_ns) &&
		       change_to_probing(r, word, now_ns, t, tr);
	}
	if (needs_mark(r))
		take_mark(r, now_ns, hint, t);
	return true;
}

void
breaker_watch(const struct breaker_ref *r, uint64_t now_ns, struct ticket *t)
{
	*t = (struct ticket){
		.start_ns = now_ns,
		.mark = {INFLIGHT_NONE, 0},
		.generation = gate_generation(load_acquire(&r->breaker->gate)),
	};
}

bool
breaker_admit(const struct breaker_ref *r, uint64_t now_ns, uint32_t hint, struct ticket *t,
	      struct transitions *tr)
{
	uint64_t word = load_acquire(&r->breaker->gate);

	*t = (struct ticket){
		.start_ns = now_ns,
		.mark = {INFLIGHT_NONE, 0},
		.generation = gate_generation(word),
	};
	if (__builtin_expect(gate_state(word) == GATE_CLOSED && !needs_mark(r), 1))
		return true;
	if (gate_state(word) == GATE_OPEN && !is_over(word, now_ns))
		return false;
	return admit_slowly(r, now_ns, hint, t, tr);
}

bool
breaker_would_admit(const struct breaker_ref *r, uint64_t now_ns, struct transitions *tr)
{
	breaker_tick(r, now_ns, tr);

	uint64_t word = load_acquire(&r->breaker->gate);

	switch (gate_state(word)) {
	case GATE_CLOSED:
	case GATE_HELD_CLOSED:
		return true;
	case GATE_RAMP:
		return credit_covers(load_relaxed(&r->breaker->ramp_credit),
				     ramp_share(r->config, word, now_ns));
	default:
		return r->config->probe_is_call && probe_is_due(word, now_ns);
	}
}

/* The verdict of the probe that holds the lease. */
static void
settle(const struct breaker_ref *r, uint64_t word, uint64_t now_ns, enum outcome outcome,
       struct transitions *tr)
{
	const struct breaker_config *c = r->config;
	uint64_t course = load_relaxed(&r->breaker->course);
	uint64_t next_ns = now_ns + (c->probe_is_call ? 0 : c->probe_interval_ns);
	bool enough = outcome == OUTCOME_OK && course_successes(course) + 1 >= c->probe_successes;

	if (outcome == OUTCOME_FAIL) {
		change_to_open(r, word, now_ns, REASON_PROBE_FAILED, breaker_window(r, now_ns), tr);
	} else if (!enough) {
		if (outcome == OUTCOME_OK)
			store_relaxed(&r->breaker->course, course_with_success(course));
		cas_acq_rel(&r->breaker->gate, &word,
			    gate_make(GATE_WAIT, gate_generation(word), next_ns));
	} else if (c->ramp_ns > 0) {
		change_to_ramp(r, word, now_ns, tr);
	} else {
		change_to_closed(r, word, gate_generation(word) + 1, now_ns, REASON_PROBE_OK, tr);
	}
}

static inline void
count_good(const struct breaker_ref *r, uint64_t now_ns)
{
	if (load_relaxed(&r->breaker->consecutive) != 0)
		store_relaxed(&r->breaker->consecutive, 0);
	if (window_add(&r->breaker->window, r->config->slot_ns, now_ns, false, false))
		idle_not_before(r, now_ns);
}

/* Puts a call into the window and the count of bad ones in a row. */
static void
count_call(const struct breaker_ref *r, uint64_t now_ns, bool failed, bool slow, bool overdue)
{
	if (!failed && !slow) {
		count_good(r, now_ns);
		return;
	}
	if (window_add(&r->breaker->window, r->config->slot_ns, now_ns, failed, slow))
		idle_not_before(r, now_ns);
	if (!overdue)
		add_relaxed(&r->breaker->consecutive, 1);
}

__attribute__((noinline)) static void
end_slowly(const struct breaker_ref *r, const struct ticket *t, uint64_t now_ns,
	   enum outcome outcome, bool slow, struct transitions *tr)
{
	/* The sweep goes first: what is overdue by now is so although it ended. */
	breaker_tick(r, now_ns, tr);

	bool overdue = inflight_give(r->inflight, t->mark) || t->was_overdue;
	uint64_t word = load_acquire(&r->breaker->gate);
	bool current = gate_generation(word) == t->generation;
	bool failed = outcome == OUTCOME_FAIL;

	if (gate_state(word) == GATE_OPEN) {
		if (failed && r->config->late_failure_extends)
			change_restart_cooldown(r, word, now_ns, tr);
	} else if (!current || (outcome == OUTCOME_NEUTRAL && !t->is_probe)) {
		return;
	} else if (t->is_probe) {
		if (outcome != OUTCOME_NEUTRAL)
			count_call(r, now_ns, failed, slow, overdue);
		if (gate_state(word) == GATE_PROBING)
			settle(r, word, now_ns, outcome, tr);
	} else if (counts_calls(word)) {
		count_call(r, now_ns, failed, slow, overdue);
		evaluate(r, word, now_ns, r->config->latency_ns > 0 ? sweep(r, word, now_ns) : 0,
			 tr);
	} else if (gate_state(word) == GATE_HELD_CLOSED) {
		count_call(r, now_ns, failed, slow, overdue);
	}
}

void
breaker_answered(const struct breaker_ref *r, struct ticket *t, uint64_t now_ns, bool is_good,
		 struct transitions *tr)
{
	uint64_t word;

	if (t->is_probe || is_overdue_due(r, now_ns))
		breaker_tick(r, now_ns, tr);
	t->was_overdue |= inflight_give(r->inflight, t->mark);
	t->mark.index = INFLIGHT_NONE;
	word = load_acquire(&r->breaker->gate);
	if (!t->is_probe || !is_good || gate_state(word) != GATE_PROBING ||
	    gate_generation(word) != t->generation)
		return;
	settle(r, word, now_ns, OUTCOME_OK, tr);
	t->is_probe = false;
	t->generation = GENERATION_NONE;
}

void
breaker_pause(const struct breaker_ref *r, struct ticket *t)
{
	if (t->mark.index == INFLIGHT_NONE)
		return;
	t->was_overdue |= inflight_give(r->inflight, t->mark);
	t->mark.index = INFLIGHT_NONE;
}

void
breaker_resume(const struct breaker_ref *r, struct ticket *t, uint64_t start_ns, uint32_t hint)
{
	t->start_ns = start_ns;
	if (needs_mark(r) && t->mark.index == INFLIGHT_NONE && !t->was_overdue && !t->is_probe)
		take_mark(r, start_ns, hint, t);
}

void
breaker_end(const struct breaker_ref *r, const struct ticket *t, uint64_t now_ns,
	    uint64_t latency_ns, enum outcome outcome, unsigned shard, struct transitions *tr)
{
	const struct breaker_config *c = r->config;
	bool slow = c->latency_ns > 0 && latency_ns > c->latency_ns;
	uint64_t word = load_acquire(&r->breaker->gate);
	bool quick = gate_state(word) == GATE_CLOSED && gate_generation(word) == t->generation &&
		     outcome == OUTCOME_OK && !slow &&
		     now_ns >= load_relaxed(&r->breaker->bad_until_ns) &&
		     !is_overdue_due(r, now_ns);

	if (__builtin_expect(quick, 1)) {
		/* Who has neither a mark nor a count may give way. */
		count_good(r, now_ns);
		if (t->mark.index != INFLIGHT_NONE)
			inflight_give(r->inflight, t->mark);
	} else {
		end_slowly(r, t, now_ns, outcome, slow, tr);
	}
	if (outcome != OUTCOME_NEUTRAL)
		report_call(r->report, shard, c->window_ns, now_ns, latency_ns,
			    outcome == OUTCOME_FAIL);
}

bool
breaker_probe_begin(const struct breaker_ref *r, uint64_t now_ns, struct ticket *t,
		    struct transitions *tr)
{
	breaker_tick(r, now_ns, tr);

	uint64_t word = load_acquire(&r->breaker->gate);

	*t = (struct ticket){.start_ns = now_ns, .mark = {INFLIGHT_NONE, 0}};
	if (r->config->probe_is_call || !probe_is_due(word, now_ns) ||
	    !change_to_probing(r, word, now_ns, t, tr))
		return false;
	bump_lossy(&r->report->probes, 1);
	return true;
}

void
breaker_probe_end(const struct breaker_ref *r, const struct ticket *t, uint64_t now_ns,
		  enum outcome outcome, struct transitions *tr)
{
	breaker_tick(r, now_ns, tr);

	uint64_t word = load_acquire(&r->breaker->gate);

	if (gate_state(word) == GATE_PROBING && gate_generation(word) == t->generation)
		settle(r, word, now_ns, outcome, tr);
}
