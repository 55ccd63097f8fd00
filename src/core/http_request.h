/*
 * Reads one HTTP/1 request from the bytes that a program writes, in pieces of any size,
 * for the one who answers it in the dependency's place.
 */
#ifndef CORE_HTTP_REQUEST_H
#define CORE_HTTP_REQUEST_H

#include "core/answer_request.h"
#include "core/chunked.h"

#define HTTP_REQUEST_NAME_MAX 24
#define HTTP_REQUEST_VALUE_MAX 512 /* what is longer is cut; ranges of Accept stay whole */

/* All zero is a reader that has read nothing. */
struct http_request {
	struct answer_request asked; /* valid with REQUEST_READY */
	uint64_t left;		     /* of a body with a length */
	struct chunked chunked;
	uint16_t name_len, value_len;
	uint8_t state; /* of http_request.c */
	bool has_length, is_chunked, expects_continue;
	char name[HTTP_REQUEST_NAME_MAX]; /* of the header at hand; the method, the version */
	char value[HTTP_REQUEST_VALUE_MAX];
};

enum http_need {
	REQUEST_MORE,
	REQUEST_CONTINUE, /* once: the program waits for http_request_continue; then go on */
	REQUEST_READY,	  /* to be answered now */
	REQUEST_FOREIGN	  /* not HTTP/1 */
};

extern const char http_request_continue[]; /* "HTTP/1.1 100 Continue" and an empty line */

/*
 * Reads up to the next need and says in *taken how many bytes that were: all of them with
 * REQUEST_MORE.  After REQUEST_READY and REQUEST_FOREIGN nothing is taken any more and
 * the need stays.  A body on which the answer does not depend is not waited for where the
 * program asked whether to send it: it may then follow all the same.  bytes may be NULL
 * where they were not seen, which is right for a body only.
 */
enum http_need http_request_read(struct http_request *r, const char *bytes, size_t size,
				 size_t *taken);

/* Whether the whole head was read: it is HTTP/1, and the body follows or there is none. */
bool http_request_has_head(const struct http_request *r);

#endif
