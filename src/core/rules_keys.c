#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"

#define MS UINT64_C(1000000)
#define HOUR (3600000 * MS)
#define BREAKER(field) offsetof(struct section, settings.breaker.field)
#define SETTING(field) offsetof(struct section, settings.field)

const struct key rules_keys[] = {
	[INDEX_MATCH] = {"match", KEY_MATCH, 0, 0, 0},
	{"region", KEY_REGION, offsetof(struct section, region), 0, 0},
	{"consecutive", KEY_COUNT, BREAKER(consecutive), 0, 1000000},
	{"failure_rate", KEY_SHARE, BREAKER(failure_permille), 0, 1000},
	[INDEX_LATENCY] = {"pNN", KEY_LATENCY, BREAKER(latency_ns), MS, HOUR},
	{"min_samples", KEY_COUNT, BREAKER(min_samples), 1, 500000},
	{"window", KEY_DURATION, BREAKER(window_ns), 100 * MS, 24 * HOUR},
	[INDEX_COOLDOWN] = {"cooldown", KEY_DURATION, BREAKER(cooldown_ns), MS, 24 * HOUR},
	[INDEX_COOLDOWN_MAX] = {"cooldown_max", KEY_DURATION, BREAKER(cooldown_max_ns), MS,
				24 * HOUR},
	{"cooldown_jitter", KEY_SHARE, BREAKER(cooldown_jitter_permille), 0, 1000},
	{"probe", KEY_PROBE, SETTING(probe), 0, 0},
	{"probe_expect", KEY_STATUSES, SETTING(probe_expect), 1, 0},
	{"probe_timeout", KEY_DURATION, BREAKER(lease_ns), 0, HOUR},
	[INDEX_PROBE_SUCCESSES] = {"probe_successes", KEY_COUNT, BREAKER(probe_successes), 1, 1000},
	{"probe_interval", KEY_DURATION, BREAKER(probe_interval_ns), MS, HOUR},
	[INDEX_RAMP] = {"ramp", KEY_DURATION, BREAKER(ramp_ns), 0, 24 * HOUR},
	{"fail_status", KEY_STATUSES, SETTING(fail_status), 0, 0},
	{"late_failure", KEY_LATE, BREAKER(late_failure_extends), 0, 0},
	{"refuse_errno", KEY_ERRNO, SETTING(refuse_errno), 0, 0},
	{"answer", KEY_ANSWER, SETTING(answer), 0, 0},
	{"answer_status", KEY_STATUS, SETTING(answer_status), 400, 599},
	{"message", KEY_MESSAGE, SETTING(message), 0, 0},
	{"fallback", KEY_FALLBACK, 0, 0, 0},
	{"alert", KEY_ALERT, SETTING(alert), 0, 0},
	{"mode", KEY_MODE, SETTING(mode), 0, 0},
};
const unsigned rules_key_count = sizeof(rules_keys) / sizeof(rules_keys[0]);

_Static_assert(sizeof(rules_keys) / sizeof(rules_keys[0]) <= RULES_KEYS_MAX, "room for all keys");

uint32_t
rules_percentile(struct span key)
{
	bool decimal = key.len == 5 && key.at[3] == '.';
	unsigned digits[3] = {0, 0, 0};

	if ((key.len != 3 && !decimal) || key.at[0] != 'p')
		return 0;
	for (unsigned i = 0; i < (decimal ? 3U : 2U); i++) {
		char c = key.at[i < 2 ? i + 1 : 4];

		if (c < '0' || c > '9')
			return 0;
		digits[i] = (unsigned)(c - '0');
	}
	uint32_t permille = digits[0] * 100 + digits[1] * 10 + digits[2];

	return permille >= 500 ? permille : 0;
}

static bool
looks_like_percentile(struct span key)
{
	return key.len >= 2 && (key.at[0] == 'p' || key.at[0] == 'P') && key.at[1] >= '0' &&
	       key.at[1] <= '9';
}

static const struct key *
find_key(struct span name)
{
	if (looks_like_percentile(name))
		return rules_percentile(name) != 0 ? &rules_keys[INDEX_LATENCY] : NULL;
	for (unsigned i = 0; i < rules_key_count && name.len < sizeof(rules_keys->name); i++) {
		const struct key *k = &rules_keys[i];

		if (k->name[0] == name.at[0] && k->name[name.len] == '\0' &&
		    k->name[name.len - 1] != '\0' && i != INDEX_LATENCY &&
		    memcmp(k->name, name.at, name.len) == 0)
			return k;
	}
	return NULL;
}

