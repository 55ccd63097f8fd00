#include "cli/sim_world.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sim_name.h"

#define BREAKERS_MAX 4096 /* that the table of calls in flight tells apart */
#define NS_PER_MS UINT64_C(1000000)

static struct inflight inflight;

static const char *const outcome_words[] = {"ok", "fail", "neutral"};

void
sim_world_start(struct sim_world *w, const struct ruleset *rules, FILE *out)
{
	*w = (struct sim_world){.rules = rules, .out = out};
	memset(&inflight, 0, sizeof(inflight));
}

void
sim_world_end(struct sim_world *w)
{
	struct sim_breaker *b, *next;

	HASH_ITER(hh, w->breakers, b, next)
	{
		HASH_DEL(w->breakers, b);
		free(b);
	}
	sim_queue_free(&w->queue);
}

static struct sim_breaker *
add_breaker(struct sim_world *w, const struct met *met)
{
	size_t size = sizeof(struct sim_breaker) + strlen(met->breaker) + 1;
	size_t align = __alignof__(struct sim_breaker);
	struct sim_breaker *b = aligned_alloc(align, (size + align - 1) / align * align);

	if (!b)
		err(2, NULL);
	memset(b, 0, size);
	b->config = met->section->settings.breaker;
	b->config.cooldown_jitter_permille = 0;
	b->mode = met->section->settings.mode;
	b->scheduled_ns = UINT64_MAX;
	b->ref = (struct breaker_ref){
		.breaker = &b->breaker,
		.config = &b->config,
		.report = &b->report,
		.inflight = &inflight,
		.index = w->breaker_count++,
	};
	memcpy(b->name, met->breaker, strlen(met->breaker));
	HASH_ADD_STR(w->breakers, name, b);
	return b;
}

struct sim_breaker *
sim_world_find(struct sim_world *w, struct span name, struct text *why)
{
	struct sim_breaker *b;
	struct met met;

	if (!sim_name_resolve(w->rules, name, &met, why))
		return NULL;
	HASH_FIND_STR(w->breakers, met.breaker, b);
	if (b)
		return b;
	if (w->breaker_count < BREAKERS_MAX)
		return add_breaker(w, &met);
	text_format(why, "more than %u breakers", BREAKERS_MAX);
	return NULL;
}

static void __attribute__((format(printf, 4, 5)))
say(struct sim_world *w, const char *event, const struct sim_breaker *b, const char *format, ...)
{
	va_list args;

	fprintf(w->out, "%6" PRIu64 ".%03" PRIu64 " %-10s %s", w->now_ns / (1000 * NS_PER_MS),
		w->now_ns / NS_PER_MS % 1000, event, b->name);
	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
	fputc('\n', w->out);
}

/* Prints the transitions and sees to it that what falls due next is not missed. */
static void
follow(struct sim_world *w, struct sim_breaker *b, struct transitions *tr)
{
	uint64_t due_ns = breaker_due_ns(&b->ref);

	for (unsigned i = 0; i < tr->n; i++) {
		const struct transition *t = &tr->v[i];

		say(w, "transition", b,
		    " from=%s to=%s reason=%s total=%u failed=%u slow=%u p50_ms=%" PRIu64
		    " p99_ms=%" PRIu64 " cooldown_ms=%" PRIu64,
		    breaker_state_name((enum breaker_state)t->from),
		    breaker_state_name((enum breaker_state)t->to),
		    breaker_reason_name((enum reason)t->reason), t->total, t->failed, t->slow,
		    t->p50_ms, t->p99_ms, t->cooldown_ms);
	}
	tr->n = 0;
	if (due_ns >= b->scheduled_ns)
		return;
	b->scheduled_ns = due_ns > w->now_ns ? due_ns : w->now_ns;
	sim_queue_put(&w->queue, &(struct sim_event){
					 .at_ns = b->scheduled_ns,
					 .kind = SIM_DUE,
					 .breaker = b,
				 });
}

