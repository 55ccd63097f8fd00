#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/http_request.h"

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\"}" /* 48 bytes */

struct reading {
	struct http_request r;
	enum http_need need;
	size_t taken;
	unsigned continues;
};

static void
feed(struct reading *f, const char *bytes, size_t size)
{
	for (;;) {
		size_t taken;

		f->need = http_request_read(&f->r, bytes, size, &taken);
		assert_true(taken <= size);
		f->taken += taken;
		bytes = bytes != NULL ? bytes + taken : NULL;
		size -= taken;
		if (f->need != REQUEST_CONTINUE)
			break;
		f->continues++;
	}
	assert_true(f->need != REQUEST_MORE || size == 0);
	assert_true(f->need != REQUEST_READY || http_request_has_head(&f->r));
	assert_true(f->need != REQUEST_FOREIGN || !http_request_has_head(&f->r));
}

static void
feed_text(struct reading *f, const char *text)
{
	feed(f, text, strlen(text));
}

/* Fed byte by byte, it needs the same as in one piece, and at no byte too early. */
static void
read_by_bytes(const char *text, size_t size, const struct reading *whole)
{
	struct reading f = {.taken = 0};

	for (size_t i = 0; i < size; i++) {
		feed(&f, text + i, 1);
		if (i + 1 < whole->taken)
			assert_int_equal(f.need, REQUEST_MORE);
	}
	assert_int_equal(f.need, whole->need);
	assert_int_equal(f.taken, whole->taken);
	assert_int_equal(f.continues, whole->continues);
}

/* The same for the text cut in two anywhere; the result is that of the whole. */
static struct reading
read_split(const char *text, size_t size)
{
	struct reading whole = {.taken = 0};

	feed(&whole, text, size);
	for (size_t cut = 0; cut < size; cut++) {
		struct reading f = {.taken = 0};

		feed(&f, text, cut);
		feed(&f, text + cut, size - cut);
		assert_int_equal(f.need, whole.need);
		assert_int_equal(f.taken, whole.taken);
		assert_int_equal(f.continues, whole.continues);
		assert_memory_equal(&f.r.asked, &whole.r.asked, sizeof(f.r.asked));
	}
	if (whole.need != REQUEST_MORE)
		read_by_bytes(text, size, &whole);
	return whole;
}

static struct reading
reading_of(const char *text)
{
	return read_split(text, strlen(text));
}

static void
request_without_a_body_ends_with_its_head(void **state)
{
	static const char *const texts[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"GET /a?b=c#d HTTP/1.0\r\nHost: x\r\n\r\n",
		"GET http://x/ HTTP/1.1\nHost: x\n\n",
		"\r\n\r\nGET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
		"GET / HTTP/1.1\r\nX: y\r\n folded\r\nno colon\r\n: no name\r\n\r\n",
		"GET /a b\xc3\xa4 HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
		"GET /a b-much-longer-than-any-name HTTP/1.1\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct reading f = reading_of(texts[i]);

		assert_int_equal(f.need, REQUEST_READY);
		assert_int_equal(f.taken, strlen(texts[i]));
		assert_int_equal(f.continues, 0);
		assert_int_equal(f.r.asked.method, METHOD_GET);
	}
}

static void
what_follows_the_request_is_left(void **state)
{
	struct reading f = reading_of("HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.taken, 19);
	assert_int_equal(f.r.asked.method, METHOD_HEAD);
	feed_text(&f, "x");
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.taken, 19);
}

static void
methods_other_than_three_are_others(void **state)
{
	static const char *const texts[] = {
		"PUT / HTTP/1.1\r\n\r\n",     "M-SEARCH * HTTP/1.1\r\n\r\n",
		"patch / HTTP/1.1\r\n\r\n",   "CONNECT a:80 HTTP/1.1\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n",
		"GETS / HTTP/1.1\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct reading f = reading_of(texts[i]);

		assert_int_equal(f.need, REQUEST_READY);
		assert_int_equal(f.r.asked.method, METHOD_OTHER);
	}
}

