#include "core/match.h"
#include "core/rules_parse.h"

/*
 * Every breaker of a section falls back to the same hosts, and a host meets one
 * section, so a loop of fallbacks is a loop of sections.  A section with many
 * breakers may fall back to one of its own, and what [defaults] says for all may
 * mean the section itself: such a fallback is open when it would be asked for.
 */
enum { UNSEEN, ON_THE_WAY, DONE };

#define NO_SECTION UINT32_MAX

/* The section that a fallback meets. */
static uint32_t
target_of(const struct parser *p, uint32_t from, unsigned fallback)
{
	const struct section *s = &p->out->sections[from];
	struct dest d;
	struct met met;

	if (!dest_parse(s->settings.fallback[fallback], &d) || !match_find(p->out, NULL, &d, &met))
		return NO_SECTION;
	uint32_t to = (uint32_t)(met.section - p->out->sections);
	bool many = met.match->kind == HOST_REGION || span_is(s->name, "*");
	bool inherited =
		p->defaults.settings.fallback_count > fallback &&
		p->defaults.settings.fallback[fallback].at == s->settings.fallback[fallback].at;

	return to == from && (many || inherited) ? NO_SECTION : to;
}

static void
walk(struct parser *p, uint32_t start)
{
	uint32_t at = start;

	p->verdicts[at].visit = ON_THE_WAY;
	p->verdicts[at].parent = NO_SECTION;
	while (at != NO_SECTION) {
		struct verdict *v = &p->verdicts[at];

		if (v->next_fallback == p->out->sections[at].settings.fallback_count) {
			v->visit = DONE;
			at = v->parent;
			continue;
		}
		uint32_t to = target_of(p, at, v->next_fallback++);

		if (to == NO_SECTION)
			continue;
		if (p->verdicts[to].visit == ON_THE_WAY) {
			p->verdicts[to].loop_to = at + 1;
			p->failed = true;
		} else if (p->verdicts[to].visit == UNSEEN) {
			p->verdicts[to].visit = ON_THE_WAY;
			p->verdicts[to].parent = at;
			at = to;
		}
	}
}

void
rules_find_loops(struct parser *p)
{
	for (uint32_t i = 0; i < p->out->section_count; i++)
		if (p->verdicts[i].visit == UNSEEN && p->out->sections[i].settings.fallback_count)
			walk(p, i);
}
