/*
 * Building a short text in memory that the caller gives.  What does not fit is cut
 * off; the text always ends in a zero.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/settings.h"

#define TEXT_QUOTE_MAX 60 /* bytes of a quoted piece that %.*s takes over */

struct text {
	char *at;
	size_t len;
	size_t size; /* with the terminating zero; at least 1 */
};

struct text text_over(char *buffer, size_t size);

void text_bytes(struct text *t, const char *bytes, size_t len);
void text_string(struct text *t, const char *s);
void text_number(struct text *t, uint64_t n);
void text_duration(struct text *t, uint64_t ns);    /* 250ms, 5s, 2m, 1h; the largest unit */
void text_share(struct text *t, uint32_t permille); /* 50%, 12.5% */

/*
 * As plain text in one line: control characters and Unicode's ends of lines become
 * spaces, malformed UTF-8 question marks.  Never part of a character, and after one that
 * does not fit the text is full for everything.
 */
void text_plain(struct text *t, const char *bytes, size_t len);

/*
 * Knows %s, %u and %.*s only; the last is shortened to TEXT_QUOTE_MAX bytes, at the
 * border of a character, with three dots.
 */
void text_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vformat(struct text *t, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