static void
tell_unknown_key(struct parser *p, struct span key)
{
	struct near near = {NULL, 0};

	if (looks_like_percentile(key)) {
		rules_fail(p, p->line,
			   "unknown key '%.*s': a percentile is p50 to p99.9, with "
			   "at most one decimal",
			   SPAN(key));
		return;
	}
	for (unsigned i = 0; i < rules_key_count; i++)
		near_offer(&near, key, rules_keys[i].name);
	if (near.word != NULL)
		rules_fail(p, p->line, "unknown key '%.*s' (did you mean '%s'?)", SPAN(key),
			   near.word);
	else
		rules_fail(p, p->line, "unknown key '%.*s'", SPAN(key));
}

/* match and fallback may come again, and so are never second. */
static bool
is_second(struct parser *p, const struct key *k, struct span name)
{
	uint32_t *line = &p->key_line[k - rules_keys];
	uint32_t first = *line;

	if (first == 0)
		*line = p->line;
	if (first == 0 || k->kind == KEY_MATCH || k->kind == KEY_FALLBACK)
		return false;
	if (k->kind == KEY_LATENCY)
		rules_fail(p, p->line,
			   "'%.*s' is a second pNN in this section; the first is on line %u",
			   SPAN(name), first);
	else
		rules_fail(p, p->line,
			   "'%.*s' is set a second time in this section; first on line %u",
			   SPAN(name), first);
	return true;
}

static void
add_match(struct parser *p, struct span value)
{
	struct rule_match match;
	struct section *s = p->section;

	if (s == &p->defaults) {
		rules_fail(p, p->line, "'match' has no meaning in [defaults]");
		return;
	}
	if (!rules_match_value(p, value, &match) || s == &p->junk)
		return;
	if (match.kind == HOST_REGION && span_is(s->name, "*")) {
		rules_fail(p, p->line,
			   "{region} has no meaning in [*], which has one breaker per host");
		return;
	}
	p->out->matches[p->out->match_count++] = match;
	s->match_count++;
}

static void
add_fallback(struct parser *p, bool is_first, struct span value)
{
	struct settings *s = &p->section->settings;

	if (is_first)
		s->fallback_count = 0;
	if (span_is(value, "none")) {
		if (!is_first)
			rules_fail(p, p->line, "'fallback = none' stands beside another fallback");
		return;
	}
	if (!rules_target_value(p, "fallback", value, false))
		return;
	if (s->fallback_count == FALLBACKS_MAX)
		rules_fail(p, p->line, "more than 8 fallbacks in one section");
	else
		s->fallback[s->fallback_count++] = value;
}

/* A bad cooldown is told once, not again for what it seems to do to the other. */
static void
forgive(struct parser *p, const struct key *k)
{
	struct breaker_config *b = &p->section->settings.breaker;

	if (k == &rules_keys[INDEX_COOLDOWN])
		b->cooldown_ns = 0;
	else if (k == &rules_keys[INDEX_COOLDOWN_MAX])
		b->cooldown_max_ns = UINT64_MAX;
}

/* What else a value means than what its field says. */
static void
set_rest(struct parser *p, const struct key *k, struct span name)
{
	struct breaker_config *b = &p->section->settings.breaker;

	if (k->kind == KEY_LATENCY)
		b->latency_permille = rules_percentile(name);
	b->slot_ns = (b->window_ns + 9) / 10;
}

void
rules_set(struct parser *p, struct span name, struct span value)
{
	const struct key *k = find_key(name);

	if (k == NULL) {
		tell_unknown_key(p, name);
		return;
	}
	bool is_first = p->key_line[k - rules_keys] == 0;

	if (is_second(p, k, name))
		return;
	if (value.len == 0)
		rules_fail(p, p->line, "'%.*s' has no value", SPAN(name));
	else if (k->kind == KEY_MATCH)
		add_match(p, value);
	else if (k->kind == KEY_FALLBACK)
		add_fallback(p, is_first, value);
	else if (rules_value(p, k, value, (char *)p->section + k->offset))
		set_rest(p, k, name);
	else
		forgive(p, k);
}
