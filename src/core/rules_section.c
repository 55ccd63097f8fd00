#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"

static const char defaults_name[] = "defaults";

bool
rules_name_is_valid(struct span name)
{
	if (name.len == 0 || name.len > RULES_NAME_MAX)
		return false;
	return rules_host_run(name) == name.len;
}

/* The name between the brackets; false: told what is wrong. */
static bool
read_header(struct parser *p, struct span line, struct span *name)
{
	const char *close = memchr(line.at, ']', line.len);

	if (close == NULL) {
		rules_fail(p, p->line, "'%.*s' has no ']'", SPAN(rules_trim(line)));
		return false;
	}
	*name = (struct span){line.at + 1, (uint32_t)(close - line.at - 1)};
	struct span rest = {close + 1, line.len - name->len - 2};

	rest = rules_trim(rest);
	if (rest.len != 0 && *rest.at != '#' && *rest.at != ';') {
		rules_fail(p, p->line, "'%.*s' follows the ']': a key has a line of its own",
			   SPAN(rest));
		return false;
	}
	if (span_is(*name, "*") || rules_name_is_valid(*name))
		return true;
	rules_fail(p, p->line,
		   "section name '%.*s' is not 1 to 64 of the characters A-Z a-z 0-9 . _ -",
		   SPAN(*name));
	return false;
}

static uint32_t
hash(struct span name)
{
	uint32_t h = 2166136261U;

	for (uint32_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.at[i]) * 16777619U;
	return h ^ h >> 15;
}

/* The section of that name before this one; NULL: none, and now it is known. */
static const struct section *
find_or_add(struct parser *p, struct span name)
{
	uint32_t slot = hash(name) & p->names_mask;

	for (; p->names[slot] != 0; slot = (slot + 1) & p->names_mask) {
		const struct section *s = &p->out->sections[p->names[slot] - 1];

		if (s->name.len == name.len && memcmp(s->name.at, name.at, name.len) == 0)
			return s;
	}
	p->names[slot] = p->out->section_count;
	return NULL;
}

static void
enter(struct parser *p, struct section *s, struct verdict *v, struct span name)
{
	if (p->on_error == NULL)
		memset(v, 0, sizeof(*v));
	s->name = name;
	s->line = p->line;
	p->section = s;
	p->verdict = v;
}

static void
open_defaults(struct parser *p, struct span name)
{
	if (p->defaults.line == 0) {
		enter(p, &p->defaults, &p->defaults_verdict, name);
		return;
	}
	rules_fail(p, p->line, "section [defaults] stands here again; it began on line %u",
		   p->defaults.line);
	enter(p, &p->junk, &p->junk_verdict, name);
}

static void
open_named(struct parser *p, struct span name)
{
	uint32_t index = p->out->section_count++;
	struct section *s = &p->out->sections[index];

	*s = p->defaults;
	s->first_match = p->out->match_count;
	s->match_count = 0;
	enter(p, s, &p->verdicts[index], name);
	const struct section *twin = find_or_add(p, name);

	if (twin != NULL)
		rules_fail(p, p->line, "section [%.*s] stands here again; it began on line %u",
			   SPAN(name), twin->line);
}

static void
tell_no_match(struct parser *p, struct span name)
{
	struct near near = {NULL, 0};

	near_offer(&near, name, defaults_name);
	if (near.word != NULL)
		rules_fail(p, p->line, "section [%.*s] has no match (did you mean [defaults]?)",
			   SPAN(name));
	else
		rules_fail(p, p->line, "section [%.*s] has no match", SPAN(name));
}

static void
tell_loop(struct parser *p, const struct section *from)
{
	if (from == p->section)
		rules_fail(p, p->line, "section [%.*s] falls back to itself", SPAN(from->name));
	else
		rules_fail(p, p->line, "section [%.*s] falls back to itself by way of [%.*s]",
			   SPAN(p->section->name), SPAN(from->name));
}

void
rules_open_section(struct parser *p, struct span line)
{
	struct span name;

	rules_close_section(p);
	p->may_continue = false;
	memset(p->key_line, 0, sizeof(p->key_line));
	if (!read_header(p, line, &name)) {
		p->junk = p->defaults;
		enter(p, &p->junk, &p->junk_verdict, (struct span){"", 0});
		return;
	}
	if (span_is(name, defaults_name))
		open_defaults(p, name);
	else
		open_named(p, name);
	if (p->on_error == NULL)
		return;
	if (p->verdict->no_match)
		tell_no_match(p, name);
	if (p->verdict->loop_to != 0)
		tell_loop(p, &p->out->sections[p->verdict->loop_to - 1]);
	if (p->verdict->cooldown_line == p->line)
		rules_tell_cooldown(p);
}

static bool
is_set(const struct parser *p, unsigned index)
{
	return p->key_line[index] != 0 || p->defaults_set[index];
}

/*
 * A maximum that nobody set gives way to a longer cooldown; one that somebody set
 * must not be below it.  What is wrong in [defaults] alone is told there alone.
 */
static void
settle_cooldown(struct parser *p)
{
	struct breaker_config *b = &p->section->settings.breaker;
	uint32_t line = p->key_line[INDEX_COOLDOWN_MAX];

	if (b->cooldown_max_ns >= b->cooldown_ns)
		return;
	if (!is_set(p, INDEX_COOLDOWN_MAX)) {
		if (p->section != &p->defaults)
			b->cooldown_max_ns = b->cooldown_ns;
		return;
	}
	if (line == 0)
		line = p->key_line[INDEX_COOLDOWN];
	if (p->section == &p->defaults && !p->defaults_set[INDEX_COOLDOWN])
		return;
	if (line == 0 && p->defaults_set[INDEX_COOLDOWN])
		return;
	p->verdict->cooldown_line = line != 0 ? line : p->section->line;
	p->failed = true;
}

void
rules_tell_cooldown(struct parser *p)
{
	rules_fail(p, p->line, "cooldown_max is below cooldown in section [%.*s]",
		   SPAN(p->section->name));
}

static void
settle_probe(struct parser *p)
{
	struct settings *s = &p->section->settings;

	if (s->probe != PROBE_CALL)
		return;
	s->breaker.probe_is_call = true;
	if (!is_set(p, INDEX_PROBE_SUCCESSES))
		s->breaker.probe_successes = 1;
	if (!is_set(p, INDEX_RAMP))
		s->breaker.ramp_ns = 0;
}

static void
settle_matches(struct parser *p)
{
	struct section *s = p->section;

	if (p->key_line[INDEX_MATCH] != 0)
		return;
	if (!span_is(s->name, "*")) {
		p->verdict->no_match = true;
		p->failed = true;
		return;
	}
	p->out->matches[p->out->match_count++] =
		(struct rule_match){.kind = HOST_ANY, .port_high = UINT16_MAX, .line = s->line};
	s->match_count = 1;
}

void
rules_close_section(struct parser *p)
{
	if (p->section == NULL || p->section == &p->junk)
		return;
	if (p->section == &p->defaults) {
		for (unsigned i = 0; i < rules_key_count; i++)
			p->defaults_set[i] = p->key_line[i] != 0;
		settle_cooldown(p);
		return;
	}
	settle_cooldown(p);
	settle_probe(p);
	settle_matches(p);
}
