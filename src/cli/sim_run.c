#include "cli/sim_run.h"

#include <err.h>
#include <stdlib.h>

#include "core/health.h"

/* A call that the script knows by its id. */
struct call {
	struct sim_breaker *breaker;
	struct ticket ticket;
	enum sim_answer answer;
	bool is_out; /* it has not ended */
};

struct run {
	struct sim_world *world;
	const struct sim_script *script;
	struct call *calls;
	sim_error_fn *on_error;
	void *context;
	bool failed;
};

static uint64_t
breaker_value(const struct sim_world *w, const struct sim_breaker *b, enum sim_field field)
{
	struct breaker_snapshot look;
	struct report_summary report;

	breaker_look(&b->ref, w->now_ns, &look);
	report_summarize(&b->report, &report);

	const uint64_t values[] = {
		[SIM_STATE] = look.state,
		[SIM_REASON] = look.reason,
		[SIM_CLASS] = health_class(report.score, look.state == BREAKER_OPEN),
		[SIM_SCORE] = report.score,
		[SIM_TOTAL] = look.total,
		[SIM_FAILED] = look.failed,
		[SIM_SLOW] = look.slow,
		[SIM_CONSECUTIVE] = look.consecutive,
		[SIM_ADMITTED] = b->admitted,
		[SIM_REFUSED] = b->refused,
		[SIM_PROBES] = b->probes,
		[SIM_COOLDOWN_MS] = look.cooldown_ms,
		[SIM_GENERATION] = look.generation,
	};

	return values[field];
}

static void
run_expect(struct run *r, const struct sim_statement *s)
{
	char wanted[SIM_ERROR_MAX], found[SIM_ERROR_MAX], line[2 * SIM_ERROR_MAX];
	struct text want = text_over(wanted, sizeof(wanted));
	struct text got = text_over(found, sizeof(found));
	struct text t = text_over(line, sizeof(line));

	for (uint32_t i = 0; i < s->term_count; i++) {
		struct sim_term term = r->script->terms[s->first_term + i];
		struct sim_term real = term;

		real.value = s->breaker ? breaker_value(r->world, s->breaker, term.field)
					: r->calls[s->call].answer != SIM_REFUSE;
		if (real.value == term.value)
			continue;
		text_string(&want, " ");
		sim_term_print(&want, term);
		text_string(&got, " ");
		sim_term_print(&got, real);
	}
	if (want.len == 0)
		return;
	r->failed = true;
	if (s->breaker)
		text_format(&t, "expected %s%s got%s", s->breaker->name, wanted, found);
	else
		text_format(&t, "expected %.*s%s got%s", (int)s->id.len, s->id.at, wanted, found);
	r->on_error(r->context, s->line, line);
}

/* One call of a burst or a train; the calls that end as *last does go with it. */
static void
run_numbered(struct run *r, const struct sim_statement *s, uint64_t number, struct sim_event *last)
{
	struct sim_world *w = r->world;
	struct sim_event end = {
		.at_ns = w->now_ns + s->length_ns,
		.kind = SIM_CALLS_END,
		.breaker = s->breaker,
		.outcome = sim_outcome(s->ending),
		.count = 1,
	};
	char label[48];
	struct text t = text_over(label, sizeof(label));

	text_number(&t, number);
	text_string(&t, "/");
	text_number(&t, s->count);
	if (sim_world_ask(w, s->breaker, (struct span){label, (uint32_t)t.len}, &end.ticket) !=
		    SIM_ADMIT ||
	    s->length_ns == UINT64_MAX)
		return;
	if (s->length_ns == 0) {
		sim_world_call_end(w, s->breaker, &end.ticket, end.outcome);
	} else if (last->count > 0 && end.ticket.mark.index == INFLIGHT_NONE &&
		   last->ticket.mark.index == INFLIGHT_NONE && !end.ticket.is_probe &&
		   !last->ticket.is_probe && end.ticket.generation == last->ticket.generation) {
		last->count++;
	} else {
		if (last->count > 0)
			sim_queue_put(&w->queue, last);
		*last = end;
	}
}

static void
run_burst(struct run *r, const struct sim_statement *s)
{
	struct sim_event last = {.count = 0};

	for (uint64_t i = 1; i <= s->count; i++)
		run_numbered(r, s, i, &last);
	if (last.count > 0)
		sim_queue_put(&r->world->queue, &last);
}

/* Call number of an every statement, which puts the next one into the queue. */
static void
run_train(struct run *r, const struct sim_statement *s, uint64_t number)
{
	struct sim_event last = {.count = 0};

	run_numbered(r, s, number, &last);
	if (last.count > 0)
		sim_queue_put(&r->world->queue, &last);
	if (number < s->count)
		sim_queue_put(&r->world->queue, &(struct sim_event){
							.at_ns = r->world->now_ns + s->apart_ns,
							.kind = SIM_CALL_NEXT,
							.statement = s,
							.count = number + 1,
						});
}

static bool
run_call(struct run *r, const struct sim_statement *s)
{
	struct call *call = &r->calls[s->call];

	if (call->is_out) {
		char line[SIM_ERROR_MAX];
		struct text t = text_over(line, sizeof(line));

		text_format(&t, "call '%.*s' has not ended yet", (int)s->id.len, s->id.at);
		r->on_error(r->context, s->line, line);
		return false;
	}
	call->breaker = s->breaker;
	call->answer = sim_world_ask(r->world, s->breaker, s->id, &call->ticket);
	call->is_out = call->answer != SIM_REFUSE;
	return true;
}

static void
run_end(struct run *r, const struct sim_statement *s)
{
	struct call *call = &r->calls[s->call];

	/* Whoever was refused has nothing to end. */
	if (call->is_out && call->answer == SIM_ADMIT)
		sim_world_call_end(r->world, call->breaker, &call->ticket, sim_outcome(s->ending));
	call->is_out = false;
}

static bool
run_statement(struct run *r, const struct sim_statement *s)
{
	switch (s->verb) {
	case SIM_CALL:
		return run_call(r, s);
	case SIM_END:
		run_end(r, s);
		break;
	case SIM_BURST:
		run_burst(r, s);
		break;
	case SIM_EVERY:
		run_train(r, s, 1);
		break;
	case SIM_PROBE:
		s->breaker->probe_ending = s->ending;
		s->breaker->probe_length_ns = s->length_ns;
		break;
	case SIM_FORCE:
		sim_world_force(r->world, s->breaker, s->force);
		break;
	case SIM_MARK:
		s->breaker->admitted = s->breaker->refused = s->breaker->probes = 0;
		break;
	case SIM_EXPECT:
		run_expect(r, s);
		break;
	}
	return true;
}

enum sim_result
sim_run(struct sim_world *w, const struct sim_script *script, sim_error_fn *on_error, void *context)
{
	struct run r = {
		.world = w,
		.script = script,
		.calls = calloc(script->call_count + 1, sizeof(struct call)),
		.on_error = on_error,
		.context = context,
	};
	bool goes_on = true;

	if (!r.calls)
		err(2, NULL);
	for (uint32_t i = 0; i < script->statement_count && goes_on; i++) {
		const struct sim_statement *s = &script->statements[i];
		struct sim_event e;

		while (sim_world_next(w, s->at_ns, &e))
			run_train(&r, e.statement, e.count);
		goes_on = run_statement(&r, s);
	}
	free(r.calls);
	return !goes_on ? SIM_BROKEN : r.failed ? SIM_NOT_HELD : SIM_ALL_HELD;
}
