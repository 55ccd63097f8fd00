/*
 * The rules file: from a buffer to sections.
 *
 * The format is cutout.rules(5).  The parser is pure: it reads the buffer, fills
 * memory that the caller gives, and calls back for every error it meets, in the
 * order of the lines.  The ruleset points into both, which must outlive it.
 */
#ifndef CORE_RULES_H
#define CORE_RULES_H

#include "core/dest.h"
#include "core/settings.h"

#define RULES_SIZE_MAX (1024U * 1024U)
#define RULES_LINE_MAX 4096 /* bytes in one line */
#define RULES_NAME_MAX 64   /* of a section or a fixed region */
#define RULES_MESSAGE_MAX 2048
#define RULES_URL_MAX 2048
#define RULES_ERROR_MAX 512 /* bytes of an error's sentence, with the terminating zero */

enum host_kind {
	HOST_ANY,    /* * */
	HOST_NAME,   /* the whole name */
	HOST_SUFFIX, /* *.suffix; host holds ".suffix" */
	HOST_REGION, /* host and tail before and after {region}; *. may begin it */
	HOST_CIDR    /* an address is a block of one */
};

struct rule_match {
	enum host_kind kind;
	struct span host; /* NAME, SUFFIX; REGION: what stands before {region} */
	struct span tail; /* REGION: what stands after it */
	bool any_depth;	  /* REGION: "*." stood before host */
	struct dest_addr addr;
	uint8_t prefix_bits;
	uint16_t port_low, port_high; /* 0 and 65535: any */
	uint32_t line;
	struct span text; /* as it is written; len 0: [*] implies it */
};

struct section {
	struct span name;   /* "*" for the rest */
	struct span region; /* the fixed one; len 0: none */
	struct settings settings;
	uint32_t line;
	uint32_t first_match, match_count; /* in the ruleset's matches */
};

struct ruleset {
	struct section *sections;
	uint32_t section_count;
	struct rule_match *matches;
	uint32_t match_count;
};

/* One error: the line it stands on (0: the whole file) and a sentence without a full stop. */
typedef void rules_error_fn(void *context, unsigned line, const char *text);

/*
 * How many bytes of memory rules_parse needs for this text at most.  A text over
 * RULES_SIZE_MAX needs none: all that is said of it is that it is too large.
 */
size_t rules_memory(const char *text, size_t len);

/*
 * Parses len bytes of text.  memory is aligned for any type and holds at least
 * rules_memory() bytes.  True: no error.  False: on_error was called at least once
 * and *out must not be used.
 */
bool rules_parse(struct ruleset *out, const char *text, size_t len, void *memory,
		 rules_error_fn *on_error, void *context);

/* The rules in force where there is no file: "[*]" with "match = *". */
extern const char rules_builtin[];

/* The platform's name for a number that refuse_errno may have; NULL for others. */
const char *rules_errno_name(int number);

struct text;

/*
 * Appends the settings of a section as lines of the file format, every key with its
 * value, so that they mean the same when they are read again.
 */
void rules_print(struct text *t, const struct section *s);

#endif
