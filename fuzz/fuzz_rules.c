/*
 * Any bytes as a rules file: every error stands on a line of the file, in order;
 * what is accepted points into the text or the memory, lies within the bounds of the
 * format, and means the same when it is printed and read again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/match.h"
#include "core/rules.h"
#include "core/text.h"

struct file {
	const char *text;
	size_t len;
	char *memory;
	size_t memory_size;
	unsigned lines, last_line, errors;
	struct ruleset rules;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
take_error(void *context, unsigned line, const char *text)
{
	struct file *f = context;

	assert(line <= f->lines);
	assert(line >= f->last_line);
	assert(strlen(text) > 0 && strlen(text) < RULES_ERROR_MAX);
	f->last_line = line;
	f->errors++;
}

static void
check_span(const struct file *f, struct span s)
{
	if (s.len == 0)
		return;
	bool in_text = s.at >= f->text && s.at + s.len <= f->text + f->len;
	bool in_memory = s.at >= f->memory && s.at + s.len <= f->memory + f->memory_size;

	assert(in_text || in_memory);
}

static void
check_breaker(const struct breaker_config *b)
{
	assert(b->slot_ns > 0 && b->slot_ns * 10 >= b->window_ns);
	assert(b->latency_permille >= 500 && b->latency_permille <= 999);
	assert(b->failure_permille <= 1000 && b->cooldown_jitter_permille <= 1000);
	assert(b->min_samples >= 1 && b->probe_successes >= 1);
	assert(b->cooldown_ns > 0 && b->cooldown_ns <= b->cooldown_max_ns);
}

static void
check_section(const struct file *f, const struct section *s)
{
	check_span(f, s->name);
	check_span(f, s->region);
	check_span(f, s->settings.message);
	check_span(f, s->settings.alert);
	check_span(f, s->settings.probe_target);
	assert(s->settings.fallback_count <= FALLBACKS_MAX);
	for (unsigned i = 0; i < s->settings.fallback_count; i++)
		check_span(f, s->settings.fallback[i]);
	check_breaker(&s->settings.breaker);
	assert(s->match_count > 0);
	assert(s->first_match + s->match_count <= f->rules.match_count);
	assert(rules_errno_name(s->settings.refuse_errno) != NULL);
}

static bool
parse(struct file *f, const char *text, size_t len)
{
	memset(f, 0, sizeof(*f));
	f->text = text;
	f->len = len;
	f->lines = 1;
	for (size_t i = 0; i < len; i++)
		f->lines += text[i] == '\n';
	f->memory_size = rules_memory(text, len);
	f->memory = malloc(f->memory_size + 1);
	if (!f->memory)
		abort();
	memset(f->memory, 0xa5, f->memory_size);
	bool fine = rules_parse(&f->rules, text, len, f->memory, take_error, f);

	assert(fine == (f->errors == 0));
	for (uint32_t i = 0; fine && i < f->rules.section_count; i++)
		check_section(f, &f->rules.sections[i]);
	return fine;
}

static void
check_match(const struct file *f, const char *word, size_t len)
{
	struct dest d;
	struct met met;
	uint32_t from = 0;
	char printed[DEST_TEXT_MAX];

	if (!dest_parse((struct span){word, (uint32_t)len}, &d))
		return;
	assert(dest_print(&d, printed) < DEST_TEXT_MAX);
	while (match_next(&f->rules, NULL, &d, &from, &met)) {
		size_t name_len = strlen(met.breaker);

		assert(name_len > 0 && name_len <= BREAKER_NAME_MAX);
		assert(met.section == &f->rules.sections[from - 1]);
	}
}

static void
check_matches(const struct file *f)
{
	static const char *const words[] = {"api.carrier.example:443",
					    "dynamodb.eu-west-1.amazonaws.com",
					    "10.1.2.3:80",
					    "[2001:db8::1]:443",
					    "localhost:53",
					    "x",
					    "a.b.c.d.e.f.:65535"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		check_match(f, words[i], strlen(words[i]));
	for (uint32_t i = 0; i < f->rules.match_count; i++)
		if (f->rules.matches[i].text.len > 0)
			check_match(f, f->rules.matches[i].text.at, f->rules.matches[i].text.len);
}

/* Prints a section and reads it again, when a plain match is put before it. */
static void
check_print(const struct section *s)
{
	char once[16384], twice[16384];
	struct text t = text_over(once, sizeof(once));
	struct file again;

	text_string(&t, "[a]\nmatch = a.example\n");
	size_t from = t.len;

	rules_print(&t, s);
	assert(t.len < t.size - 1);
	/* The section's fallbacks may lead back to the one that the test made up. */
	if (s->settings.fallback_count == 0) {
		assert(parse(&again, once, t.len));
		struct text u = text_over(twice, sizeof(twice));
		struct section copy = again.rules.sections[0];

		copy.name = s->name;
		rules_print(&u, &copy);
		assert(strcmp(once + from, twice) == 0);
		free(again.memory);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file f;

	if (parse(&f, (const char *)data, size)) {
		check_matches(&f);
		for (uint32_t i = 0; i < f.rules.section_count && i < 4; i++)
			check_print(&f.rules.sections[i]);
	}
	free(f.memory);
	return 0;
}
