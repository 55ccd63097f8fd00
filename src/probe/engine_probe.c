#include <errno.h>
#include <string.h>

#include "core/text.h"
#include "probe/engine_parts.h"
#include "sys/log.h"

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

/* Past the breaker's own deadline, so that it is the lease that ends a probe. */
#define LEASE_SLACK_NS UINT64_C(200000)

/* A probe under no lease cannot go on for ever. */
#define NO_LEASE_NS (300 * SECOND_NS)

/* What a helper is given beyond the lease: whoever holds the lease ends it. */
#define HELPER_EXTRA_NS SECOND_NS
#define HELPER_MOST_NS (3600 * SECOND_NS) /* as much as the command takes */

#define ARGUMENT_MAX (RULES_URL_MAX + 1)

static struct engine_ref
ref_of(struct engine *e, const struct engine_probe *p)
{
	return (struct engine_ref){e, p->view, p->index, p->section};
}

static bool
is_url(const struct engine_probe *p)
{
	return p->section->settings.probe == PROBE_URL;
}

static void
stop(struct engine_probe *p)
{
	if (p->dials)
		dial_stop(&p->dial);
	if (p->helper >= 0)
		helper_drop(p->helper);
	p->is_used = false;
}

static void
finish(struct engine *e, struct engine_probe *p, uint64_t now_ns, enum outcome outcome)
{
	struct engine_ref ref = ref_of(e, p);
	struct breaker_ref r = engine_breaker(&ref);
	struct transitions tr = {.n = 0};
	char name[BREAKER_NAME_MAX + 1], url[ARGUMENT_MAX];
	struct text t = text_over(url, sizeof(url));
	uint64_t took_ns = now_ns > p->start_ns ? now_ns - p->start_ns : 0;

	stop(p);
	if (is_url(p))
		text_bytes(&t, p->section->settings.probe_target.at,
			   p->section->settings.probe_target.len);
	if (state_name(e->view[p->view].state, p->index, name))
		log_probe(name, is_url(p) ? "url" : "tcp", is_url(p) ? url : p->target, outcome,
			  took_ns);
	breaker_probe_end(&r, &p->ticket, now_ns, outcome, &tr);
	engine_tell(&ref, &tr);
}

void
probe_give_back(struct engine *e, struct engine_probe *p, uint64_t now_ns)
{
	finish(e, p, now_ns, OUTCOME_NEUTRAL);
}

/* "LOW-HIGH,LOW-HIGH" as the command takes it. */
static void
print_ranges(struct text *t, const struct status_ranges *r)
{
	for (unsigned i = 0; i < r->count; i++)
		text_format(t, "%s%u-%u", i > 0 ? "," : "", r->range[i].low, r->range[i].high);
}

/* The helper cannot help: other ways are gone, for good where it cannot even be run. */
static void
lacks_helper(struct engine *e, struct engine_probe *p)
{
	struct state_where w;

	if (!e->told_lack)
		log_config_error(e->command->path[0] != '\0' ? e->command->path : "cutout", 0,
				 "cannot be run as a helper: probes connect to where calls failed");
	e->told_lack = true;
	if (p->section->settings.probe == PROBE_TCP ||
	    !state_get_where(e->view[p->view].state, p->index, &w) || w.count == 0 || w.port <= 0)
		return;
	p->dials = true;
	p->was_tried = true;
	dial_start(&p->dial, w.addr, w.count, (uint16_t)w.port);
}

static void
start_helper(struct engine *e, struct engine_probe *p, uint64_t now_ns)
{
	const struct settings *s = &p->section->settings;
	char target[ARGUMENT_MAX], expect[STATUS_RANGES_MAX * 12 + 1], limit[24];
	struct text t = text_over(target, sizeof(target));
	struct text x = text_over(expect, sizeof(expect)), l = text_over(limit, sizeof(limit));
	const char *argv[] = {"cutout", "probe", "--timeout", limit, "--expect",
			      expect,	"--",	 target,      NULL};
	uint64_t left_ns = p->end_ns - now_ns + HELPER_EXTRA_NS;

	if (is_url(p))
		text_bytes(&t, s->probe_target.at, s->probe_target.len);
	else
		text_string(&t, p->target);
	print_ranges(&x, &s->probe_expect);
	if (left_ns > HELPER_MOST_NS)
		left_ns = HELPER_MOST_NS;
	text_number(&l, left_ns / MS_NS);
	text_string(&l, "ms");
	p->look_up_ns = UINT64_MAX;
	p->helper = helper_start(e->command, argv, left_ns);
	if (p->helper >= 0 || p->helper == -EAGAIN || p->helper == -EMFILE ||
	    p->helper == -ENFILE || p->helper == -ENOMEM)
		p->was_tried = true;
	else
		lacks_helper(e, p);
}

/* The one port of the section's matches; 0: there is no such. */
static int32_t
port_of_section(const struct engine *e, const struct section *s)
{
	const struct rule_match *m = &e->rules->matches[s->first_match];

	for (uint32_t i = 0; i < s->match_count; i++)
		if (m[i].port_low != m[i].port_high || m[i].port_low != m[0].port_low)
			return 0;
	return s->match_count > 0 ? m[0].port_low : 0;
}

