#include "shim/gate.h"

#include "core/answer.h"
#include "core/match.h"
#include "shim/guard.h"
#include "state/state.h"
#include "sys/clock.h"
#include "sys/log.h"

static const struct ruleset *_Atomic rules_in_force;
static const struct proxies *proxies_left_out;
static struct state process_state;

const struct ruleset *
gate_rules(void)
{
	return load_acquire(&rules_in_force);
}

void
gate_start(const struct ruleset *rules, const struct proxies *proxies)
{
	proxies_left_out = proxies;
	store_release(&rules_in_force, rules);
}

uint64_t
gate_now_ns(void)
{
	return log_wants(LOG_DEBUG) ? clock_precise_ns() : clock_coarse_ns();
}

bool
gate_find(const struct dest *d, struct gate_target *out)
{
	struct met met;
	uint32_t from = 0;

	return gate_find_next(d, &from, &met, out);
}

bool
gate_find_next(const struct dest *d, uint32_t *from, struct met *met, struct gate_target *out)
{
	const struct ruleset *rules = gate_rules();

	while (rules != NULL && match_next(rules, proxies_left_out, d, from, met)) {
		if (met->section->settings.mode == MODE_OFF)
			return false;
		out->section = met->section;
		out->breaker = state_breaker(&process_state, met->breaker);
		return out->breaker != STATE_FULL;
	}
	return false;
}

static struct breaker_ref
ref_of(const struct gate_target *t)
{
	return state_ref(&process_state, t->breaker, &t->section->settings.breaker);
}

static const char *
name_of(const struct gate_target *t)
{
	const char *name = state_name(&process_state, t->breaker);

	return name != NULL ? name : "?";
}

static void
tell(const struct gate_target *t, const struct transitions *tr)
{
	for (unsigned i = 0; i < tr->n; i++)
		log_transition(name_of(t), &tr->v[i]);
}

bool
gate_would_admit(const struct gate_target *t, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(t);
	struct transitions tr = {.n = 0};
	bool admits = breaker_would_admit(&r, now_ns, &tr);

	tell(t, &tr);
	return admits || t->section->settings.mode != MODE_ENFORCE;
}

void
gate_refused(const struct gate_target *t, const struct dest *d, const char *edge, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(t);
	struct breaker_snapshot look;
	char text[DEST_TEXT_MAX];

	bump_lossy(&r.report->refused, 1);
	if (!log_wants(LOG_INFO))
		return;
	breaker_look(&r, now_ns, &look);
	dest_print(d, text);
	log_refuse(name_of(t), edge, text, look.retry_in_ns);
}

enum gate_answer
gate_ask(const struct gate_target *t, uint64_t now_ns, struct gate_call *out)
{
	struct breaker_ref r = ref_of(t);
	struct transitions tr = {.n = 0};
	bool admitted = breaker_admit(&r, now_ns, guard_thread() * 4, &out->ticket, &tr);

	out->target = *t;
	tell(t, &tr);
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
	return now.generation == c->ticket.generation;
}

void
gate_answered(struct gate_call *c, uint64_t now_ns)
{
	struct breaker_ref r = ref_of(&c->target);
	struct transitions tr = {.n = 0};

	breaker_answered(&r, &c->ticket, now_ns, &tr);
	tell(&c->target, &tr);
}

void
gate_done(const struct gate_call *c, const struct dest *d, const char *edge, uint64_t now_ns,
	  uint64_t latency_ns, enum outcome outcome, const char *detail)
{
	struct breaker_ref r = ref_of(&c->target);
	struct transitions tr = {.n = 0};
	uint64_t limit_ns = r.config->latency_ns;
	char text[DEST_TEXT_MAX];

	breaker_end(&r, &c->ticket, now_ns, latency_ns, outcome, guard_thread(), &tr);
	if (log_wants(LOG_DEBUG)) {
		dest_print(d, text);
		log_call(&(struct log_call){
			.breaker = name_of(&c->target),
			.edge = edge,
			.dest = text,
			.outcome = outcome,
			.slow = limit_ns > 0 && latency_ns > limit_ns,
			.detail = detail,
			.latency_ns = latency_ns,
		});
	}
	tell(&c->target, &tr);
}

size_t
gate_message(const struct gate_target *t, uint64_t now_ns, char *out, size_t size)
{
	struct breaker_ref r = ref_of(t);
	struct breaker_snapshot look;

	breaker_look(&r, now_ns, &look);
	return answer_message(&t->section->settings, name_of(t), &look, out, size);
}
