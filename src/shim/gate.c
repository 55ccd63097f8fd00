#include "shim/gate.h"

#include <string.h>

#include "core/answer.h"
#include "core/text.h"
#include "probe/engine.h"
#include "shim/fallback.h"
#include "shim/gate_find.h"
#include "shim/gate_where.h"
#include "shim/guard.h"
#include "shim/names.h"
#include "shim/worker.h"
#include "state/state.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/raw.h"

static const struct ruleset *_Atomic rules_in_force;

/* This process, as those see it who share the state; 0: they do not. */
static uint32_t shared_pid;
_Static_assert(STATE_ADDRESSES == NAMES_ADDRESSES, "what a name has fits into where it fails");

/*
 * A prober makes a probe within a second of its time.  One that is later than that is
 * not made at all: then a worker is needed, and in the end a call.
 */
#define OVERLOOKED_NS UINT64_C(3000000000)
#define ABANDONED_NS UINT64_C(10000000000)

const struct ruleset *
gate_rules(void)
{
	return load_acquire(&rules_in_force);
}

void
gate_share(struct state *state, const char *path, bool with_pids)
{
	gate_places.shared = state;
	gate_places.path = path;
	shared_pid = with_pids ? (uint32_t)raw_getpid() : 0;
}

void
gate_start(struct ruleset *rules, const struct proxies *proxies)
{
	gate_places.proxies = proxies;
	worker_init(&gate_own, gate_places.shared, rules);
	store_release(&rules_in_force, rules);
}

void
gate_after_fork(void)
{
	if (shared_pid != 0)
		shared_pid = (uint32_t)raw_getpid();
	inflight_forget(&gate_own.inflight);
}

uint64_t
gate_now_ns(void)
{
	return log_wants(LOG_DEBUG) ? clock_precise_ns() : clock_coarse_ns();
}

struct state *
gate_state_of(const struct gate_target *t)
{
	return (t->breaker & GATE_IS_PRIVATE) != 0 ? &gate_own : gate_places.shared;
}

uint32_t
gate_index_of(const struct gate_target *t)
{
	return t->breaker & (STATE_BREAKERS - 1);
}

static inline struct breaker_ref
ref_of(const struct gate_target *t)
{
	struct breaker_ref r =
		state_ref(gate_state_of(t), gate_index_of(t), &t->section->settings.breaker);

	r.pid = shared_pid;
	r.marks_all = load_relaxed(&gate_places.is_crowded) != 0;
	return r;
}

bool
gate_is_there(const struct gate_target *t)
{
	return state_is(gate_state_of(t), gate_index_of(t), t->claim);
}

void
gate_name(const struct gate_target *t, char out[BREAKER_NAME_MAX + 1])
{
	if (!state_name(gate_state_of(t), gate_index_of(t), out) || !gate_is_there(t))
		out[0] = '\0';
}

struct breaker_name {
	char text[BREAKER_NAME_MAX + 1];
};

static struct breaker_name
name_of(const struct gate_target *t)
{
	struct breaker_name name;

	gate_name(t, name.text);
	return name;
}

/*
 * How long a shared breaker has waited for what is due: the prober may have other rules
 * than this program, and a worker lives no longer than its process.
 */
static uint64_t
overlooked_ns(const struct gate_target *t, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(t);
	uint64_t due_ns = breaker_due_ns(&r);

	return gate_state_of(t) != &gate_own && due_ns < now_ns ? now_ns - due_ns : 0;
}

static bool
has_prober(const struct gate_target *t, uint64_t now_ns)
{
	return gate_state_of(t) != &gate_own && state_has_prober(gate_places.shared, now_ns) &&
	       overlooked_ns(t, now_ns) < OVERLOOKED_NS;
}

static void
need_prober(const struct gate_target *t, uint64_t now_ns)
{
	if (engine_is_for(&t->section->settings) && !has_prober(t, now_ns))
		worker_need(now_ns);
}

static void
tell(const struct gate_target *t, const struct transitions *tr, uint64_t now_ns)
{
	if (tr->n > 0)
		engine_note(gate_state_of(t), gate_index_of(t), &t->section->settings, tr);
	for (unsigned i = 0; i < tr->n; i++) {
		log_transition(name_of(t).text, &tr->v[i]);
		if (tr->v[i].to == BREAKER_OPEN)
			need_prober(t, now_ns);
	}
}

bool
gate_would_admit(const struct gate_target *t, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(t);
	struct transitions tr = {.n = 0};
	bool admits = !gate_is_there(t) || breaker_would_admit(&r, now_ns, &tr);

	tell(t, &tr, now_ns);
	return admits || !gate_is_there(t) || t->section->settings.mode != MODE_ENFORCE;
}

void
gate_refused(const struct gate_target *t, const struct dest *d, const char *edge, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(t);
	struct breaker_snapshot look;
	char text[DEST_TEXT_MAX];

	if (!gate_is_there(t))
		return;
	bump_lossy(&r.report->refused, 1);
	if (!worker_is_at_work())
		need_prober(t, now_ns);
	if (!log_wants(LOG_INFO))
		return;
	breaker_look(&r, now_ns, &look);
	dest_print(d, text);
	log_refuse(name_of(t).text, edge, text, look.retry_in_ns);
}

