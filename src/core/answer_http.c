#include "core/answer_http.h"

#include <string.h>

#include "core/text.h"
#include "core/utf8.h"

/* A window on a text that is made anew for each piece, so that none is ever kept whole. */
struct sink {
	char *out;
	size_t from, until;
	size_t at; /* of the whole text so far */
};

static struct sink
sink_over(char *out, size_t from, size_t size)
{
	return (struct sink){out, from, size < SIZE_MAX - from ? from + size : SIZE_MAX, 0};
}

static void
put(struct sink *s, const char *bytes, size_t len)
{
	size_t begin = s->at, end = s->at + len;

	s->at = end;
	if (begin < s->from)
		begin = s->from;
	if (end > s->until)
		end = s->until;
	if (begin < end)
		memcpy(s->out + (begin - s->from), bytes + (begin - (s->at - len)), end - begin);
}

static void
put_string(struct sink *s, const char *string)
{
	put(s, string, strlen(string));
}

static size_t
length_within(const struct sink *s)
{
	size_t end = s->at < s->until ? s->at : s->until;

	return end > s->from ? end - s->from : 0;
}

/* How many bytes at the begin stand for themselves, in JSON too. */
static uint32_t
count_simple(struct span bytes)
{
	uint32_t n = 0;

	while (n < bytes.len && bytes.at[n] >= ' ' && bytes.at[n] < 0x7f && bytes.at[n] != '"' &&
	       bytes.at[n] != '\\')
		n++;
	return n;
}

static void
put_plain(struct sink *s, struct span bytes, bool in_json)
{
	while (bytes.len > 0) {
		char room[5];
		uint32_t c;
		uint32_t n = count_simple(bytes);
		struct text t = text_over(room, sizeof(room));

		put(s, bytes.at, n);
		bytes.at += n;
		bytes.len -= n;
		if (bytes.len == 0)
			break;
		n = utf8_decode(bytes.at, bytes.len, &c);
		n = n == 0 ? 1 : n;
		text_plain(&t, bytes.at, n);
		if (in_json && (*bytes.at == '"' || *bytes.at == '\\'))
			put(s, "\\", 1);
		put(s, room, t.len);
		bytes.at += n;
		bytes.len -= n;
	}
}

static void
put_json(struct sink *s, struct span bytes)
{
	put(s, "\"", 1);
	put_plain(s, bytes, true);
	put(s, "\"", 1);
}

static void
put_number(struct sink *s, uint64_t n)
{
	char digits[24];
	struct text t = text_over(digits, sizeof(digits));

	text_number(&t, n);
	put(s, digits, t.len);
}

/* One line for those who show nothing else. */
static struct text
short_message(const struct answer_http *a, char room[ANSWER_REASON_MAX + 1])
{
	struct text t = text_over(room, ANSWER_REASON_MAX + 1);

	text_plain(&t, a->message.at, a->message.len);
	return t;
}

enum body_kind { BODY_NONE, BODY_CALLS, BODY_TEXT, BODY_JSON };

static bool
asks_for_events(const struct answer_request *q)
{
	return (q->method == METHOD_GET || q->method == METHOD_HEAD) &&
	       accept_wants_events(&q->accept);
}

static enum body_kind
body_kind(const struct answer_request *q)
{
	enum jsonrpc_kind rpc = q->method == METHOD_POST ? jsonrpc_kind(&q->body) : JSONRPC_NOT;

	if (rpc == JSONRPC_CALLS)
		return BODY_CALLS;
	if (rpc == JSONRPC_QUIET)
		return BODY_NONE;
	return accept_prefers_text(&q->accept) ? BODY_TEXT : BODY_JSON;
}

unsigned
answer_http_status(const struct answer_http *a)
{
	enum body_kind kind = body_kind(a->request);

	if (kind == BODY_NONE)
		return 202;
	if (kind == BODY_CALLS)
		return 200;
	return asks_for_events(a->request) ? 405 : a->status;
}

const char *
answer_http_type(const struct answer_http *a)
{
	switch (body_kind(a->request)) {
	case BODY_NONE:
		return NULL;
	case BODY_TEXT:
		return "text/plain; charset=utf-8";
	default:
		return "application/json";
	}
}

static void
put_call(struct sink *s, const struct answer_http *a, const struct jsonrpc_call *call)
{
	put_string(s, "{\"jsonrpc\":\"2.0\",\"id\":");
	put(s, call->id.at, call->id.len);
	put_string(s, call->is_tool ? ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
				    : ",\"error\":{\"code\":-32000,\"message\":");
	put_json(s, a->message);
	put_string(s, call->is_tool ? "}],\"isError\":true}}" : "}}");
}

