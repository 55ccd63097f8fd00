#include "probe/engine.h"

#include <string.h>

#include "probe/engine_parts.h"
#include "state/state_map.h"
#include "sys/log.h"
#include "sys/rawnet.h"
#include "sys/rawproc.h"

#define SECOND_NS UINT64_C(1000000000)
#define BUSY_NS UINT64_C(100000000) /* while something may fall due that nobody announces */
#define FULL_NS UINT64_C(20000000)  /* until there may be room for one more probe */

#define NO_SECTION UINT32_MAX
#define WAITS_MAX (ENGINE_PROBES * (DIAL_ADDRESSES + 1) + ENGINE_ALERTS + 1)

void
engine_init(struct engine *e, const struct ruleset *rules, const struct helper_command *command)
{
	e->rules = rules;
	e->command = command;
}

void
engine_serve(struct engine *e, struct state *s, bool is_shared)
{
	if (e->view_count == ENGINE_VIEWS)
		return;
	struct engine_view *v = &e->view[e->view_count++];

	v->state = s;
	v->is_shared = is_shared;
	v->shares_pids = is_shared && state_shares_pids(s);
}

bool
engine_is_for(const struct settings *s)
{
	return !s->breaker.probe_is_call || s->alert.len > 0;
}

struct breaker_ref
engine_breaker(const struct engine_ref *ref)
{
	return state_ref(ref->engine->view[ref->view].state, ref->index,
			 &ref->section->settings.breaker);
}

void
engine_tell(const struct engine_ref *ref, const struct transitions *tr)
{
	char name[BREAKER_NAME_MAX + 1];

	if (tr->n == 0 || !state_name(ref->engine->view[ref->view].state, ref->index, name))
		return;
	engine_note(ref->engine->view[ref->view].state, ref->index, &ref->section->settings, tr);
	for (unsigned i = 0; i < tr->n; i++)
		log_transition(name, &tr->v[i]);
}

/* The section of that name under which the breaker's users have these settings. */
static uint32_t
find_section(const struct ruleset *rules, const char *name, size_t len, uint64_t settings)
{
	for (uint32_t i = 0; i < rules->section_count; i++) {
		const struct section *s = &rules->sections[i];

		if (s->name.len == len && memcmp(s->name.at, name, len) == 0)
			return settings_hash(&s->settings) == settings ? i + 1 : NO_SECTION;
	}
	return NO_SECTION;
}

/* The breaker of that number may be another than at the last look. */
static void
note_claim(struct engine_view *v, uint32_t index)
{
	uint64_t claim = state_claim(v->state, index);

	if (claim == v->claim[index])
		return;
	v->claim[index] = claim;
	v->section[index] = 0;
	v->waits[index] = false;
	v->seen[index] = BREAKER_CLOSED;
}

static const struct section *
section_of(struct engine *e, struct engine_view *v, uint32_t index)
{
	uint64_t settings;
	char name[BREAKER_NAME_MAX + 1];

	note_claim(v, index);
	settings = state_settings(v->state, index);
	if (settings == 0)
		return NULL;
	if (v->section[index] == 0 && state_name(v->state, index, name)) {
		uint32_t found = find_section(e->rules, name, strcspn(name, "/"), settings);

		if (found == NO_SECTION)
			found = find_section(e->rules, "*", 1, settings);
		v->section[index] = found;
	}
	if (v->section[index] == 0 || v->section[index] == NO_SECTION)
		return NULL;
	return &e->rules->sections[v->section[index] - 1];
}

static void
sooner(uint64_t *next_ns, uint64_t at_ns)
{
	if (at_ns < *next_ns)
		*next_ns = at_ns;
}

static void
look_after(const struct engine_ref *ref, uint64_t now_ns, uint64_t *next_ns)
{
	struct engine *e = ref->engine;
	uint8_t *seen = &e->view[ref->view].seen[ref->index];
	struct breaker_ref r = engine_breaker(ref);
	struct breaker_snapshot look;
	struct transitions tr = {.n = 0};

	if (breaker_due_ns(&r) <= now_ns) {
		breaker_tick(&r, now_ns, &tr);
		engine_tell(ref, &tr);
	}
	if (breaker_due_ns(&r) <= now_ns)
		probe_begin(ref, now_ns, next_ns);

	uint64_t due_ns = breaker_due_ns(&r);

	sooner(next_ns, due_ns > now_ns ? due_ns : now_ns + FULL_NS);
	if (due_ns != UINT64_MAX)
		sooner(next_ns, now_ns + BUSY_NS);
	breaker_look(&r, now_ns, &look);
	if (look.state != BREAKER_CLOSED && engine_is_for(&ref->section->settings))
		e->is_idle = false;
	if (ref->section->settings.alert.len > 0 && !alert_offer(ref, now_ns))
		e->is_idle = false;
	else
		*seen = (uint8_t)look.state;
}

static bool
lives(uint32_t pid)
{
	return raw_process_lives((pid_t)pid);
}

/*
 * The call of a killed process counts like one that its client gave up, if the process
 * was seen alive when the call was a second old.
 */
static void
count_dead(const struct engine_ref *ref, const struct inflight_dead *dead, uint64_t now_ns)
{
	struct ticket t = {
		.start_ns = dead->start_ns,
		.mark = {INFLIGHT_NONE, 0},
		.generation = dead->generation,
		.was_overdue = dead->was_overdue,
	};
	struct engine_view *v = &ref->engine->view[ref->view];
	struct breaker_ref r = engine_breaker(ref);
	struct transitions tr = {.n = 0};
	char name[BREAKER_NAME_MAX + 1] = "";

	if (v->tidied_ns < dead->start_ns + SECOND_NS)
		return;
	state_name(v->state, ref->index, name);
	breaker_end(&r, &t, now_ns, now_ns - t.start_ns, OUTCOME_FAIL, 0, &tr);
	log_call(&(struct log_call){
		.breaker = name,
		.edge = "process",
		.outcome = OUTCOME_FAIL,
		.detail = "killed",
		.latency_ns = now_ns - t.start_ns,
	});
	engine_tell(ref, &tr);
}

