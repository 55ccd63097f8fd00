/*
 * A connection's two directions as questions and answers, whatever the protocol: told
 * apart by the first bytes that the program sends, and again after an upgrade (CONNECT,
 * 101, STARTTLS).
 *
 * What is none of the protocols that can be read is a talk by turns: what is sent after
 * something was received is the next question, and what is received after a question, or
 * before the first one (a greeting), is its answer.
 *
 * See talk_event.h for how the readers are fed.  Both sides of one connection are fed
 * under the caller's lock.
 */
#ifndef CORE_TALK_H
#define CORE_TALK_H

#include "core/http1.h"
#include "core/http2.h"
#include "core/tls.h"

enum talk_protocol { TALK_UNKNOWN, TALK_TURNS, TALK_HTTP1, TALK_HTTP2, TALK_TLS };

struct talk_sent {
	uint8_t protocol;  /* of both sides */
	uint8_t held;	   /* bytes that may yet begin a preface of HTTP/2 or TLS */
	uint8_t replayed;  /* of these, those that HTTP/1 was fed with after all */
	bool is_handshake; /* the one that is held begins a record of TLS */
	bool is_one_way;   /* what goes by turns may need no answer */
	uint32_t server;   /* for the caller to set: tells servers apart, see tls.h */
	uint32_t turns;	   /* questions, where they go by turns */
	uint64_t asked_ns; /* the last of these */
	union {
		struct http1_sent http1;
		struct http2_sent http2;
		struct tls_sent tls;
	} as;
};

struct talk_received {
	uint32_t turns; /* how many of them are answered */
	bool has_begun;
	union {
		struct http1_received http1;
		struct http2_received http2;
		struct tls_received tls;
	} as;
};

/*
 * TALK_UPGRADE and TALK_LOST: the caller calls talk_restart() or talk_by_turns(), and goes
 * on with the bytes that were not taken.
 */
size_t talk_sent(struct talk_sent *s, const struct talk_received *r, const char *bytes, size_t size,
		 uint64_t now_ns, struct talk_event *e);
size_t talk_received(struct talk_received *r, const struct talk_sent *s,
		     struct tls_tickets *learned, const char *bytes, size_t size, uint64_t now_ns,
		     struct talk_event *e);

/*
 * As at the connection's begin.  is_one_way: after a 101, whose protocol may send what
 * needs no answer.
 */
void talk_restart(struct talk_sent *s, struct talk_received *r, bool is_one_way);

/* From here on by turns; waits: a question has no answer yet. */
void talk_by_turns(struct talk_sent *s, struct talk_received *r, bool waits);

#endif