static void
put_calls(struct sink *s, const struct answer_http *a)
{
	const struct jsonrpc *rpc = &a->request->body;
	struct jsonrpc_call call;
	size_t at = 0;

	if (rpc->is_batch)
		put(s, "[", 1);
	while (jsonrpc_next(rpc, &at, &call)) {
		put_call(s, a, &call);
		if (at < rpc->ids_used)
			put(s, ",", 1);
	}
	if (rpc->is_batch)
		put(s, "]", 1);
}

static void
put_error(struct sink *s, const struct answer_http *a)
{
	char room[ANSWER_REASON_MAX + 1];
	struct text title = short_message(a, room);

	put_string(s, "{\"error\":{\"message\":");
	put_json(s, a->message);
	put_string(s, ",\"type\":\"circuit_open\",\"code\":\"circuit_open\"},\"message\":");
	put_json(s, a->message);
	put_string(s, ",\"detail\":");
	put_json(s, a->message);
	put_string(s, ",\"title\":");
	put_json(s, (struct span){title.at, (uint32_t)title.len});
	put_string(s, ",\"status\":");
	put_number(s, answer_http_status(a));
	put(s, "}", 1);
}

static void
put_body(struct sink *s, const struct answer_http *a)
{
	switch (body_kind(a->request)) {
	case BODY_CALLS:
		put_calls(s, a);
		break;
	case BODY_TEXT:
		put_plain(s, a->message, false);
		break;
	case BODY_JSON:
		put_error(s, a);
		break;
	default:
		break;
	}
}

size_t
answer_http_length(const struct answer_http *a)
{
	struct sink s = sink_over(NULL, 0, 0);

	put_body(&s, a);
	return s.at;
}

/*
 * Half of the clients take a reason phrase for UTF-8, the others for Latin-1, and a copy of
 * a Response in node throws at what is beyond that.  What is written in ASCII as well is.
 */
static const char *
in_ascii(uint32_t c)
{
	switch (c) {
	case 0xa0:
		return " ";
	case 0x2018:
	case 0x2019:
		return "'";
	case 0x201c:
	case 0x201d:
		return "\"";
	case 0x2026:
		return "...";
	default:
		return c >= 0x2010 && c <= 0x2015 ? "-" : NULL;
	}
}

static void
text_phrase(struct text *t, struct span message)
{
	char room[ANSWER_REASON_MAX + 1];
	struct text phrase = text_over(room, sizeof(room));

	while (message.len > 0) {
		uint32_t c = 0;
		unsigned n = utf8_decode(message.at, message.len, &c);
		const char *ascii = n > 1 ? in_ascii(c) : NULL;

		n = n == 0 ? 1 : n;
		text_plain(&phrase, ascii != NULL ? ascii : message.at,
			   ascii != NULL ? strlen(ascii) : n);
		message.at += n;
		message.len -= n;
	}
	text_string(t, phrase.at);
}

static void
text_status(struct text *t, const struct answer_http *a, unsigned status)
{
	text_string(t, "HTTP/1.1 ");
	text_number(t, status);
	text_string(t, " ");
	if (status == 200)
		text_string(t, "OK");
	else if (status == 202)
		text_string(t, "Accepted");
	else
		text_phrase(t, a->message);
	text_string(t, "\r\n");
}

/* The name of a host may be any bytes: a header's value is visible ASCII here. */
static void
text_visible(struct text *t, const char *name)
{
	for (; *name != '\0'; name++)
		text_bytes(t, *name > ' ' && *name < 0x7f ? name : "?", 1);
}

size_t
answer_http_head(const struct answer_http *a, char out[ANSWER_HEAD_MAX])
{
	struct text t = text_over(out, ANSWER_HEAD_MAX);
	unsigned status = answer_http_status(a);
	const char *type = answer_http_type(a);

	text_status(&t, a, status);
	if (type != NULL) {
		text_string(&t, "Content-Type: ");
		text_string(&t, type);
		text_string(&t, "\r\n");
	}
	text_string(&t, "Content-Length: ");
	text_number(&t, answer_http_length(a));
	text_string(&t, "\r\n");
	if (status == 405)
		text_string(&t, "Allow: POST\r\n");
	text_string(&t, "Connection: close\r\nX-Should-Retry: false\r\nCutout-Breaker: ");
	text_visible(&t, a->breaker);
	text_string(&t, "\r\n\r\n");
	return t.len;
}

size_t
answer_http_body(const struct answer_http *a, size_t from, char *out, size_t size)
{
	struct sink s = sink_over(out, from, size);

	if (a->request->method != METHOD_HEAD)
		put_body(&s, a);
	return length_within(&s);
}

size_t
answer_http_write(const struct answer_http *a, size_t from, char *out, size_t size)
{
	char head[ANSWER_HEAD_MAX];
	struct sink s = sink_over(out, from, size);

	put(&s, head, answer_http_head(a, head));
	if (a->request->method != METHOD_HEAD)
		put_body(&s, a);
	return length_within(&s);
}
