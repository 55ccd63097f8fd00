/*
 * Any bytes as the request that is answered in the dependency's place: the first line is
 * the message, what follows is the request, and a body by itself as well.  Cut anywhere
 * it means the same; the answer has a head of whole lines, the length it says, one line
 * of reason, and a body that is UTF-8 without control characters and, where it says so,
 * JSON.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/answer_http.h"
#include "core/http_request.h"
#include "core/utf8.h"

struct reading {
	struct http_request r;
	enum http_need need;
	size_t taken;
	unsigned continues;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
feed(struct reading *f, const char *bytes, size_t size)
{
	do {
		size_t taken;

		f->need = http_request_read(&f->r, bytes, size, &taken);
		assert(taken <= size);
		assert(taken == size || f->need != REQUEST_MORE);
		f->taken += taken;
		f->continues += f->need == REQUEST_CONTINUE;
		bytes += taken;
		size -= taken;
	} while (f->need == REQUEST_CONTINUE);
}

/* In pieces of step bytes, each in memory of just its size. */
static void
feed_in_pieces(struct reading *f, const char *bytes, size_t size, size_t step)
{
	while (size > 0) {
		size_t n = size < step ? size : step;
		char *piece = malloc(n);

		if (piece == NULL)
			abort();
		memcpy(piece, bytes, n);
		feed(f, piece, n);
		free(piece);
		bytes += n;
		size -= n;
	}
}

static void
check_plain(const char *bytes, size_t size)
{
	while (size > 0) {
		uint32_t c = 0;
		unsigned n = utf8_decode(bytes, size, &c);

		assert(n > 0 && !utf8_is_control(c));
		bytes += n;
		size -= n;
	}
}

/* As the result of a call, whose end the reader has to find. */
static enum jsonrpc_kind
kind_of_value(const char *bytes, size_t size)
{
	static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":";
	struct jsonrpc j = {.state = 0};

	jsonrpc_read(&j, before, sizeof(before) - 1);
	jsonrpc_read(&j, bytes, size);
	jsonrpc_read(&j, "}", 1);
	return jsonrpc_kind(&j);
}

static void
check_body(const struct answer_http *a, const char *bytes, size_t size)
{
	struct jsonrpc j = {.state = 0};

	check_plain(bytes, size);
	if (answer_http_type(a) == NULL || a->request->method == METHOD_HEAD) {
		assert(size == 0);
	} else if (answer_http_status(a) == 200) {
		jsonrpc_read(&j, bytes, size);
		assert(jsonrpc_kind(&j) == JSONRPC_QUIET);
		assert(j.is_batch == a->request->body.is_batch);
	} else if (strcmp(answer_http_type(a), "application/json") == 0) {
		assert(kind_of_value(bytes, size) == JSONRPC_QUIET);
	}
}

static void
check_head(const char *head, size_t size)
{
	const char *end = head + size;
	unsigned lines = 0;

	assert(strlen(head) == size && size < ANSWER_HEAD_MAX - 1);
	while (head < end) {
		const char *line = memchr(head, '\r', (size_t)(end - head));

		assert(line != NULL && line + 1 < end && line[1] == '\n');
		assert((line == head) == (line + 2 == end));
		assert(lines > 0 || line - head <= 13 + ANSWER_REASON_MAX);
		check_plain(head, (size_t)(line - head));
		head = line + 2;
		lines++;
	}
	assert(lines >= 6 && lines <= 8);
}

static void
check_answer(const struct answer_request *q, struct span message, size_t step)
{
	struct answer_http a = {q, message, "carrier/eu", 424};
	char head[ANSWER_HEAD_MAX];
	size_t head_size = answer_http_head(&a, head), length = answer_http_length(&a);
	size_t size = head_size + (q->method == METHOD_HEAD ? 0 : length), at = 0, n;
	char *whole = malloc(size), *pieces = malloc(size);

	if (whole == NULL || pieces == NULL)
		abort();
	check_head(head, head_size);
	assert(answer_http_write(&a, 0, whole, size) == size);
	assert(memcmp(whole, head, head_size) == 0);
	check_body(&a, whole + head_size, size - head_size);
	/* Each piece is made by making all of it: a few say as much as many. */
	for (step += size / 7; at < size; at += n) {
		n = answer_http_write(&a, at, pieces + at, step < size - at ? step : size - at);
		assert(n > 0 && n <= step);
	}
	assert(memcmp(whole, pieces, size) == 0);
	free(whole);
	free(pieces);
}

static void
check_body_alone(const char *bytes, size_t size, struct span message, size_t step)
{
	struct answer_request q = {.method = METHOD_POST}, cut = {.method = METHOD_POST};

	answer_request_body(&q, bytes, size);
	for (size_t at = 0; at < size; at += step)
		answer_request_body(&cut, bytes + at, step < size - at ? step : size - at);
	assert(memcmp(&q, &cut, sizeof(q)) == 0);
	check_answer(&q, message, step);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *line = size > 0 ? memchr(text, '\n', size) : NULL;
	size_t first = line != NULL ? (size_t)(line - text) : 0;
	struct span message = {text, (uint32_t)first};
	size_t step = 1 + first % 7;
	struct reading whole = {.taken = 0}, cut = {.taken = 0};

	if (line == NULL)
		return 0;
	text = line + 1;
	size -= first + 1;
	feed(&whole, text, size);
	feed_in_pieces(&cut, text, size, step);
	assert(size == 0 || (whole.need == cut.need && whole.continues == cut.continues));
	assert(whole.taken == cut.taken);
	assert(memcmp(&whole.r.asked, &cut.r.asked, sizeof(cut.r.asked)) == 0);
	if (whole.need == REQUEST_READY)
		check_answer(&whole.r.asked, message, step);
	check_body_alone(text, size, message, step);
	return 0;
}
