#include "core/rules.h"

#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"
#include "core/text.h"

const char rules_builtin[] = "[*]\n";

static const char bom[3] = {'\xef', '\xbb', '\xbf'};

/* How many of each there may be at most, told by the first bytes of the lines. */
struct counts {
	size_t sections;
	size_t matches;
	size_t joined;
	size_t names; /* a power of two */
};

static size_t
bom_len(const char *text, size_t len)
{
	return len >= sizeof(bom) && memcmp(text, bom, sizeof(bom)) == 0 ? sizeof(bom) : 0;
}

static struct counts
count(const char *text, size_t len)
{
	struct counts c = {1, 1, 0, 4};
	const char *end = text + len;
	const char *line = text + bom_len(text, len);

	while (line != NULL && line < end) {
		c.sections += *line == '[';
		c.matches += *line == 'm' || *line == '[';
		if (*line == ' ' || *line == '\t')
			c.joined = len;
		line = memchr(line, '\n', (size_t)(end - line));
		if (line != NULL)
			line++;
	}
	while (c.names < 2 * c.sections)
		c.names *= 2;
	return c;
}

size_t
rules_memory(const char *text, size_t len)
{
	if (len > RULES_SIZE_MAX)
		return 0;
	struct counts c = count(text, len);

	return c.sections * (sizeof(struct section) + sizeof(struct verdict)) +
	       c.matches * sizeof(struct rule_match) + c.names * sizeof(uint32_t) + c.joined;
}

void
rules_fail(struct parser *p, uint32_t line, const char *format, ...)
{
	char buffer[RULES_ERROR_MAX];
	struct text t = text_over(buffer, sizeof(buffer));
	va_list args;

	p->failed = true;
	if (p->on_error == NULL)
		return;
	va_start(args, format);
	text_vformat(&t, format, args);
	va_end(args);
	p->on_error(p->context, line, buffer);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct span
rules_trim(struct span s)
{
	while (s.len > 0 && is_blank(s.at[s.len - 1]))
		s.len--;
	while (s.len > 0 && is_blank(*s.at)) {
		s.at++;
		s.len--;
	}
	return s;
}

static bool
is_empty_or_comment(struct span line)
{
	while (line.len > 0 && is_blank(*line.at)) {
		line.at++;
		line.len--;
	}
	return line.len == 0 || *line.at == '#' || *line.at == ';';
}

/* The length of the line at p, which is not the end, without its line end. */
static struct span
line_at(const char *at, const char *end, const char **next)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	struct span line = {at, (uint32_t)((newline != NULL ? newline : end) - at)};

	*next = newline != NULL ? newline + 1 : end;
	return line;
}

static void
strip_cr(struct span *line)
{
	if (line->len > 0 && line->at[line->len - 1] == '\r')
		line->len--;
}

/* What is wrong with the bytes of a line; NULL: nothing. */
static const char *
line_fault(const struct parser *p, struct span line)
{
	if (line.len > RULES_LINE_MAX)
		return "a line of more than 4096 bytes";
	return p->clean ? NULL : rules_byte_fault(line);
}

/* The value with the lines below that continue it. */
static struct span
gather(struct parser *p, struct span value, const char *next)
{
	const char *end = p->text + p->len;
	bool moved = false;

	while (next < end && (*next <= ' ' || *next == '#' || *next == ';')) {
		struct span line = line_at(next, end, &next);

		strip_cr(&line);
		if (is_empty_or_comment(line))
			continue;
		if (!is_blank(*line.at))
			break;
		if (line_fault(p, line) != NULL)
			continue;
		char *to = p->joined + p->joined_len;

		line = rules_trim(line);
		if (!moved)
			memmove(to, value.at, value.len);
		moved = true;
		if (value.len > 0)
			to[value.len++] = ' ';
		memcpy(to + value.len, line.at, line.len);
		value = (struct span){to, value.len + line.len};
	}
	if (moved)
		p->joined_len += value.len;
	return value;
}

static void
read_statement(struct parser *p, struct span line, const char *next)
{
	const char *equals = memchr(line.at, '=', line.len);

	p->may_continue = true;
	if (equals == NULL) {
		rules_fail(p, p->line, "'%.*s' is neither KEY = VALUE nor [SECTION] nor # comment",
			   SPAN(rules_trim(line)));
		return;
	}
	uint32_t key_len = (uint32_t)(equals - line.at);
	struct span key = rules_trim((struct span){line.at, key_len});
	struct span value = rules_trim((struct span){equals + 1, line.len - key_len - 1});

	if (key.len == 0)
		rules_fail(p, p->line, "a key is missing before the '='");
	else if (p->section == NULL)
		rules_fail(p, p->line, "'%.*s' stands before the first [SECTION]", SPAN(key));
	else
		rules_set(p, key, gather(p, value, next));
}

