/* Conversations in HTTP/1, for the tests of its reader. */
#ifndef TESTS_UNIT_HTTP1_SUPPORT_H
#define TESTS_UNIT_HTTP1_SUPPORT_H

#include "core/http1.h"
#include "tests/unit/talk_support.h"

static inline size_t
feed_sent(void *sent, const char *bytes, size_t size, struct talk_event *e)
{
	return http1_sent(sent, bytes, size, e);
}

static inline size_t
feed_received(void *received, const void *sent, const char *bytes, size_t size,
	      struct talk_event *e)
{
	return http1_received(received, sent, bytes, size, e);
}

static const struct talk_reader http1_reader = {feed_sent, feed_received};

#define assert_talk_at(pieces, what, where)                                                        \
	talk_assert_at(&http1_reader, pieces, sizeof(pieces) / sizeof((pieces)[0]), what, where)
#define assert_talk(pieces, what) assert_talk_at(pieces, what, NULL)

#define GET "GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n"

#endif
