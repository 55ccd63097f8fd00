#include "cli/sim_name.h"

#include <limits.h>
#include <string.h>

#include "core/near.h"

#define QUOTE(s) (int)(s).len, (s).at

static bool
span_same(struct span a, struct span b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool
is_rest(const struct section *s)
{
	return s->name.len == 1 && s->name.at[0] == '*';
}

static const struct section *
find_section(const struct ruleset *rules, struct span name)
{
	for (uint32_t i = 0; i < rules->section_count; i++)
		if (span_same(rules->sections[i].name, name))
			return &rules->sections[i];
	return NULL;
}

static bool
has_match(const struct ruleset *rules, const struct section *s, bool with_region)
{
	for (uint32_t i = 0; i < s->match_count; i++)
		if ((rules->matches[s->first_match + i].kind == HOST_REGION) == with_region)
			return true;
	return false;
}

/* Copies the name of the section that name is near to.  False: none. */
static bool
near_section(const struct ruleset *rules, struct span name, char out[RULES_NAME_MAX + 1])
{
	struct near n = {NULL, 0};

	for (uint32_t i = 0; i < rules->section_count; i++) {
		char candidate[RULES_NAME_MAX + 1];
		struct text t = text_over(candidate, sizeof(candidate));
		unsigned before = n.word ? n.distance : UINT_MAX;

		text_bytes(&t, rules->sections[i].name.at, rules->sections[i].name.len);
		if (is_rest(&rules->sections[i]))
			continue;
		near_offer(&n, name, candidate);
		if (n.word && n.distance < before)
			memcpy(out, candidate, sizeof(candidate));
	}
	return n.word != NULL;
}

static bool
unknown_section(const struct ruleset *rules, struct span name, struct text *why)
{
	char meant[RULES_NAME_MAX + 1];

	text_format(why, "no section '%.*s' in the rules", QUOTE(name));
	if (near_section(rules, name, meant))
		text_format(why, " (did you mean '%s'?)", meant);
	return false;
}

/* A host has a dot or a colon in most cases; without one it may be a typing error. */
static bool
is_mistyped(const struct ruleset *rules, struct span name)
{
	char meant[RULES_NAME_MAX + 1];

	return !memchr(name.at, '.', name.len) && !memchr(name.at, ':', name.len) &&
	       near_section(rules, name, meant);
}

static bool
meet(const struct section *s, struct span region, struct met *out)
{
	struct text t = text_over(out->breaker, sizeof(out->breaker));

	out->section = s;
	out->match = NULL;
	text_bytes(&t, s->name.at, s->name.len);
	if (region.len > 0) {
		text_string(&t, "/");
		text_bytes(&t, region.at, region.len);
	}
	return true;
}

static bool
resolve_section(const struct ruleset *rules, const struct section *s, struct met *out,
		struct text *why)
{
	if (is_rest(s))
		text_string(why, "[*] has a breaker for each host: name the host");
	else if (s->region.len > 0)
		text_format(why, "the breaker of [%.*s] is '%.*s/%.*s'", QUOTE(s->name),
			    QUOTE(s->name), QUOTE(s->region));
	else if (!has_match(rules, s, false))
		text_format(why, "[%.*s] has a breaker for each region: name '%.*s/REGION'",
			    QUOTE(s->name), QUOTE(s->name));
	else
		return meet(s, s->region, out);
	return false;
}

/* What {region} can stand for; the matcher writes it in small letters. */
static bool
is_region(struct span text)
{
	for (uint32_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
			return false;
	}
	return text.len > 0;
}

static bool
resolve_region(const struct ruleset *rules, struct span name, uint32_t slash, struct met *out,
	       struct text *why)
{
	struct span region = {name.at + slash + 1, name.len - slash - 1};
	const struct section *s = find_section(rules, (struct span){name.at, slash});

	if (!s || is_rest(s))
		return unknown_section(rules, (struct span){name.at, slash}, why);
	if (s->name.len + region.len < BREAKER_NAME_MAX &&
	    (span_same(s->region, region) || (has_match(rules, s, true) && is_region(region))))
		return meet(s, region, out);
	text_format(why, "[%.*s] has no region '%.*s'", QUOTE(s->name), QUOTE(region));
	return false;
}

static bool
resolve_host(const struct ruleset *rules, struct span name, struct met *out, struct text *why)
{
	struct dest d;

	if (!find_section(rules, (struct span){"*", 1}) || is_mistyped(rules, name))
		return unknown_section(rules, name, why);
	if (!dest_parse(name, &d) || !match_find(rules, NULL, &d, out)) {
		text_format(why, "no section and no host that [*] covers: '%.*s'", QUOTE(name));
		return false;
	}
	if (is_rest(out->section))
		return true;
	text_format(why, "the breaker of '%.*s' is '%s'", QUOTE(name), out->breaker);
	return false;
}

bool
sim_name_resolve(const struct ruleset *rules, struct span name, struct met *out, struct text *why)
{
	const struct section *s = find_section(rules, name);
	const char *slash = memchr(name.at, '/', name.len);

	if (s)
		return resolve_section(rules, s, out, why);
	if (slash)
		return resolve_region(rules, name, (uint32_t)(slash - name.at), out, why);
	return resolve_host(rules, name, out, why);
}
