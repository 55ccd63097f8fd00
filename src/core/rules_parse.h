/*
 * What the files of the rules parser share; nobody else includes it.
 *
 * The text is read once.  Only when that met an error is it read again, aloud: the
 * second time what was found wrong with a section as a whole is already known, so
 * that every error can be told in the order of the lines and none has to be kept.
 */
#ifndef CORE_RULES_PARSE_H
#define CORE_RULES_PARSE_H

#include <string.h>

#include "core/rules.h"

#define RULES_KEYS_MAX 32

/* What is wrong with a section as a whole, and room for the search for loops. */
struct verdict {
	bool no_match;
	uint8_t visit; /* enum in rules_loop.c */
	uint8_t next_fallback;
	uint32_t cooldown_line; /* where cooldown_max below cooldown is told; 0: fine */
	uint32_t parent;
	uint32_t loop_to; /* 1 + the section from which a fallback leads back here */
};

struct parser {
	const char *text;
	size_t len;
	rules_error_fn *on_error; /* NULL while the text is read silently */
	void *context;
	bool failed;
	bool clean; /* every byte is printable ASCII, a tab or a line's end */
	bool crlf_told;
	bool may_continue; /* a line that begins with white space has a value above it */
	uint32_t line;	   /* the one that is being read */

	struct ruleset *out;
	struct verdict *verdicts; /* one for each section */
	uint32_t *names;	  /* hash table: 1 + index of the section */
	uint32_t names_mask;
	char *joined; /* where values of several lines are put together */
	size_t joined_len;

	struct section *section;	   /* NULL before the first one */
	struct verdict *verdict;	   /* of this section */
	uint32_t key_line[RULES_KEYS_MAX]; /* in this section; 0: not set */
	struct section defaults;
	struct verdict defaults_verdict;
	bool defaults_set[RULES_KEYS_MAX];
	struct section junk; /* takes what stands under a header that is wrong */
	struct verdict junk_verdict;
};

enum key_kind {
	KEY_MATCH,
	KEY_REGION,
	KEY_COUNT,
	KEY_SHARE,
	KEY_DURATION,
	KEY_LATENCY,
	KEY_PROBE,
	KEY_STATUSES,
	KEY_STATUS,
	KEY_LATE,
	KEY_ANSWER,
	KEY_MODE,
	KEY_ERRNO,
	KEY_MESSAGE,
	KEY_FALLBACK,
	KEY_ALERT
};

struct key {
	char name[16];
	uint8_t kind;
	uint16_t offset; /* in struct section */
	uint64_t low, high;
};

enum key_index { /* in the table, of the keys on which others depend */
		 INDEX_MATCH = 0,
		 INDEX_LATENCY = 4,
		 INDEX_COOLDOWN = 7,
		 INDEX_COOLDOWN_MAX = 8,
		 INDEX_PROBE_SUCCESSES = 13,
		 INDEX_RAMP = 15
};

extern const struct key rules_keys[];
extern const unsigned rules_key_count;

/* Tells one error; what it needs to quote goes through %.*s and SPAN(). */
void rules_fail(struct parser *p, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define SPAN(s) (int)(s).len, (s).at

static inline bool
span_is(struct span s, const char *text)
{
	size_t len = strlen(text);

	return s.len == len && memcmp(s.at, text, len) == 0;
}

/* Whether every byte is printable ASCII, a tab or a line feed. */
bool rules_is_plain(const char *text, size_t len);

/* What is wrong with the bytes of one line, as a sentence; NULL: nothing. */
const char *rules_byte_fault(struct span line);

/* A [SECTION] line; the end of a section; its cooldown_max is below its cooldown. */
void rules_open_section(struct parser *p, struct span line);
void rules_close_section(struct parser *p);
void rules_tell_cooldown(struct parser *p);

struct span rules_trim(struct span s);
bool rules_name_is_valid(struct span name);

/* Sets what KEY = VALUE says in the current section. */
void rules_set(struct parser *p, struct span key, struct span value);

/* Reads one value into its field; false: told what is wrong. */
bool rules_value(struct parser *p, const struct key *k, struct span value, void *field);

/* Reads p50 to p99.9.  0: it is none. */
uint32_t rules_percentile(struct span key);

/* HOST[:PORT] in all its forms. */
bool rules_match_value(struct parser *p, struct span value, struct rule_match *out);

/* How many of the first bytes are letters, digits, '.', '_' or '-'. */
uint32_t rules_host_run(struct span s);

bool rules_host_is_valid(struct span host);

/* HOST[:PORT] of one host; and a URL.  name is the key for the error's sake. */
bool rules_target_value(struct parser *p, const char *name, struct span value, bool needs_port);
bool rules_url_value(struct parser *p, const char *name, struct span value);
bool rules_is_url(struct span value);

bool rules_probe_value(struct parser *p, struct span value);
bool rules_message_value(struct parser *p, struct span value);

/* Marks the sections whose fallbacks lead back to themselves. */
void rules_find_loops(struct parser *p);

/* The words of a key that takes one of a few; NULL behind the last. */
const char *rules_word(enum key_kind kind, unsigned index);

/* The numbers that refuse_errno may have; NULL behind the last. */
const char *rules_errno_at(unsigned index, int *number);

#endif
