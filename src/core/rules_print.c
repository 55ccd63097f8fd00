#include "core/answer.h"
#include "core/rules_parse.h"
#include "core/text.h"

static void
put_span(struct text *t, struct span s, const char *where_none)
{
	if (s.len == 0)
		text_string(t, where_none);
	else
		text_bytes(t, s.at, s.len);
}

static void
put_statuses(struct text *t, const struct status_ranges *r)
{
	if (r->count == 0)
		text_string(t, "none");
	for (unsigned i = 0; i < r->count; i++) {
		text_format(t, "%s%u", i > 0 ? ", " : "", (unsigned)r->range[i].low);
		if (r->range[i].high != r->range[i].low)
			text_format(t, "-%u", (unsigned)r->range[i].high);
	}
}

static void
put_probe(struct text *t, const struct settings *s)
{
	if (s->probe == PROBE_CALL)
		text_string(t, "call");
	else if (s->probe == PROBE_TCP)
		text_string(t, "tcp");
	else
		text_string(t, s->probe == PROBE_TCP_TARGET ? "tcp " : "");
	put_span(t, s->probe_target, "");
}

static void
put_number(struct text *t, const struct key *k, const void *field)
{
	if (k->kind == KEY_COUNT)
		text_number(t, *(const uint32_t *)field);
	else if (k->kind == KEY_STATUS)
		text_number(t, *(const uint16_t *)field);
	else if (k->kind == KEY_SHARE)
		text_share(t, *(const uint32_t *)field);
	else if (k->kind == KEY_LATENCY && *(const uint64_t *)field == 0)
		text_string(t, "off");
	else
		text_duration(t, *(const uint64_t *)field);
}

static void
put_word(struct text *t, const struct key *k, const struct settings *s)
{
	unsigned index = k->kind == KEY_LATE	 ? s->breaker.late_failure_extends
			 : k->kind == KEY_ANSWER ? s->answer
						 : s->mode;

	text_string(t, rules_word(k->kind, index));
}

static void
put_value(struct text *t, const struct key *k, const struct section *s)
{
	const void *field = (const char *)s + k->offset;

	switch ((enum key_kind)k->kind) {
	case KEY_REGION:
	case KEY_ALERT:
		put_span(t, *(const struct span *)field, "none");
		break;
	case KEY_PROBE:
		put_probe(t, &s->settings);
		break;
	case KEY_STATUSES:
		put_statuses(t, field);
		break;
	case KEY_LATE:
	case KEY_ANSWER:
	case KEY_MODE:
		put_word(t, k, &s->settings);
		break;
	case KEY_ERRNO:
		text_string(t, rules_errno_name(*(const int *)field));
		break;
	case KEY_MESSAGE:
		put_span(t, s->settings.message, answer_default_message);
		break;
	default:
		put_number(t, k, field);
	}
}

static void
put_percentile(struct text *t, uint32_t permille)
{
	text_format(t, "p%u", permille / 10);
	if (permille % 10 != 0)
		text_format(t, ".%u", permille % 10);
}

/* The key's column is as wide as the longest key. */
static void
put_key(struct text *t, const struct key *k, const struct settings *s)
{
	size_t from = t->len;

	if (k->kind == KEY_LATENCY)
		put_percentile(t, s->breaker.latency_permille);
	else
		text_string(t, k->name);
	while (t->len - from < sizeof(k->name) - 1 && t->len + 1 < t->size)
		text_string(t, " ");
	text_string(t, " = ");
}

static void
put_fallbacks(struct text *t, const struct key *k, const struct settings *s)
{
	for (unsigned i = 0; i < s->fallback_count || i == 0; i++) {
		put_key(t, k, s);
		put_span(t, i < s->fallback_count ? s->fallback[i] : (struct span){"", 0}, "none");
		text_string(t, "\n");
	}
}

void
rules_print(struct text *t, const struct section *s)
{
	bool is_rest = span_is(s->name, "*");

	for (unsigned i = 0; i < rules_key_count; i++) {
		const struct key *k = &rules_keys[i];

		if (k->kind == KEY_MATCH || (k->kind == KEY_REGION && is_rest))
			continue;
		if (k->kind == KEY_FALLBACK) {
			put_fallbacks(t, k, &s->settings);
			continue;
		}
		put_key(t, k, &s->settings);
		put_value(t, k, s);
		text_string(t, "\n");
	}
}
