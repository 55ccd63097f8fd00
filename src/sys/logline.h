/*
 * One line of the log in the making, as text or JSON.
 *
 * Text: cutout[PID] LEVEL EVENT BREAKER key=value ...  A value that is not plain
 * ASCII without spaces, quotes, backslashes and equals signs is written as a JSON
 * string; a lone - is one that is not known (null in JSON), so the line can be
 * taken apart again.  Control characters are escaped, the ones of Unicode that
 * reorder text or end lines too; what is no UTF-8 becomes U+FFFD.
 *
 * Works on the buffer alone.  A text longer than LOGLINE_TEXT_MAX bytes, as
 * written, is cut and ends in an ellipsis; a field for which no room is left is
 * left out whole.  So a line is always well-formed and never too long.
 */
#ifndef SYS_LOGLINE_H
#define SYS_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOGLINE_MAX 4096     /* with the newline */
#define LOGLINE_TEXT_MAX 896 /* four of them and all that stands between fit a line */

struct logline {
	bool json;
	bool full; /* the field being written does not fit */
	size_t len;
	char text[LOGLINE_MAX];
};

struct logline_head {
	uint64_t wall_ms; /* since 1970; JSON alone has it */
	int32_t pid;
	const char *level;
	const char *event;
	const char *breaker; /* NULL: none */
};

void logline_begin(struct logline *l, bool json, const struct logline_head *head);

void logline_text(struct logline *l, const char *key, const char *value); /* NULL: not known */
void logline_number(struct logline *l, const char *key, uint64_t value);
void logline_bool(struct logline *l, const char *key, bool value);

/* Nanoseconds as milliseconds, rounded to microseconds: 12, 0.5, 30000.125. */
void logline_ms(struct logline *l, const char *key, uint64_t ns);

/* Ends the line, newline included.  Returns its length; there is no terminating zero. */
size_t logline_end(struct logline *l);

#endif
