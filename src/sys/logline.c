#include "sys/logline.h"

#include <string.h>

#define ROOM (LOGLINE_MAX - 2) /* the closing brace and the newline always fit */
#define UNIT_MAX 6	       /* \u00XX */

static const char ellipsis[] = "...";
static const char replacement[] = "\xEF\xBF\xBD";

static void
put(struct logline *l, const char *data, size_t len)
{
	if (l->full || len > ROOM - l->len) {
		l->full = true;
		return;
	}
	memcpy(l->text + l->len, data, len);
	l->len += len;
}

static void
put_str(struct logline *l, const char *s)
{
	put(l, s, strlen(s));
}

static void
put_u64(struct logline *l, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	put(l, digits + at, sizeof(digits) - at);
}

/* The last digits of a number, zeros in front included. */
static void
put_padded(struct logline *l, uint64_t value, unsigned width)
{
	char digits[20];

	for (unsigned at = width; at-- > 0; value /= 10)
		digits[at] = (char)('0' + value % 10);
	put(l, digits, width);
}

/* How many bytes the UTF-8 character at s has; 0: it is none. */
static unsigned
utf8_decode(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned len = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;

	if (len == 0)
		return 0;
	*code = len == 1 ? *s : *s & (0x7FU >> len);
	for (unsigned i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (s[i] & 0x3FU);
	}
	if (*code < least[len] || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
		return 0;
	return len;
}

/* Controls, line and paragraph separators, and what reorders text on a terminal. */
static bool
needs_escape(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x200E || code == 0x200F ||
	       (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static unsigned
escape(uint32_t code, char out[UNIT_MAX])
{
	static const char hex[] = "0123456789abcdef";
	char letter = code == '\n' ? 'n' : code == '\t' ? 't' : code == '\r' ? 'r' : '\0';

	out[0] = '\\';
	if (letter || code == '"' || code == '\\') {
		out[1] = letter ? letter : (char)code;
		return 2;
	}
	out[1] = 'u';
	for (unsigned i = 0; i < 4; i++)
		out[2 + i] = hex[code >> (12 - 4 * i) & 15];
	return UNIT_MAX;
}

/* Writes one character of a JSON string to out and steps over it. */
static unsigned
next_unit(const char **s, char out[UNIT_MAX])
{
	uint32_t code = 0;
	unsigned len = utf8_decode((const unsigned char *)*s, &code);

	if (len == 0) {
		*s += 1;
		memcpy(out, replacement, 3);
		return 3;
	}
	if (needs_escape(code) || code == '"' || code == '\\') {
		*s += len;
		return escape(code, out);
	}
	memcpy(out, *s, len);
	*s += len;
	return len;
}

static void
put_units(struct logline *l, const char *s)
{
	const size_t start = l->len;
	size_t cut = start; /* the last place where an ellipsis would still fit */

	while (*s && !l->full) {
		char unit[UNIT_MAX];
		unsigned n = next_unit(&s, unit);

		if (l->len + n - start > LOGLINE_TEXT_MAX) {
			l->len = cut;
			put_str(l, ellipsis);
			return;
		}
		put(l, unit, n);
		if (l->len - start <= LOGLINE_TEXT_MAX - strlen(ellipsis))
			cut = l->len;
	}
}

static bool
is_plain(const char *s)
{
	if (!*s || strcmp(s, "-") == 0)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '"' || *s == '\\' || *s == '=')
			return false;
	return true;
}

static void
put_value(struct logline *l, const char *value)
{
	const char *quote = l->json || !value || !is_plain(value) ? "\"" : "";

	if (!value) {
		put_str(l, l->json ? "null" : "-");
		return;
	}
	put_str(l, quote);
	put_units(l, value);
	put_str(l, quote);
}

static size_t
field_begin(struct logline *l, const char *key)
{
	size_t start = l->len;

	put_str(l, l->json ? ",\"" : " ");
	put_str(l, key);
	put_str(l, l->json ? "\":" : "=");
	return start;
}

static void
field_end(struct logline *l, size_t start)
{
	if (l->full)
		l->len = start;
	l->full = false;
}

void
logline_text(struct logline *l, const char *key, const char *value)
{
	size_t start = field_begin(l, key);

	put_value(l, value);
	field_end(l, start);
}

void
logline_number(struct logline *l, const char *key, uint64_t value)
{
	size_t start = field_begin(l, key);

	put_u64(l, value);
	field_end(l, start);
}

void
logline_bool(struct logline *l, const char *key, bool value)
{
	size_t start = field_begin(l, key);

	put_str(l, value ? "true" : "false");
	field_end(l, start);
}

void
logline_ms(struct logline *l, const char *key, uint64_t ns)
{
	size_t start = field_begin(l, key);
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);
	uint64_t part = us % 1000;
	unsigned width = 3;

	put_u64(l, us / 1000);
	if (part) {
		for (; part % 10 == 0; part /= 10)
			width--;
		put_str(l, ".");
		put_padded(l, part, width);
	}
	field_end(l, start);
}

/* By hand, since gmtime_r may read files and take locks; see Hinnant's civil_from_days. */
static void
put_time(struct logline *l, uint64_t wall_ms)
{
	uint64_t seconds = wall_ms / 1000;
	uint64_t days = seconds / 86400 + 719468; /* since the first of March of the year 0 */
	uint64_t era = days / 146097;
	uint64_t day_of_era = days % 146097;
	uint64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint64_t month_from_march = (5 * day_of_year + 2) / 153;
	uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;

	put_padded(l, era * 400 + year_of_era + (month <= 2), 4);
	put_str(l, "-");
	put_padded(l, month, 2);
	put_str(l, "-");
	put_padded(l, day_of_year - (153 * month_from_march + 2) / 5 + 1, 2);
	put_str(l, "T");
	put_padded(l, seconds / 3600 % 24, 2);
	put_str(l, ":");
	put_padded(l, seconds / 60 % 60, 2);
	put_str(l, ":");
	put_padded(l, seconds % 60, 2);
	put_str(l, ".");
	put_padded(l, wall_ms % 1000, 3);
	put_str(l, "Z");
}

void
logline_begin(struct logline *l, bool json, const struct logline_head *head)
{
	l->json = json;
	l->full = false;
	l->len = 0;
	if (json) {
		put_str(l, "{\"ts\":\"");
		put_time(l, head->wall_ms);
		put_str(l, "\"");
		logline_number(l, "pid", (uint64_t)head->pid);
		logline_text(l, "level", head->level);
		logline_text(l, "event", head->event);
		logline_text(l, "breaker", head->breaker);
		return;
	}
	put_str(l, "cutout[");
	put_u64(l, (uint64_t)head->pid);
	put_str(l, "] ");
	put_str(l, head->level);
	put_str(l, " ");
	put_str(l, head->event);
	put_str(l, " ");
	put_value(l, head->breaker);
}

size_t
logline_end(struct logline *l)
{
	if (l->json)
		l->text[l->len++] = '}';
	l->text[l->len++] = '\n';
	return l->len;
}