static void
other_protocols_are_foreign(void **state)
{
	static const char *const texts[] = {
		"\x16\x03\x01\x02",
		"PING\r\n",
		"*1\r\n$4\r\nPING\r\n",
		"get key\r\n",
		"GET /\r\n",
		"GET  / HTTP/1.1\r\n",
		"SSH-2.0-OpenSSH_9\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET / HTTP/1.\r\n",
		"GET / HTTP/1.1x\r\n",
		"GET / http/1.1\r\n",
		"GET /\x01 HTTP/1.1\r\n",
		"GET / HTTP/1\x01",
		"AMethodThatIsTooLongToBeOne / HTTP/1.1\r\n",
		"EHLO localhost\r\n",
		"{\"jsonrpc\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(reading_of(texts[i]).need, REQUEST_FOREIGN);
	assert_int_equal(read_split("\0\0\0\x08\x04\xd2\x16\x2f", 8).need, REQUEST_FOREIGN);
}

static void
first_bytes_of_a_foreign_protocol_are_enough(void **state)
{
	static const char *const texts[] = {"\x16", "*", "\x10", "(", "3"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(reading_of(texts[i]).need, REQUEST_FOREIGN);
	assert_int_equal(reading_of("PING\r").need, REQUEST_FOREIGN);
}

static void
body_with_a_length_is_read_whole(void **state)
{
	struct reading f = reading_of("POST /mcp HTTP/1.1\r\ncontent-length:48 \r\n\r\n" CALL);

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(jsonrpc_kind(&f.r.asked.body), JSONRPC_CALLS);
	f = reading_of("POST /mcp HTTP/1.1\r\nContent-Length: 49\r\n\r\n" CALL);
	assert_int_equal(f.need, REQUEST_MORE);
}

static void
body_in_chunks_is_read_whole(void **state)
{
	struct reading f = reading_of("POST /mcp HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n"
				      "Content-Length: 3\r\n\r\n"
				      "29;x=y\r\n"
				      "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools"
				      "\r\n6\r\n/call\"\r\n1\r\n}\r\n0\r\nSum: 0\r\n\r\nrest");

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(jsonrpc_kind(&f.r.asked.body), JSONRPC_CALLS);
}

static void
body_whose_end_cannot_be_told_is_foreign(void **state)
{
	static const char *const headers[] = {
		"Content-Length: x",	   "Content-Length:",
		"Content-Length: -1",	   "Content-Length: 1\r\nContent-Length: 2",
		"Content-Length: 1, 1",	   "Content-Length: 9999999999999999999",
		"Transfer-Encoding: gzip", "Transfer-Encoding: chunked\r\n\r\nx",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		snprintf(text, sizeof(text), "POST / HTTP/1.1\r\n%s\r\n\r\n", headers[i]);
		assert_int_equal(reading_of(text).need, REQUEST_FOREIGN);
	}
	assert_int_equal(reading_of("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
				    "Content-Length: 1\r\n\r\nx")
				 .need,
			 REQUEST_READY);
}

static void
program_that_waits_for_it_is_told_to_go_on_once(void **state)
{
	struct reading f = reading_of("POST / HTTP/1.1\r\nExpect: 100-Continue\r\n"
				      "Content-Type: application/json\r\n"
				      "Content-Length: 48\r\n\r\n" CALL);

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.continues, 1);
	f = reading_of("POST / HTTP/1.1\r\nExpect: 100-continue\r\n"
		       "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n");
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.continues, 1);
}

static void
form_may_be_json_by_curl(void **state)
{
	struct reading f = reading_of("POST / HTTP/1.1\r\nExpect: 100-continue\r\n"
				      "Content-Type: application/x-www-form-urlencoded\r\n"
				      "Content-Length: 48\r\n\r\n" CALL);

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.continues, 1);
	assert_int_equal(jsonrpc_kind(&f.r.asked.body), JSONRPC_CALLS);
}

static void
body_that_changes_nothing_is_not_asked_for(void **state)
{
	struct reading f = reading_of("PUT / HTTP/1.1\r\nExpect: 100-continue\r\n"
				      "Content-Length: 3000000\r\n\r\n");

	(void)state;
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.continues, 0);
	f = reading_of("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Type: image/png\r\n"
		       "Content-Length: 3000000\r\n\r\n");
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.continues, 0);
}

static void
headers_of_the_answer_are_found_in_any_case(void **state)
{
	struct reading f = reading_of("GET / HTTP/1.1\r\nACCEPT:text/plain\r\n"
				      "X-Accept: application/json\r\n\r\n");

	(void)state;
	assert_true(accept_prefers_text(&f.r.asked.accept));
	f = reading_of("GET / HTTP/1.1\r\naccept: text/plain;q=0.2\r\n"
		       "Accept:  application/json \r\n\r\n");
	assert_false(accept_prefers_text(&f.r.asked.accept));
}

