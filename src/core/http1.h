/*
 * HTTP/1.x as it passes: where requests begin and end, and the status of each answer.
 *
 * Follows Content-Length, chunked bodies, bodies that last to the end of the stream, HEAD,
 * 204, 304, pipelined requests (up to 64 without an answer), several answers in one read, 1xx answers before the real
 * one, CONNECT and 101 (RFC 9112).
 */
#ifndef CORE_HTTP1_H
#define CORE_HTTP1_H

#include "core/settings.h"
#include "core/talk_event.h"

struct http1_sent;
struct http1_received;

/*
 * TALK_QUESTION at the first byte of a request (SILENCE_FAILS), TALK_ASKED at its last,
 * TALK_LOST where it is no HTTP.
 */
size_t http1_sent(struct http1_sent *s, const char *bytes, size_t size, struct talk_event *e);

/*
 * TALK_FIRST at the first byte of an answer that is not 1xx as soon as that is known,
 * TALK_ANSWER when its status is, TALK_UPGRADE after the head of a 101 or of an answer
 * to CONNECT of 2xx, TALK_LOST where it is no HTTP.  Bytes without a request: TALK_LOST.
 */
size_t http1_received(struct http1_received *r, const struct http1_sent *s, const char *bytes,
		      size_t size, struct talk_event *e);

/*
 * The host and port that a request for a proxy names, CONNECT HOST:PORT or GET
 * http://HOST[:PORT]/..., when the whole of its first line is in bytes; port 0 where the
 * line has none (then it is 80).  False: it is none.
 */
bool http1_proxied(const char *bytes, size_t size, struct span *host, uint16_t *port,
		   bool *is_connect);

#endif
