#include <asm/errno.h>
#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"
#include "core/text.h"

#define MS UINT64_C(1000000)

static const struct {
	char name[16];
	int number;
} errnos[] = {
	{"ECONNREFUSED", ECONNREFUSED}, {"ECONNRESET", ECONNRESET}, {"ECONNABORTED", ECONNABORTED},
	{"EHOSTUNREACH", EHOSTUNREACH}, {"EHOSTDOWN", EHOSTDOWN},   {"ENETUNREACH", ENETUNREACH},
	{"ENETDOWN", ENETDOWN},		{"ETIMEDOUT", ETIMEDOUT},   {"EACCES", EACCES},
};

const char *
rules_errno_at(unsigned index, int *number)
{
	if (index >= sizeof(errnos) / sizeof(errnos[0]))
		return NULL;
	*number = errnos[index].number;
	return errnos[index].name;
}

const char *
rules_errno_name(int number)
{
	for (unsigned i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (errnos[i].number == number)
			return errnos[i].name;
	return NULL;
}

const char *
rules_word(enum key_kind kind, unsigned index)
{
	static const char late[2][8] = {"ignore", "extend"};
	static const char answer[2][8] = {"text", "http"};
	static const char mode[3][8] = {"enforce", "observe", "off"};

	if (kind == KEY_MODE)
		return index < 3 ? mode[index] : NULL;
	if (kind == KEY_ERRNO)
		return index < sizeof(errnos) / sizeof(errnos[0]) ? errnos[index].name : NULL;
	if (index >= 2)
		return NULL;
	return kind == KEY_LATE ? late[index] : answer[index];
}

/* Text of digits up to a bound that no key reaches.  False: anything else. */
static bool
read_digits(struct span *s, uint64_t *out)
{
	uint32_t n = 0;

	*out = 0;
	while (n < s->len && s->at[n] >= '0' && s->at[n] <= '9' && n < 12)
		*out = *out * 10 + (uint64_t)(s->at[n++] - '0');
	s->at += n;
	s->len -= n;
	return n > 0;
}

static bool
starts_with_digit(struct span s)
{
	return s.len > 0 && *s.at >= '0' && *s.at <= '9';
}

/* Digits with up to places decimals, in units of the last place. */
static bool
read_decimal(struct span *s, unsigned places, uint64_t *out)
{
	if (!read_digits(s, out))
		return false;
	bool point = s->len > 0 && *s->at == '.' &&
		     starts_with_digit((struct span){s->at + 1, s->len - 1});

	if (point) {
		s->at++;
		s->len--;
	}
	for (unsigned n = 0; n < places; n++) {
		*out *= 10;
		if (point && starts_with_digit(*s)) {
			*out += (uint64_t)(*s->at++ - '0');
			s->len--;
		}
	}
	return true;
}

static bool
read_duration(struct span s, uint64_t *ns)
{
	static const struct {
		char unit[4];
		uint64_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	uint64_t thousandths;

	if (span_is(s, "0")) {
		*ns = 0;
		return true;
	}
	if (!read_decimal(&s, 3, &thousandths))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		if (!span_is(s, units[i].unit))
			continue;
		*ns = thousandths * units[i].ms / 1000 * MS;
		return thousandths * units[i].ms % 1000 == 0;
	}
	return false;
}

static bool
read_share(struct span s, uint64_t *permille)
{
	if (span_is(s, "0")) {
		*permille = 0;
		return true;
	}
	return read_decimal(&s, 1, permille) && span_is(s, "%");
}

/* Why a value that looks right is wrong; empty where nothing is known. */
static const char *
hint(const struct key *k, struct span value)
{
	uint64_t number;
	struct span rest = value;

	for (uint32_t i = 1; i + 1 < value.len; i++)
		if ((value.at[i] == '#' || value.at[i] == ';') && value.at[i - 1] == ' ')
			return "; a comment needs a line of its own";
	if (!read_digits(&rest, &number) || rest.len != 0)
		return "";
	if (k->kind == KEY_SHARE)
		return "; the % is missing";
	if (k->kind == KEY_DURATION || k->kind == KEY_LATENCY)
		return number == 0 ? "" : "; a unit is missing: ms, s, m or h";
	return "";
}

static void
put_bound(struct text *t, const struct key *k, uint64_t value)
{
	if (k->kind == KEY_SHARE)
		text_share(t, (uint32_t)value);
	else if (k->kind == KEY_COUNT || k->kind == KEY_STATUS)
		text_number(t, value);
	else
		text_duration(t, value);
}

static void
tell_bounds(struct parser *p, const struct key *k, struct span value)
{
	char buffer[64];
	struct text bounds = text_over(buffer, sizeof(buffer));
	const char *kind = k->kind == KEY_SHARE				   ? "share"
			   : k->kind == KEY_COUNT || k->kind == KEY_STATUS ? "whole number"
									   : "duration";

	put_bound(&bounds, k, k->low);
	text_string(&bounds, " to ");
	put_bound(&bounds, k, k->high);
	rules_fail(p, p->line, "%s = %.*s is not a %s from %s%s%s", k->name, SPAN(value), kind,
		   buffer, k->kind == KEY_LATENCY ? ", nor off" : "", hint(k, value));
}

static bool
set_number(struct parser *p, const struct key *k, struct span value, void *field)
{
	uint64_t n;
	bool is_read;

	if (k->kind == KEY_SHARE) {
		is_read = read_share(value, &n);
	} else if (k->kind == KEY_DURATION || k->kind == KEY_LATENCY) {
		is_read = read_duration(value, &n);
		if (k->kind == KEY_LATENCY && (span_is(value, "off") || (is_read && n == 0))) {
			*(uint64_t *)field = 0;
			return true;
		}
	} else {
		struct span rest = value;

		is_read = read_digits(&rest, &n) && rest.len == 0;
	}
	if (!is_read || n < k->low || n > k->high) {
		tell_bounds(p, k, value);
		return false;
	}
	if (k->kind == KEY_DURATION || k->kind == KEY_LATENCY)
		*(uint64_t *)field = n;
	else if (k->kind == KEY_STATUS)
		*(uint16_t *)field = (uint16_t)n;
	else
		*(uint32_t *)field = (uint32_t)n;
	return true;
}

static void
tell_words(struct parser *p, const struct key *k, struct span value)
{
	char buffer[160];
	struct text words = text_over(buffer, sizeof(buffer));
	struct near near = {NULL, 0};
	const char *word;

	for (unsigned i = 0; (word = rules_word(k->kind, i)) != NULL; i++) {
		text_format(&words, "%s%s", i > 0 ? ", " : "", word);
		near_offer(&near, value, word);
	}
	if (near.word != NULL)
		rules_fail(p, p->line, "%s = %.*s is not one of %s (did you mean '%s'?)", k->name,
			   SPAN(value), buffer, near.word);
	else
		rules_fail(p, p->line, "%s = %.*s is not one of %s%s", k->name, SPAN(value), buffer,
			   hint(k, value));
}

static bool
set_word(struct parser *p, const struct key *k, struct span value, void *field)
{
	const char *word;
	unsigned i = 0;

	while ((word = rules_word(k->kind, i)) != NULL && !span_is(value, word))
		i++;
	if (word == NULL) {
		tell_words(p, k, value);
		return false;
	}
	if (k->kind == KEY_LATE)
		*(bool *)field = i != 0;
	else if (k->kind == KEY_MODE)
		*(enum mode *)field = (enum mode)i;
	else if (k->kind == KEY_ANSWER)
		*(enum answer_kind *)field = (enum answer_kind)i;
	else
		rules_errno_at(i, field);
	return true;
}

/* LOW or LOW-HIGH. */
static bool
read_status_range(struct span s, uint64_t *low, uint64_t *high)
{
	if (!read_digits(&s, low))
		return false;
	*high = *low;
	if (s.len > 0) {
		if (*s.at != '-')
			return false;
		s.at++;
		s.len--;
		if (!read_digits(&s, high) || s.len > 0)
			return false;
	}
	return *low >= 100 && *high <= 599 && *low <= *high;
}

static bool
set_statuses(struct parser *p, const struct key *k, struct span value, void *field)
{
	struct status_ranges *ranges = field;
	uint64_t low, high;

	ranges->count = 0;
	if (k->low == 0 && span_is(value, "none"))
		return true;
	for (;;) {
		const char *comma = memchr(value.at, ',', value.len);
		uint32_t len = comma != NULL ? (uint32_t)(comma - value.at) : value.len;
		struct span item = rules_trim((struct span){value.at, len});

		if (!read_status_range(item, &low, &high)) {
			rules_fail(p, p->line,
				   "%s: '%.*s' is not a status or a range LOW-HIGH "
				   "from 100 to 599%s",
				   k->name, SPAN(item), hint(k, item));
			return false;
		}
		if (ranges->count == STATUS_RANGES_MAX) {
			rules_fail(p, p->line, "%s has more than 16 ranges", k->name);
			return false;
		}
		ranges->range[ranges->count].low = (uint16_t)low;
		ranges->range[ranges->count++].high = (uint16_t)high;
		if (comma == NULL)
			return true;
		value = (struct span){comma + 1, value.len - len - 1};
	}
}

static bool
set_region(struct parser *p, const struct key *k, struct span value, struct span *field)
{
	if (p->section != &p->defaults && span_is(p->section->name, "*")) {
		rules_fail(p, p->line,
			   "region has no meaning in [*], which has one breaker per host");
		return false;
	}
	if (!rules_name_is_valid(value)) {
		rules_fail(p, p->line,
			   "%s = %.*s is not 1 to 64 of the characters A-Z a-z 0-9 . _ -%s",
			   k->name, SPAN(value), hint(k, value));
		return false;
	}
	*field = span_is(value, "none") ? (struct span){NULL, 0} : value;
	return true;
}

static bool
set_alert(struct parser *p, const struct key *k, struct span value, struct span *field)
{
	if (span_is(value, "none")) {
		*field = (struct span){NULL, 0};
		return true;
	}
	if (!rules_url_value(p, k->name, value))
		return false;
	*field = value;
	return true;
}

bool
rules_value(struct parser *p, const struct key *k, struct span value, void *field)
{
	switch ((enum key_kind)k->kind) {
	case KEY_REGION:
		return set_region(p, k, value, field);
	case KEY_PROBE:
		return rules_probe_value(p, value);
	case KEY_STATUSES:
		return set_statuses(p, k, value, field);
	case KEY_LATE:
	case KEY_ANSWER:
	case KEY_MODE:
	case KEY_ERRNO:
		return set_word(p, k, value, field);
	case KEY_MESSAGE:
		return rules_message_value(p, value);
	case KEY_ALERT:
		return set_alert(p, k, value, field);
	default:
		return set_number(p, k, value, field);
	}
}
