#include <string.h>

#include "core/text.h"
#include "probe/engine_parts.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/logline.h"

#define ALERT_NS UINT64_C(10000000000)

static void
tell_failure(const struct engine_ref *ref)
{
	const struct span *alert = &ref->section->settings.alert;
	char url[RULES_URL_MAX + 1], error[BREAKER_NAME_MAX + 64], name[BREAKER_NAME_MAX + 1];
	struct text u = text_over(url, sizeof(url)), t = text_over(error, sizeof(error));

	if (!state_name(ref->engine->view[ref->view].state, ref->index, name))
		return;
	text_bytes(&u, alert->at, alert->len);
	text_string(&t, "the alert of ");
	text_string(&t, name);
	text_string(&t, " could not be posted");
	log_config_error(url, 0, error);
}

void
engine_note(struct state *s, uint32_t index, const struct settings *settings,
	    const struct transitions *tr)
{
	struct breaker_ref r = state_ref(s, index, &settings->breaker);
	struct state_change c;
	struct ticket now;

	if (settings->alert.len == 0)
		return;
	for (unsigned i = 0; i < tr->n; i++) {
		const struct transition *t = &tr->v[i];

		if (t->to == BREAKER_HALF_OPEN || t->to == t->from)
			continue;
		breaker_watch(&r, 0, &now);
		c = (struct state_change){*t, now.generation, raw_getpid(), clock_wall_ms()};
		state_put_change(s, index, &c);
	}
}

/* What is left to tell of a change that nobody noted. */
static struct state_change
change_of(const struct engine_ref *ref, const struct breaker_snapshot *look)
{
	uint8_t seen = ref->engine->view[ref->view].seen[ref->index];
	struct breaker_ref r = engine_breaker(ref);
	struct state_change c = {
		.generation = look->generation,
		.pid = raw_getpid(),
		.wall_ms = clock_wall_ms(),
	};

	c.transition = (struct transition){
		/* What happened between two looks went through half-open. */
		.from = seen != look->state ? seen : BREAKER_HALF_OPEN,
		.to = (uint8_t)look->state,
		.reason = (uint8_t)look->reason,
		.total = look->total,
		.failed = look->failed,
		.slow = look->slow,
		.p50_ms = report_percentile_ms(r.report, 500),
		.p99_ms = report_percentile_ms(r.report, 990),
		.cooldown_ms = look->cooldown_ms,
	};
	return c;
}

/*
 * The last change as it was logged.  Whoever made it notes it a moment later, or never,
 * when it was killed in between.  False: that moment is to be waited for.
 */
static bool
last_change(const struct engine_ref *ref, const struct breaker_snapshot *look,
	    struct state_change *c)
{
	struct engine_view *v = &ref->engine->view[ref->view];
	bool *waits = &v->waits[ref->index];

	if (!state_get_change(v->state, ref->index, c) || c->generation != look->generation ||
	    c->transition.to != look->state) {
		*waits = !*waits;
		if (*waits)
			return false;
		*c = change_of(ref, look);
	}
	*waits = false;
	return true;
}

static bool
post(const struct engine_ref *ref, const struct state_change *c, struct engine_alert *a,
     uint64_t now_ns)
{
	const struct span *alert = &ref->section->settings.alert;
	char body[LOGLINE_MAX], url[RULES_URL_MAX + 1], name[BREAKER_NAME_MAX + 1];
	struct text u = text_over(url, sizeof(url));
	const char *argv[] = {"cutout", "probe", "--timeout", "10s", "--post",
			      body,	"--",	 url,	      NULL};

	if (!state_name(ref->engine->view[ref->view].state, ref->index, name))
		return true;
	log_transition_json(name, &c->transition, c->pid, c->wall_ms, body);
	text_bytes(&u, alert->at, alert->len);
	*a = (struct engine_alert){
		.view = (uint8_t)ref->view,
		.index = ref->index,
		.section = ref->section,
		.end_ns = now_ns + ALERT_NS,
		.helper = helper_start(ref->engine->command, argv, ALERT_NS),
	};
	a->is_used = a->helper >= 0;
	return a->is_used;
}

/* A place for the alert of this breaker; NULL: it has to wait. */
static struct engine_alert *
free_place(const struct engine_ref *ref)
{
	struct engine_alert *found = NULL;

	for (unsigned i = 0; i < ENGINE_ALERTS; i++) {
		struct engine_alert *a = &ref->engine->alert[i];

		if (!a->is_used)
			found = a;
		else if (a->view == ref->view && a->index == ref->index)
			return NULL;
	}
	return found;
}

bool
alert_offer(const struct engine_ref *ref, uint64_t now_ns)
{
	struct state *s = ref->engine->view[ref->view].state;
	struct breaker_ref r = engine_breaker(ref);
	struct breaker_snapshot look;
	struct state_change change;
	/* Before the look: what somebody has told since then is newer than what we see. */
	uint32_t told = state_told(s, ref->index);

	breaker_look(&r, now_ns, &look);
	/* Half-open is neither, and what was never open has not closed. */
	if (told == look.generation + 1 || look.state == BREAKER_HALF_OPEN ||
	    (look.state == BREAKER_CLOSED && told == 0))
		return true;

	struct engine_alert *a = free_place(ref);

	if (a == NULL || !last_change(ref, &look, &change))
		return false;
	if (!state_tell(s, ref->index, told, look.generation + 1))
		return true;
	if (!post(ref, &change, a, now_ns))
		tell_failure(ref);
	return true;
}

void
alert_go_on(struct engine *e, struct engine_alert *a, uint64_t now_ns)
{
	enum helper_end end = helper_look(a->helper);
	struct engine_ref ref = {e, a->view, a->index, a->section};

	if (end == HELPER_RUNS && now_ns < a->end_ns)
		return;
	if (end == HELPER_RUNS)
		helper_drop(a->helper);
	a->is_used = false;
	if (end != HELPER_PASSED)
		tell_failure(&ref);
}
