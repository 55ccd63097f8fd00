/*
 * A refusal as the answer to an HTTP request: a page of JSON or text that says what is
 * open, or what a client of JSON-RPC takes for the answer to its calls.
 *
 * Never more than one answer; the connection closes after it.  No Retry-After: clients
 * sleep on it.
 */
#ifndef CORE_ANSWER_HTTP_H
#define CORE_ANSWER_HTTP_H

#include "core/answer_request.h"

#define ANSWER_REASON_MAX 200 /* bytes of the reason phrase */
#define ANSWER_HEAD_MAX 1024  /* room for any head */

/* Everything belongs to the caller and stays as it is while an answer is written. */
struct answer_http {
	const struct answer_request *request;
	struct span message; /* see answer_message(); room: ANSWER_MESSAGE_MAX */
	const char *breaker; /* its name */
	uint16_t status;     /* answer_status, 400 to 599 */
};

/*
 * The status as the program is told it: 200 to a call of JSON-RPC, 202 to what wants no
 * answer, 405 to a GET for an event stream, else the section's.
 */
unsigned answer_http_status(const struct answer_http *a);

/* "application/json", "text/plain; charset=utf-8"; NULL where there is no body. */
const char *answer_http_type(const struct answer_http *a);

/* Length of the body as Content-Length says, that is, for HEAD as for GET. */
size_t answer_http_length(const struct answer_http *a);

/* Status line, headers and the empty line, with a zero behind; returns the length. */
size_t answer_http_head(const struct answer_http *a, char out[ANSWER_HEAD_MAX]);

/*
 * Writes the bytes of the body from from on, at most size; no zero.  Returns how many,
 * 0 at its end and for HEAD.
 */
size_t answer_http_body(const struct answer_http *a, size_t from, char *out, size_t size);

/* The same for head and body as one stream. */
size_t answer_http_write(const struct answer_http *a, size_t from, char *out, size_t size);

#endif
