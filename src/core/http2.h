/*
 * HTTP/2 as it passes, from the client's connection preface on: where each stream's request
 * begins and ends, and the status of its answer (RFC 9113).  See talk_event.h for how it is
 * fed; `stream` is the stream's number.
 *
 * Of payloads only the first field of an answer, error codes, and the last stream of a
 * GOAWAY are read; these and the heads of frames must be seen, all else may be seen by
 * number only.  A connection that came from HTTP/1 by an upgrade is read as well: an
 * answer may come on stream 1 that was asked for in HTTP/1.
 */
#ifndef CORE_HTTP2_H
#define CORE_HTTP2_H

#include "core/hpack_status.h"
#include "core/http2_frame.h"
#include "core/talk_event.h"

#define HTTP2_PREFACE_LEN 24

struct http2_sent {
	struct http2_frame frame;
	uint32_t highest; /* stream that was opened */
	uint8_t preface;  /* bytes of it that were read */
	uint8_t then;	  /* what the end of this payload tells */
	bool ends;	  /* the stream, with its unfinished fields */
	bool is_lost;
};

struct http2_received {
	struct hpack_status hpack;
	struct http2_frame frame;
	uint32_t word;	 /* the first bytes of this payload */
	uint8_t skip;	 /* bytes of it before its fields, or before the end of the word */
	uint8_t padding; /* bytes behind the fields */
	bool is_padded;	 /* how long the padding is comes next */
	bool is_answer;	 /* these fields may be */
	bool is_lost;
};

/* The bytes are the connection preface, or begin it (as "P" does). */
bool http2_begins(const char *bytes, size_t size);

/*
 * TALK_QUESTION (SILENCE_FAILS) at the head of the HEADERS that opens a stream, TALK_ASKED
 * at the end of the frame that ends it, TALK_CANCEL at the end of a RST_STREAM, also of one
 * whose question was answered.  TALK_LOST where it is no HTTP/2; nothing else comes after.
 */
size_t http2_sent(struct http2_sent *s, const char *bytes, size_t size, struct talk_event *e);

/*
 * TALK_ANSWER at an answer's status, unless it is 1xx, without a TALK_FIRST before it:
 * both are the same bytes.  Its status is 0 where it is none of three digits, or comes out
 * of the dynamic table and was not among the last HPACK_STATUSES put there; such a field
 * may also begin trailers, so an answer to a question that has one says nothing.
 *
 * TALK_ABORT at a RST_STREAM: status 0 for NO_ERROR, REFUSED_STREAM, CANCEL and
 * HTTP_1_1_REQUIRED, else 1.  It may come for a question that was answered: says nothing.
 *
 * TALK_DOUBT with stream 0 at a GOAWAY that leaves out a stream which was opened: these
 * have no answer, and nobody is to blame.
 *
 * TALK_LOST where it is no HTTP/2, or on a stream that was not opened; nothing else comes
 * after.  What the server pushes makes no events.
 */
size_t http2_received(struct http2_received *r, const struct http2_sent *s, const char *bytes,
		      size_t size, struct talk_event *e);

#endif