static void
tell_line_ends(struct parser *p, struct span *line)
{
	uint32_t len = line->len;

	strip_cr(line);
	if (line->len == len || p->crlf_told)
		return;
	p->crlf_told = true;
	rules_fail(p, p->line,
		   "the line ends in CR LF, as on Windows: save the file with LF alone "
		   "(sed -i 's/\\r$//' FILE)");
}

/* A match that cannot be read is not missing too. */
static void
note_match(struct parser *p, struct span line)
{
	const char *equals = memchr(line.at, '=', line.len);

	if (equals == NULL || is_blank(*line.at) || p->key_line[INDEX_MATCH] != 0)
		return;
	if (span_is(rules_trim((struct span){line.at, (uint32_t)(equals - line.at)}), "match"))
		p->key_line[INDEX_MATCH] = p->line;
}

static void
read_line(struct parser *p, struct span line, const char *next)
{
	tell_line_ends(p, &line);
	const char *fault = line_fault(p, line);

	if (fault != NULL) {
		p->may_continue = true;
		note_match(p, line);
		rules_fail(p, p->line, "%s", fault);
	} else if (p->verdict != NULL && p->verdict->cooldown_line == p->line) {
		rules_tell_cooldown(p);
	}
	if (fault != NULL || is_empty_or_comment(line))
		return;
	if (*line.at == '[')
		rules_open_section(p, line);
	else if (!is_blank(*line.at))
		read_statement(p, line, next);
	else if (!p->may_continue)
		rules_fail(p, p->line,
			   "the line begins with white space and so continues the value "
			   "above it, but there is none");
}

static void
read_text(struct parser *p)
{
	const char *end = p->text + p->len;
	const char *at = p->text + bom_len(p->text, p->len);

	if (at != p->text)
		rules_fail(p, 1,
			   "the file begins with a byte order mark: save it as UTF-8 "
			   "without BOM (sed -i '1s/^\\xEF\\xBB\\xBF//' FILE)");
	while (at < end) {
		const char *next;
		struct span line = line_at(at, end, &next);

		p->line++;
		read_line(p, line, next);
		at = next;
	}
	rules_close_section(p);
}

static void
start_over(struct parser *p)
{
	p->line = 0;
	p->crlf_told = false;
	p->may_continue = false;
	p->out->section_count = 0;
	p->out->match_count = 0;
	p->joined_len = 0;
	p->section = NULL;
	p->verdict = NULL;
	memset(p->names, 0, (p->names_mask + 1) * sizeof(*p->names));
	memset(p->defaults_set, 0, sizeof(p->defaults_set));
	memset(&p->defaults, 0, sizeof(p->defaults));
	settings_default(&p->defaults.settings);
}

static void
lay_out(struct parser *p, void *memory)
{
	struct counts c = count(p->text, p->len);
	char *at = memory;

	p->out->sections = memory;
	at += c.sections * sizeof(struct section);
	p->out->matches = (void *)at;
	at += c.matches * sizeof(struct rule_match);
	p->verdicts = (void *)at;
	at += c.sections * sizeof(struct verdict);
	p->names = (void *)at;
	p->names_mask = (uint32_t)c.names - 1;
	p->joined = at + c.names * sizeof(uint32_t);
}

static const char *
text_fault(const char *text, size_t len)
{
	if (len > RULES_SIZE_MAX)
		return "the file is larger than 1 MiB";
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return "the file is UTF-16: save it as UTF-8 without BOM";
	return NULL;
}

bool
rules_parse(struct ruleset *out, const char *text, size_t len, void *memory,
	    rules_error_fn *on_error, void *context)
{
	struct parser p;
	const char *fault = text_fault(text, len);

	if (fault != NULL) {
		on_error(context, 0, fault);
		return false;
	}
	memset(&p, 0, sizeof(p));
	p.text = text;
	p.len = len;
	p.out = out;
	p.context = context;
	p.clean = rules_is_plain(text, len);
	lay_out(&p, memory);
	start_over(&p);
	read_text(&p);
	rules_find_loops(&p);
	if (!p.failed)
		return true;
	p.on_error = on_error;
	start_over(&p);
	read_text(&p);
	return false;
}