static void
long_headers_are_cut_at_a_whole_range(void **state)
{
	struct reading f = {.taken = 0};

	(void)state;
	feed_text(&f, "GET / HTTP/1.1\r\nAccept: application/json");
	for (unsigned i = 0; i < 100; i++)
		feed_text(&f, ",image/x;q=0.1");
	feed_text(&f, "\r\nCookie: ");
	for (unsigned i = 0; i < 10000; i++)
		feed_text(&f, "Accept: text/plain, ");
	feed_text(&f, "\r\nA-header-with-a-name-that-is-longer-than-any-of-ours: 1\r\n\r\n");
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.r.asked.accept.json, 1001);
	assert_int_equal(f.r.asked.accept.text, 0);

	struct reading g = {.taken = 0};

	/* The last range that fits would be text/plain without its weight. */
	feed_text(&g, "GET / HTTP/1.1\r\nAccept: application/json;q=0.5,");
	for (unsigned i = 0; i < 466; i++)
		feed_text(&g, "x");
	feed_text(&g, ",image/png,text/plain;q=0.1,image/x\r\n\r\n");
	assert_int_equal(g.need, REQUEST_READY);
	assert_false(accept_prefers_text(&g.r.asked.accept));
}

static void
three_megabytes_in_many_writes_end_as_they_should(void **state)
{
	static char part[4096];
	struct reading f = {.taken = 0}, chunked = {.taken = 0};
	char head[128];

	(void)state;
	memset(part, 'x', sizeof(part));
	snprintf(head, sizeof(head), "POST / HTTP/1.1\r\nContent-Length: %u\r\n\r\n",
		 13 + 47 + 768 * 4096);
	feed(&f, head, strlen(head));
	feed_text(&f, "{\"params\":\"");
	for (unsigned i = 0; i < 768; i++)
		feed(&f, part, sizeof(part));
	feed_text(&f, "\",");
	feed(&f, &CALL[1], strlen(CALL) - 2);
	assert_int_equal(f.need, REQUEST_MORE);
	feed_text(&f, "}");
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(jsonrpc_kind(&f.r.asked.body), JSONRPC_CALLS);

	feed_text(&chunked, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
	feed_text(&chunked, "b\r\n{\"params\":\"\r\n");
	for (unsigned i = 0; i < 768; i++) {
		feed_text(&chunked, "1000\r\n");
		feed(&chunked, part, sizeof(part));
		feed_text(&chunked, "\r\n");
	}
	feed_text(&chunked, "2\r\n\",\r\n2f\r\n");
	feed(&chunked, &CALL[1], strlen(CALL) - 1);
	feed_text(&chunked, "\r\n0\r\n\r\n");
	assert_int_equal(chunked.need, REQUEST_READY);
	assert_int_equal(jsonrpc_kind(&chunked.r.asked.body), JSONRPC_CALLS);
}

static void
bytes_that_were_not_seen_may_be_a_body_only(void **state)
{
	struct reading f = {.taken = 0};

	(void)state;
	feed_text(&f, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n{");
	assert_true(http_request_has_head(&f.r));
	feed(&f, NULL, 12);
	assert_int_equal(f.need, REQUEST_READY);
	assert_int_equal(f.taken, strlen("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n") + 10);
	assert_int_equal(jsonrpc_kind(&f.r.asked.body), JSONRPC_NOT);
	f = (struct reading){.taken = 0};
	feed_text(&f, "POST / HTT");
	assert_false(http_request_has_head(&f.r));
	feed(&f, NULL, 1);
	assert_int_equal(f.need, REQUEST_FOREIGN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_without_a_body_ends_with_its_head),
		cmocka_unit_test(what_follows_the_request_is_left),
		cmocka_unit_test(methods_other_than_three_are_others),
		cmocka_unit_test(other_protocols_are_foreign),
		cmocka_unit_test(first_bytes_of_a_foreign_protocol_are_enough),
		cmocka_unit_test(body_with_a_length_is_read_whole),
		cmocka_unit_test(body_in_chunks_is_read_whole),
		cmocka_unit_test(body_whose_end_cannot_be_told_is_foreign),
		cmocka_unit_test(program_that_waits_for_it_is_told_to_go_on_once),
		cmocka_unit_test(form_may_be_json_by_curl),
		cmocka_unit_test(body_that_changes_nothing_is_not_asked_for),
		cmocka_unit_test(headers_of_the_answer_are_found_in_any_case),
		cmocka_unit_test(long_headers_are_cut_at_a_whole_range),
		cmocka_unit_test(three_megabytes_in_many_writes_end_as_they_should),
		cmocka_unit_test(bytes_that_were_not_seen_may_be_a_body_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
