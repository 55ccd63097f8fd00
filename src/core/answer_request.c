#include "core/answer_request.h"

#include <string.h>

#include "core/letters.h"

void
answer_request_method(struct answer_request *q, struct span method)
{
	static const struct {
		char name[5];
		uint8_t len;
		enum answer_method method;
	} known[] = {{"GET", 3, METHOD_GET}, {"HEAD", 4, METHOD_HEAD}, {"POST", 4, METHOD_POST}};

	q->method = METHOD_OTHER;
	for (unsigned i = 0; i < 3; i++)
		if (method.len == known[i].len && memcmp(method.at, known[i].name, method.len) == 0)
			q->method = known[i].method;
}

/* curl says of whatever it posts that it is a form: only what is surely none counts. */
static bool
is_no_json(struct span type)
{
	static const char *const types[] = {"application/octet-stream", "audio/", "image/",
					    "multipart/", "video/"};

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (letters_begin(type, types[i]))
			return true;
	return false;
}

void
answer_request_header(struct answer_request *q, struct span name, struct span value)
{
	if (letters_are(name, "accept"))
		accept_read(&q->accept, value);
	else if (letters_are(name, "content-type"))
		q->is_not_json = is_no_json(value);
}

void
answer_request_body(struct answer_request *q, const char *bytes, size_t size)
{
	if (q->method == METHOD_POST)
		jsonrpc_read(&q->body, bytes, size);
}

bool
answer_request_needs_body(const struct answer_request *q)
{
	return q->method == METHOD_POST && !q->is_not_json;
}