/* What those have left who were killed. */
static void
tidy(struct engine *e, unsigned view, uint64_t now_ns)
{
	struct engine_view *v = &e->view[view];
	struct inflight_dead dead;
	uint32_t from = 0;

	while (v->shares_pids && inflight_next_dead(&v->state->inflight, &from, lives, &dead)) {
		struct engine_ref ref = {e, view, dead.breaker, NULL};

		ref.section = dead.breaker < STATE_BREAKERS ? section_of(e, v, dead.breaker) : NULL;
		if (ref.section != NULL)
			count_dead(&ref, &dead, now_ns);
	}
	v->tidied_ns = now_ns;
	for (uint32_t i = 0; i < STATE_BREAKERS; i++)
		state_mend(v->state, i, &v->unfinished[i]);
}

static void
look_around(struct engine *e, unsigned view, uint64_t now_ns, uint64_t *next_ns)
{
	struct engine_view *v = &e->view[view];

	if (now_ns >= v->beat_ns) {
		if (v->is_shared)
			state_beat(v->state, now_ns);
		tidy(e, view, now_ns);
		v->beat_ns = now_ns + SECOND_NS;
	}
	if (v->is_shared)
		sooner(next_ns, v->beat_ns);
	for (uint32_t i = 0; i < STATE_BREAKERS; i++) {
		struct engine_ref ref = {e, view, i, section_of(e, v, i)};

		if (ref.section != NULL)
			look_after(&ref, now_ns, next_ns);
	}
}

uint64_t
engine_step(struct engine *e, uint64_t now_ns)
{
	uint64_t next_ns = now_ns + SECOND_NS;

	e->is_idle = helper_sweep();
	for (unsigned i = 0; i < ENGINE_PROBES; i++)
		if (e->probe[i].is_used)
			probe_go_on(e, &e->probe[i], now_ns, &next_ns);
	for (unsigned i = 0; i < ENGINE_ALERTS; i++)
		if (e->alert[i].is_used)
			alert_go_on(e, &e->alert[i], now_ns);
	for (unsigned i = 0; i < e->view_count; i++)
		look_around(e, i, now_ns, &next_ns);
	for (unsigned i = 0; i < ENGINE_PROBES; i++)
		e->is_idle &= !e->probe[i].is_used;
	for (unsigned i = 0; i < ENGINE_ALERTS; i++) {
		e->is_idle &= !e->alert[i].is_used;
		if (e->alert[i].is_used)
			sooner(&next_ns, e->alert[i].end_ns);
	}
	return next_ns > now_ns ? next_ns - now_ns : 0;
}

bool
engine_wait(const struct engine *e, uint64_t wait_ns, const raw_sigset *mask, int watch)
{
	/* A negative descriptor is passed over. */
	struct pollfd fds[WAITS_MAX] = {{.fd = watch, .events = POLLIN}};
	unsigned n = 1;

	for (unsigned i = 0; i < ENGINE_PROBES; i++) {
		const struct engine_probe *p = &e->probe[i];

		if (p->is_used && p->dials)
			n += dial_waits_for(&p->dial, fds + n);
		if (p->is_used && p->helper >= 0)
			fds[n++] = (struct pollfd){.fd = helper_fd(p->helper), .events = POLLIN};
	}
	for (unsigned i = 0; i < ENGINE_ALERTS; i++)
		if (e->alert[i].is_used)
			fds[n++] = (struct pollfd){.fd = helper_fd(e->alert[i].helper),
						   .events = POLLIN};
	return raw_poll(fds, n, wait_ns, mask) > 0 && fds[0].revents != 0;
}

bool
engine_is_idle(const struct engine *e)
{
	return e->is_idle;
}

void
engine_stop(struct engine *e, uint64_t now_ns)
{
	for (unsigned i = 0; i < ENGINE_PROBES; i++)
		if (e->probe[i].is_used)
			probe_give_back(e, &e->probe[i], now_ns);
	for (unsigned i = 0; i < ENGINE_ALERTS; i++) {
		if (e->alert[i].is_used)
			helper_drop(e->alert[i].helper);
		e->alert[i].is_used = false;
	}
	/* Killed, they are gone in a moment; a machine that is stuck must not hold us. */
	for (unsigned i = 0; i < 100 && !helper_sweep(); i++)
		raw_poll(NULL, 0, SECOND_NS / 1000, NULL);
}

void
engine_after_fork(struct engine *e, uint64_t now_ns)
{
	for (unsigned i = 0; i < ENGINE_PROBES; i++) {
		struct engine_probe *p = &e->probe[i];
		struct engine_ref ref = {e, p->view, p->index, p->section};
		struct transitions tr = {.n = 0};

		if (p->is_used && p->section != NULL && p->view < e->view_count &&
		    !e->view[p->view].is_shared) {
			struct breaker_ref r = engine_breaker(&ref);

			breaker_probe_end(&r, &p->ticket, now_ns, OUTCOME_NEUTRAL, &tr);
			engine_tell(&ref, &tr);
		}
		p->is_used = false;
	}
	memset(e->alert, 0, sizeof(e->alert));
	helper_forget_all();
}