/* To where calls failed: known addresses at once, the name afresh when they do not answer. */
static void
start_where(struct engine *e, struct engine_probe *p, uint64_t now_ns)
{
	struct state_where w = {.port = 0};
	uint64_t patience_ns = (p->end_ns - now_ns) / 2;

	if (!state_get_where(e->view[p->view].state, p->index, &w))
		return;
	if (w.port <= 0)
		w.port = port_of_section(e, p->section);

	struct dest d = {{w.name, (uint32_t)strlen(w.name)},
			 w.count > 0 ? w.addr[0] : (struct dest_addr){0},
			 w.port > 0 ? w.port : DEST_PORT_UNKNOWN};

	dest_print(&d, p->target);
	if (w.count > 0 && w.port > 0) {
		p->dials = true;
		p->was_tried = true;
		dial_start(&p->dial, w.addr, w.count, (uint16_t)w.port);
		if (w.name_len > 0)
			p->look_up_ns =
				now_ns + (patience_ns < SECOND_NS ? patience_ns : SECOND_NS);
	} else if (w.name_len > 0) {
		start_helper(e, p, now_ns);
	}
}

static void
start_target(struct engine *e, struct engine_probe *p, uint64_t now_ns)
{
	struct dest d;

	if (!dest_parse(p->section->settings.probe_target, &d))
		return;
	dest_print(&d, p->target);
	if (d.addr.family == 0) {
		start_helper(e, p, now_ns);
		return;
	}
	p->dials = true;
	p->was_tried = true;
	dial_start(&p->dial, &d.addr, 1, (uint16_t)d.port);
}

/* True: connected. */
static bool
look_at_dial(struct engine_probe *p)
{
	enum outcome outcome;

	if (!p->dials || !dial_is_over(&p->dial, &outcome))
		return false;
	p->dials = false;
	p->dial_failed = outcome == OUTCOME_FAIL;
	/* Nothing to wait for before the name is looked up. */
	if (p->look_up_ns != UINT64_MAX)
		p->look_up_ns = 0;
	return outcome == OUTCOME_OK;
}

/* True: it passed. */
static bool
look_at_helper(struct engine *e, struct engine_probe *p)
{
	enum helper_end end = p->helper >= 0 ? helper_look(p->helper) : HELPER_RUNS;

	if (end == HELPER_RUNS)
		return false;
	p->helper = -1;
	p->helper_failed = end == HELPER_FAILED;
	if (end == HELPER_UNAVAILABLE) {
		p->was_tried = p->dials || p->dial_failed;
		lacks_helper(e, p);
	}
	return end == HELPER_PASSED;
}

/* The verdict of all that was tried.  What cannot be probed at all, calls must find out. */
static enum outcome
verdict(const struct engine_probe *p)
{
	if (p->dial_failed || p->helper_failed)
		return OUTCOME_FAIL;
	return p->was_tried ? OUTCOME_NEUTRAL : OUTCOME_OK;
}

void
probe_go_on(struct engine *e, struct engine_probe *p, uint64_t now_ns, uint64_t *next_ns)
{
	if (look_at_dial(p) || look_at_helper(e, p)) {
		finish(e, p, now_ns, OUTCOME_OK);
		return;
	}
	if (now_ns >= p->end_ns) {
		finish(e, p, now_ns, OUTCOME_FAIL);
		return;
	}
	if (now_ns >= p->look_up_ns)
		start_helper(e, p, now_ns);
	if (!p->dials && p->helper < 0) {
		finish(e, p, now_ns, verdict(p));
		return;
	}
	if (p->end_ns < *next_ns)
		*next_ns = p->end_ns;
	if (p->look_up_ns < *next_ns)
		*next_ns = p->look_up_ns;
}

static struct engine_probe *
free_place(struct engine *e)
{
	for (unsigned i = 0; i < ENGINE_PROBES; i++)
		if (!e->probe[i].is_used)
			return &e->probe[i];
	return NULL;
}

void
probe_begin(const struct engine_ref *ref, uint64_t now_ns, uint64_t *next_ns)
{
	struct engine_probe *p = free_place(ref->engine);
	struct breaker_ref r = engine_breaker(ref);
	struct transitions tr = {.n = 0};
	struct ticket ticket;
	bool begun = p != NULL && breaker_probe_begin(&r, now_ns, &ticket, &tr);

	engine_tell(ref, &tr);
	if (!begun)
		return;
	*p = (struct engine_probe){
		.view = (uint8_t)ref->view,
		.index = ref->index,
		.section = ref->section,
		.ticket = ticket,
		.start_ns = now_ns,
		.end_ns = now_ns + LEASE_SLACK_NS +
			  (r.config->lease_ns > 0 ? r.config->lease_ns : NO_LEASE_NS),
		.look_up_ns = UINT64_MAX,
		.helper = -1,
	};
	p->is_used = true;
	if (is_url(p))
		start_helper(ref->engine, p, now_ns);
	else if (ref->section->settings.probe == PROBE_TCP_TARGET)
		start_target(ref->engine, p, now_ns);
	else
		start_where(ref->engine, p, now_ns);
	probe_go_on(ref->engine, p, now_ns, next_ns);
}
