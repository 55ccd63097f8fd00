/*
 * An HTTP request as far as the answer to it depends on it.
 *
 * Whoever reads it from a socket uses http_request.h, whoever knows it otherwise (from
 * the options of a libcurl handle) says it by the functions below.
 */
#ifndef CORE_ANSWER_REQUEST_H
#define CORE_ANSWER_REQUEST_H

#include "core/accept.h"
#include "core/jsonrpc.h"

enum answer_method { METHOD_OTHER, METHOD_GET, METHOD_HEAD, METHOD_POST };

/* All zero is a request without method, headers and body. */
struct answer_request {
	enum answer_method method;
	bool is_not_json; /* the type of the body leaves no doubt */
	struct accept accept;
	struct jsonrpc body; /* of a POST */
};

/* Methods are upper case. */
void answer_request_method(struct answer_request *q, struct span method);

/* Accept and Content-Type matter, names in any case; others may be given or left out. */
void answer_request_header(struct answer_request *q, struct span name, struct span value);

/* The body in pieces, decoded from chunks; NULL for bytes that were not seen. */
void answer_request_body(struct answer_request *q, const char *bytes, size_t size);

/* Whether the answer may depend on the body. */
bool answer_request_needs_body(const struct answer_request *q);

#endif
