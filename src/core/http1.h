/*
 * HTTP/1.x as it passes: where requests begin and end, and the status of each answer
 * (RFC 9112).  See talk_event.h for how it is fed; `stream` is always 0.
 *
 * Follows Content-Length, chunked bodies, bodies that last to the end of the stream, HEAD,
 * 204, 304, pipelined requests (up to 64 without an answer), several answers in one read,
 * 1xx answers before the real one, CONNECT and 101.  Bodies are skipped by count, and may
 * be seen by number only.
 */
#ifndef CORE_HTTP1_H
#define CORE_HTTP1_H

#include "core/http1_message.h"
#include "core/settings.h"
#include "core/talk_event.h"

#define HTTP1_PIPELINED_MAX 64

struct http1_sent {
	uint64_t is_head; /* a bit for each of the latest requests, by number */
	uint64_t is_connect;
	struct http1_message message;
	uint32_t requests; /* that were begun; wraps */
	uint8_t line;
	uint8_t at; /* in the method or the version */
	uint8_t method;
};

struct http1_received {
	struct http1_message message;
	uint32_t answers; /* whose head is over, 1xx left out; wraps */
	uint16_t status;
	uint8_t line;
	uint8_t at; /* in the version or the status */
};

/*
 * TALK_QUESTION (SILENCE_FAILS) at the first byte of a request, where that can begin a
 * method; what follows may yet turn out to be no HTTP.  TALK_ASKED at its last byte.
 * TALK_LOST at the byte that makes it no HTTP, which may be the first one: then without
 * a TALK_QUESTION.  Nothing but TALK_LOST comes after it.
 *
 * A method is upper case; a connection preface of HTTP/2 is TALK_LOST.  What follows a
 * CONNECT is taken for the next request until the answer says TALK_UPGRADE.
 */
size_t http1_sent(struct http1_sent *s, const char *bytes, size_t size, struct talk_event *e);

/* Whether a request was begun whose last byte is still to be sent. */
bool http1_is_asking(const struct http1_sent *s);

/*
 * TALK_FIRST at the first byte that tells that an answer is not 1xx, TALK_ANSWER at the
 * one behind its status, TALK_UPGRADE at the end of the head of a 101 or of an answer to
 * CONNECT of 2xx, TALK_LOST where it is no HTTP.  Bytes without a request: TALK_LOST, and
 * so is more of a body that lasts to the end of the stream when another request was begun.
 * Nothing but TALK_LOST comes after it or after TALK_UPGRADE.
 */
size_t http1_received(struct http1_received *r, const struct http1_sent *s, const char *bytes,
		      size_t size, struct talk_event *e);

/*
 * The host and port that a request for a proxy names, CONNECT HOST:PORT or GET
 * http://HOST[:PORT]/..., when the whole of its first line is in bytes; port 0 where the
 * line has none (then it is 80).  The host points into bytes, without the brackets of an
 * IPv6 address; it is not otherwise checked.  False: it is none.
 */
bool http1_proxied(const char *bytes, size_t size, struct span *host, uint16_t *port,
		   bool *is_connect);

#endif
