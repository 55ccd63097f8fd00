/* A rules file as a string, parsed into memory of just the size that it asked for. */
#ifndef TESTS_RULES_SUPPORT_H
#define TESTS_RULES_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rules.h"

#define ERRORS_MAX 65536

struct parsed {
	struct ruleset rules;
	char *text;
	void *memory;
	bool fine;
	unsigned count;
	char errors[ERRORS_MAX]; /* LINE: what is wrong, each with a line feed */
};

static inline void
parsed_error(void *context, unsigned line, const char *text)
{
	struct parsed *p = context;
	size_t len = strlen(p->errors);

	p->count++;
	snprintf(p->errors + len, sizeof(p->errors) - len, "%u: %s\n", line, text);
}

/* Exactly sized copies, so that the address sanitizer sees a step beyond. */
static inline struct parsed *
parse_bytes(const char *text, size_t len)
{
	struct parsed *p = calloc(1, sizeof(*p));
	size_t size = rules_memory(text, len);

	assert_non_null(p);
	p->text = malloc(len > 0 ? len : 1);
	p->memory = malloc(size > 0 ? size : 1);
	assert_non_null(p->text);
	assert_non_null(p->memory);
	memcpy(p->text, text, len);
	memset(p->memory, 0xa5, size);
	p->fine = rules_parse(&p->rules, p->text, len, p->memory, parsed_error, p);
	assert_int_equal(p->fine, p->count == 0);
	return p;
}

static inline struct parsed *
parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static inline void
parsed_free(struct parsed *p)
{
	free(p->text);
	free(p->memory);
	free(p);
}

/* The text parses without an error. */
static inline struct parsed *
parse_fine(const char *text)
{
	struct parsed *p = parse(text);

	assert_string_equal(p->errors, "");
	return p;
}

/* The errors of the text are these, in this order. */
static inline void
assert_errors(const char *text, const char *errors)
{
	struct parsed *p = parse(text);

	assert_string_equal(p->errors, errors);
	parsed_free(p);
}

static inline void
assert_span(struct span s, const char *expected)
{
	assert_int_equal(s.len, strlen(expected));
	if (s.len > 0)
		assert_memory_equal(s.at, expected, s.len);
}

/* A section that sets one key. */
static inline struct parsed *
parse_key(const char *key, const char *value)
{
	char text[8192];

	snprintf(text, sizeof(text), "[a]\nmatch = a.example\n%s = %s\n", key, value);
	return parse(text);
}

static inline void
assert_accepted(const char *key, const char *value)
{
	struct parsed *p = parse_key(key, value);

	if (!p->fine)
		fail_msg("%s = %s: %s", key, value, p->errors);
	parsed_free(p);
}

/* The one error is on line 3 and contains the piece. */
static inline void
assert_rejected(const char *key, const char *value, const char *piece)
{
	struct parsed *p = parse_key(key, value);

	if (p->count != 1 || strncmp(p->errors, "3: ", 3) != 0 || !strstr(p->errors, piece))
		fail_msg("%s = %s: %s", key, value, p->errors);
	parsed_free(p);
}

#endif
