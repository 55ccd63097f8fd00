/*
 * What a request and an answer of HTTP/1 have in common: the lines of the head, which say
 * how long the body is, and the body (RFC 9112, sections 5 to 7).
 *
 * The start line is the owner's.  Lines may end in a bare LF, may be folded, and may have
 * white space before the colon.
 */
#ifndef CORE_HTTP1_MESSAGE_H
#define CORE_HTTP1_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chunked.h"

/* All zero is one between two messages. */
struct http1_message {
	struct chunked chunks;
	uint64_t length; /* Content-Length; within the body what is left of it */
	uint64_t number; /* the Content-Length that is being read */
	uint8_t phase;
	uint8_t field;
	uint8_t at; /* in the field's name or value */
	bool has_length;
	bool is_coded;	 /* Transfer-Encoding: any */
	bool is_chunked; /* as the last of them */
};

enum http1_step {
	HTTP1_GOES_ON,
	HTTP1_HEAD_OVER, /* with this byte; the owner says what body follows */
	HTTP1_OVER,	 /* with this byte, or no body follows */
	HTTP1_BROKEN	 /* no HTTP, or its length cannot be told */
};

/* The start line is over, the first line of the fields begins. */
void http1_message_begin(struct http1_message *m);

/*
 * Takes bytes, at least one of size > 0, up to and with the one that made the step.  bytes
 * may be NULL where they were not seen: right for a body's data, HTTP1_BROKEN for all else.
 */
size_t http1_message_read(struct http1_message *m, const char *bytes, size_t size,
			  enum http1_step *step);

/*
 * After HTTP1_HEAD_OVER, where the message may have a body.  lasts: one whose length is
 * not given lasts to the end of the stream, as answers do; without it there is none.
 */
enum http1_step http1_message_body(struct http1_message *m, bool lasts);

/* In a body that lasts to the end of the stream. */
bool http1_message_lasts(const struct http1_message *m);

#endif
