/*
 * Conversations in HTTP/2, for the tests of its reader, in hexadecimal digits; spaces are
 * left out, and "?N" are N bytes that were seen by number only.
 */
#ifndef TESTS_UNIT_HTTP2_SUPPORT_H
#define TESTS_UNIT_HTTP2_SUPPORT_H

#include <stdlib.h>

#include "core/http2.h"
#include "tests/unit/talk_support.h"

#define PREFACE "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a"
#define SETTINGS "000000 04 00 00000000 "
#define SETTINGS_ACK "000000 04 01 00000000 "
/* A client's begin with a whole request on stream 1. */
#define GET "000003 01 05 00000001 828684 "
#define BEGIN PREFACE SETTINGS GET

struct frames {
	bool is_sent;
	const char *digits;
};

static inline size_t
feed_sent(void *sent, const char *bytes, size_t size, struct talk_event *e)
{
	return http2_sent(sent, bytes, size, e);
}

static inline size_t
feed_received(void *received, const void *sent, const char *bytes, size_t size,
	      struct talk_event *e)
{
	return http2_received(received, sent, bytes, size, e);
}

static const struct talk_reader http2_reader = {feed_sent, feed_received};

/* Returns how many bytes the digits are. */
static inline size_t
from_digits(const char *digits, char *out, size_t size)
{
	size_t n = 0;

	for (const char *at = digits; *at != '\0';) {
		char pair[3] = {at[0], at[1], '\0'};

		if (*at == ' ') {
			at++;
			continue;
		}
		assert_true(n < size && pair[1] != '\0' && pair[1] != ' ');
		out[n++] = (char)strtol(pair, NULL, 16);
		at += 2;
	}
	return n;
}

static inline void
assert_frames_at(const struct frames *frames, size_t count, const char *what, const char *where)
{
	static char bytes[1 << 16];
	struct talk_piece pieces[64];
	size_t used = 0;

	assert_true(count <= 64);
	for (size_t i = 0; i < count; i++) {
		const char *digits = frames[i].digits;

		pieces[i] = (struct talk_piece){frames[i].is_sent, NULL, 0};
		if (digits[0] == '?') {
			pieces[i].size = (size_t)atoi(digits + 1);
			continue;
		}
		pieces[i].bytes = bytes + used;
		pieces[i].size = from_digits(digits, bytes + used, sizeof(bytes) - used);
		used += pieces[i].size;
	}
	talk_assert_at(&http2_reader, pieces, count, what, where);
}

#define assert_frames(frames, what)                                                                \
	assert_frames_at(frames, sizeof(frames) / sizeof((frames)[0]), what, NULL)

/* What one answer to a GET makes. */
static inline void
assert_answer(const char *digits, const char *what)
{
	struct frames talk[] = {{true, BEGIN}, {false, SETTINGS}, {false, digits}};
	char all[TALK_TRACE_MAX];

	snprintf(all, sizeof(all), "question#1 asked#1%s%s", what[0] != '\0' ? " " : "", what);
	assert_frames(talk, all);
}

#endif
