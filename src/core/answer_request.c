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

void
answer_request_header(struct answer_request *q, struct span name, struct span value)
{
	if (letters_are(name, "accept"))
		accept_read(&q->accept, value);
	else if (letters_are(name, "content-type"))
		q->is_not_json = !letters_hold(value, "json");
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