static void
fall_due(struct sim_world *w, struct sim_breaker *b)
{
	struct transitions tr = {.n = 0};
	struct sim_event end = {.kind = SIM_PROBE_END, .breaker = b};
	bool probes;

	if (b->scheduled_ns <= w->now_ns)
		b->scheduled_ns = UINT64_MAX;
	breaker_tick(&b->ref, w->now_ns, &tr);
	probes = breaker_probe_begin(&b->ref, w->now_ns, &end.ticket, &tr);
	follow(w, b, &tr);
	if (!probes)
		return;
	b->probes++;
	say(w, "probing", b, " lease_ms=%" PRIu64, b->config.lease_ns / NS_PER_MS);
	end.at_ns = w->now_ns + b->probe_length_ns;
	end.outcome = sim_outcome(b->probe_ending);
	if (b->probe_length_ns != UINT64_MAX)
		sim_queue_put(&w->queue, &end);
}

static void
probe_end(struct sim_world *w, const struct sim_event *e)
{
	struct sim_breaker *b = e->breaker;
	struct transitions tr = {.n = 0};

	say(w, "probe", b, " outcome=%s ms=%" PRIu64, outcome_words[e->outcome],
	    (w->now_ns - e->ticket.start_ns) / NS_PER_MS);
	breaker_probe_end(&b->ref, &e->ticket, w->now_ns, e->outcome, &tr);
	follow(w, b, &tr);
}

bool
sim_world_next(struct sim_world *w, uint64_t to_ns, struct sim_event *e)
{
	while (sim_queue_take(&w->queue, to_ns, e)) {
		w->now_ns = e->at_ns;
		switch (e->kind) {
		case SIM_DUE:
			fall_due(w, e->breaker);
			break;
		case SIM_CALLS_END:
			for (uint64_t i = 0; i < e->count; i++)
				sim_world_call_end(w, e->breaker, &e->ticket, e->outcome);
			break;
		case SIM_CALL_NEXT:
			return true;
		case SIM_PROBE_END:
			probe_end(w, e);
			break;
		}
	}
	w->now_ns = to_ns;
	return false;
}

static void
say_refused(struct sim_world *w, const struct sim_breaker *b, struct span label)
{
	struct breaker_snapshot look;

	breaker_look(&b->ref, w->now_ns, &look);
	say(w, "refused", b, " call=%.*s retry_in_ms=%" PRIu64 "%s", (int)label.len, label.at,
	    look.retry_in_ns / NS_PER_MS, b->mode == MODE_OBSERVE ? " mode=observe" : "");
}

enum sim_answer
sim_world_ask(struct sim_world *w, struct sim_breaker *b, struct span label, struct ticket *t)
{
	struct transitions tr = {.n = 0};
	bool off = b->mode == MODE_OFF;
	bool admitted = off || breaker_admit(&b->ref, w->now_ns, w->hint, t, &tr);

	follow(w, b, &tr);
	if (!admitted) {
		b->refused++;
		say_refused(w, b, label);
		return b->mode == MODE_OBSERVE ? SIM_PASS : SIM_REFUSE;
	}
	b->admitted++;
	b->probes += !off && t->is_probe;
	say(w, "admitted", b, " call=%.*s%s", (int)label.len, label.at,
	    off		  ? " mode=off"
	    : t->is_probe ? " probe=call"
			  : "");
	if (off)
		return SIM_PASS;
	w->hint = (uint32_t)t->mark.index + 1;
	return SIM_ADMIT;
}

void
sim_world_call_end(struct sim_world *w, struct sim_breaker *b, const struct ticket *t,
		   enum outcome outcome)
{
	struct transitions tr = {.n = 0};

	breaker_end(&b->ref, t, w->now_ns, w->now_ns - t->start_ns, outcome, 0, &tr);
	follow(w, b, &tr);
}

void
sim_world_force(struct sim_world *w, struct sim_breaker *b, enum force force)
{
	struct transitions tr = {.n = 0};

	breaker_force(&b->ref, force, w->now_ns, &tr);
	follow(w, b, &tr);
}

enum outcome
sim_outcome(enum sim_ending ending)
{
	return ending == SIM_HANG ? OUTCOME_FAIL : (enum outcome)ending;
}