/* Where nobody makes the probe that has long been due, a call finds out, as with probe = call. */
static bool
admit_for_want_of_probes(struct breaker_ref r, uint64_t now_ns, struct ticket *ticket,
			 struct transitions *tr)
{
	struct breaker_config by_calls = *r.config;

	by_calls.probe_is_call = true;
	r.config = &by_calls;
	return breaker_admit(&r, now_ns, guard_thread() * 4, ticket, tr);
}

/* While it was asked, the breaker gave way: the answer was another's. */
static void
give_back(const struct breaker_ref *r, const struct ticket *ticket, uint64_t now_ns,
	  struct transitions *tr)
{
	breaker_end(r, ticket, now_ns, 0, OUTCOME_NEUTRAL, 0, tr);
}

enum gate_answer
gate_ask(const struct gate_target *t, uint64_t now_ns, struct gate_call *out)
{
	struct breaker_ref r = ref_of(t);
	struct transitions tr = {.n = 0};

	if (!gate_is_there(t))
		return GATE_PASS;

	bool admitted = breaker_admit(&r, now_ns, guard_thread() * 4, &out->ticket, &tr) ||
			(overlooked_ns(t, now_ns) > ABANDONED_NS &&
			 admit_for_want_of_probes(r, now_ns, &out->ticket, &tr));

	out->target = *t;
	if (!gate_is_there(t)) {
		if (admitted)
			give_back(&r, &out->ticket, now_ns, &tr);
		return GATE_PASS;
	}
	tell(t, &tr, now_ns);
	if (admitted)
		return GATE_ADMIT;
	return t->section->settings.mode == MODE_ENFORCE ? GATE_REFUSE : GATE_PASS;
}

void
gate_watch(const struct gate_target *t, uint64_t now_ns, struct gate_call *out)
{
	struct breaker_ref r = ref_of(t);

	out->target = *t;
	breaker_watch(&r, now_ns, &out->ticket);
}

bool
gate_is_current(const struct gate_call *c)
{
	struct breaker_ref r = ref_of(&c->target);
	struct ticket now;

	breaker_watch(&r, 0, &now);
	return now.generation == c->ticket.generation && gate_is_there(&c->target);
}

void
gate_answered(struct gate_call *c, uint64_t now_ns, bool is_good)
{
	struct breaker_ref r = ref_of(&c->target);
	struct transitions tr = {.n = 0};

	if (!gate_is_there(&c->target))
		return;
	breaker_answered(&r, &c->ticket, now_ns, is_good, &tr);
	tell(&c->target, &tr, now_ns);
}

void
gate_pause(struct gate_call *c)
{
	struct breaker_ref r = ref_of(&c->target);

	breaker_pause(&r, &c->ticket);
}

void
gate_resume(struct gate_call *c, uint64_t start_ns)
{
	struct breaker_ref r = ref_of(&c->target);

	if (!gate_is_there(&c->target))
		return;
	breaker_resume(&r, &c->ticket, start_ns, guard_thread() * 4);
}

bool
gate_is_slow(const struct gate_call *c, uint64_t latency_ns)
{
	struct breaker_ref r = ref_of(&c->target);

	return r.config->latency_ns > 0 && latency_ns > r.config->latency_ns;
}

void
gate_prove(const struct gate_target *t)
{
	struct breaker_ref r = ref_of(t);

	if (load_relaxed(&r.report->answers) == 0 && gate_is_there(t))
		store_relaxed(&r.report->answers, 1);
}

bool
gate_is_proven(const struct gate_target *t)
{
	struct breaker_ref r = ref_of(t);

	return load_relaxed(&r.report->answers) != 0 && gate_is_there(t);
}

void
gate_done(const struct gate_call *c, const struct dest *d, const char *edge, uint64_t now_ns,
	  uint64_t latency_ns, enum outcome outcome, const char *detail)
{
	struct breaker_ref r = ref_of(&c->target);
	struct transitions tr = {.n = 0};
	uint64_t limit_ns = r.config->latency_ns;
	char text[DEST_TEXT_MAX];

	if (!gate_is_there(&c->target)) {
		gate_pause(&(struct gate_call){c->target, c->ticket});
		return;
	}
	breaker_end(&r, &c->ticket, now_ns, latency_ns, outcome, guard_thread(), &tr);
	if (log_wants(LOG_DEBUG)) {
		dest_print(d, text);
		log_call(&(struct log_call){
			.breaker = name_of(&c->target).text,
			.edge = edge,
			.dest = text,
			.outcome = outcome,
			.slow = limit_ns > 0 && latency_ns > limit_ns,
			.detail = detail,
			.latency_ns = latency_ns,
		});
	}
	if (outcome == OUTCOME_FAIL)
		gate_note_where(&c->target, d, strcmp(edge, "resolve") != 0);
	tell(&c->target, &tr, now_ns);
}

size_t
gate_message(const struct gate_target *t, uint64_t now_ns, char *out, size_t size)
{
	struct breaker_ref r = ref_of(t);
	struct breaker_snapshot look;
	struct span names[FALLBACKS_MAX];
	struct answer_fallbacks f = {fallback_refusing(t, now_ns, names), names};

	breaker_look(&r, now_ns, &look);
	return f.count > 0
		       ? answer_message_without(&f, &t->section->settings, name_of(t).text, &look,
						out, size)
		       : answer_message(&t->section->settings, name_of(t).text, &look, out, size);
}
