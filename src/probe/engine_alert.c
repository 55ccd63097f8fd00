#include <string.h>

#include "core/text.h"
#include "probe/engine_parts.h"
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

/* The last change as far as it can still be told. */
static struct transition
last_change(const struct engine_ref *ref, const struct breaker_snapshot *look)
{
	struct breaker_ref r = engine_breaker(ref);
	uint8_t from = ref->engine->view[ref->view].seen[ref->index];

	/* What happened between two looks went through half-open. */
	if (from == look->state)
		from = BREAKER_HALF_OPEN;
	return (struct transition){
		.from = from,
		.to = (uint8_t)look->state,
		.reason = (uint8_t)look->reason,
		.total = look->total,
		.failed = look->failed,
		.slow = look->slow,
		.p50_ms = report_percentile_ms(r.report, 500),
		.p99_ms = report_percentile_ms(r.report, 990),
		.cooldown_ms = look->cooldown_ms,
	};
}

static bool
post(const struct engine_ref *ref, const struct transition *change, struct engine_alert *a,
     uint64_t now_ns)
{
	const struct span *alert = &ref->section->settings.alert;
	char body[LOGLINE_MAX], url[RULES_URL_MAX + 1], name[BREAKER_NAME_MAX + 1];
	struct text u = text_over(url, sizeof(url));
	const char *argv[] = {"cutout", "probe", "--timeout", "10s", "--post",
			      body,	"--",	 url,	      NULL};

	if (!state_name(ref->engine->view[ref->view].state, ref->index, name))
		return true;
	log_transition_json(name, change, body);
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
	struct state_slot *slot = &ref->engine->view[ref->view].state->slots[ref->index];
	struct breaker_ref r = engine_breaker(ref);
	struct breaker_snapshot look;
	/* Before the look: what somebody has told since then is newer than what we see. */
	uint32_t told = load_acquire(&slot->alerted);

	breaker_look(&r, now_ns, &look);
	/* Half-open is neither, and what was never open has not closed. */
	if (told == look.generation + 1 || look.state == BREAKER_HALF_OPEN ||
	    (look.state == BREAKER_CLOSED && told == 0))
		return true;

	struct engine_alert *a = free_place(ref);

	if (a == NULL)
		return false;
	if (!cas_acq_rel(&slot->alerted, &told, look.generation + 1))
		return true;
	struct transition change = last_change(ref, &look);

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
