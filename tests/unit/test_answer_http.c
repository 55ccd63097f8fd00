#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/answer_http.h"

#define V "\"jsonrpc\":\"2.0\","

#define TAIL "Connection: close\r\nX-Should-Retry: false\r\nCutout-Breaker: carrier/eu\r\n\r\n"

static char answer[1 << 20];

static struct span
span(const char *text)
{
	return (struct span){text, (uint32_t)strlen(text)};
}

static struct answer_http
answer_to(const struct answer_request *q, const char *message)
{
	return (struct answer_http){q, span(message), "carrier/eu", 424};
}

static struct answer_request
request(const char *method, const char *accept, const char *body)
{
	struct answer_request q = {.method = METHOD_OTHER};

	answer_request_method(&q, span(method));
	if (accept != NULL)
		answer_request_header(&q, span("Accept"), span(accept));
	if (body != NULL)
		answer_request_body(&q, body, strlen(body));
	return q;
}

/* The whole answer; each of its parts says the same as the whole. */
static const char *
answered(const char *method, const char *accept, const char *body, const char *message)
{
	static char part[1 << 20];
	struct answer_request q = request(method, accept, body);
	struct answer_http a = answer_to(&q, message);
	size_t len = answer_http_write(&a, 0, answer, sizeof(answer) - 1);
	size_t head = answer_http_head(&a, part);
	char length[64];

	answer[len] = '\0';
	assert_int_equal(strlen(part), head);
	assert_int_equal(answer_http_body(&a, 0, part + head, sizeof(part) - head), len - head);
	assert_memory_equal(answer, part, len);
	snprintf(length, sizeof(length), "Content-Length: %zu\r\n", answer_http_length(&a));
	assert_non_null(strstr(answer, length));
	if (strcmp(method, "HEAD") != 0)
		assert_int_equal(answer_http_length(&a), len - head);
	assert_null(strstr(answer, "Retry-After"));
	return answer;
}

static const char *
body_of(const char *whole)
{
	return strstr(whole, "\r\n\r\n") + 4;
}

static void
body_is(const char *method, const char *accept, const char *body, const char *expected)
{
	assert_string_equal(body_of(answered(method, accept, body, "It is \"open\".")), expected);
}

static void
json_has_the_text_where_readers_of_errors_look(void **state)
{
	(void)state;
	assert_string_equal(answered("GET", NULL, NULL, "It is open."),
			    "HTTP/1.1 424 It is open.\r\n"
			    "Content-Type: application/json\r\n"
			    "Content-Length: 161\r\n" TAIL
			    "{\"error\":{\"message\":\"It is open.\",\"type\":\"circuit_open\","
			    "\"code\":\"circuit_open\"},\"message\":\"It is open.\","
			    "\"detail\":\"It is open.\",\"title\":\"It is open.\",\"status\":424}");
}

static void
text_is_the_message_alone(void **state)
{
	(void)state;
	assert_string_equal(answered("GET", "text/html,*/*;q=0.8", NULL, "It is \"open\"."),
			    "HTTP/1.1 424 It is \"open\".\r\n"
			    "Content-Type: text/plain; charset=utf-8\r\n"
			    "Content-Length: 13\r\n" TAIL "It is \"open\".");
}

static void
head_has_the_headers_of_get_and_no_body(void **state)
{
	char get[2048];

	(void)state;
	snprintf(get, sizeof(get), "%s", answered("GET", NULL, NULL, "It is open."));
	body_of(get);
	get[strlen(get) - strlen(body_of(get))] = '\0';
	assert_string_equal(answered("HEAD", NULL, NULL, "It is open."), get);
}

static void
call_of_a_tool_gets_a_result_that_says_it_failed(void **state)
{
	(void)state;
	assert_string_equal(answered("POST", "application/json, text/event-stream",
				     "{" V "\"id\":\"a\\u00e4\",\"method\":\"tools/call\"}",
				     "It is \"open\"."),
			    "HTTP/1.1 200 OK\r\n"
			    "Content-Type: application/json\r\n"
			    "Content-Length: 111\r\n" TAIL "{" V
			    "\"id\":\"a\\u00e4\",\"result\":{\"content\":[{\"type\":\"text\","
			    "\"text\":\"It is \\\"open\\\".\"}],\"isError\":true}}");
}

static void
other_calls_get_an_error(void **state)
{
	(void)state;
	body_is("POST", NULL, "{" V "\"id\":7,\"method\":\"initialize\"}",
		"{" V "\"id\":7,\"error\":{\"code\":-32000,\"message\":\"It is \\\"open\\\".\"}}");
	body_is("POST", "text/plain", "{" V "\"id\":null,\"method\":\"ping\"}",
		"{" V
		"\"id\":null,\"error\":{\"code\":-32000,\"message\":\"It is \\\"open\\\".\"}}");
}

static void
batch_gets_an_array_with_an_answer_to_each_call(void **state)
{
	(void)state;
	body_is("POST", NULL,
		"[{" V "\"id\":1,\"method\":\"x\"},{" V "\"method\":\"n\"},{" V
		"\"id\":2,\"method\":\"tools/call\"}]",
		"[{" V
		"\"id\":1,\"error\":{\"code\":-32000,\"message\":\"It is \\\"open\\\".\"}},{" V
		"\"id\":2,\"result\":{\"content\":[{\"type\":\"text\","
		"\"text\":\"It is \\\"open\\\".\"}],\"isError\":true}}]");
	body_is("POST", NULL, "[{" V "\"id\":1,\"method\":\"x\"}]",
		"[{" V
		"\"id\":1,\"error\":{\"code\":-32000,\"message\":\"It is \\\"open\\\".\"}}]");
}

static void
what_wants_no_answer_is_accepted(void **state)
{
	static const char *const bodies[] = {
		"{" V "\"method\":\"notifications/initialized\"}",
		"[{" V "\"method\":\"x\"},{" V "\"method\":\"y\"}]",
		"{" V "\"id\":1,\"result\":{}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		assert_string_equal(answered("POST", "text/plain", bodies[i], "It is open."),
				    "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n" TAIL);
}

static void
only_a_post_is_json_rpc(void **state)
{
	(void)state;
	assert_non_null(strstr(answered("PUT", NULL, "{" V "\"id\":1,\"method\":\"x\"}", "M"),
			       "HTTP/1.1 424 M\r\n"));
	assert_non_null(strstr(answered("POST", NULL, "{\"id\":1,\"method\":\"x\"}", "M"),
			       "HTTP/1.1 424 M\r\n"));
	assert_non_null(strstr(answered("POST", "text/plain", "{" V, "M"), "HTTP/1.1 424 M\r\n"));
}

static void
get_for_an_event_stream_is_no_method_here(void **state)
{
	(void)state;
	const char *whole = answered("GET", "application/json, text/event-stream", NULL, "M");

	assert_non_null(strstr(whole, "HTTP/1.1 405 M\r\n"));
	assert_non_null(strstr(whole, "\r\nAllow: POST\r\n"));
	assert_non_null(strstr(whole, "\"status\":405}"));
	whole = answered("DELETE", "text/event-stream", NULL, "M");
	assert_non_null(strstr(whole, "HTTP/1.1 424 M\r\n"));
	assert_null(strstr(whole, "Allow"));
}

static void
status_and_type_are_told_without_the_text(void **state)
{
	static const struct {
		const char *method, *accept, *body, *type;
		unsigned status;
	} rows[] = {
		{"GET", NULL, NULL, "application/json", 424},
		{"GET", "text/*", NULL, "text/plain; charset=utf-8", 424},
		{"GET", "text/event-stream", NULL, "application/json", 405},
		{"POST", NULL, "{" V "\"id\":1,\"method\":\"x\"}", "application/json", 200},
		{"POST", NULL, "{" V "\"method\":\"x\"}", NULL, 202},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct answer_request q = request(rows[i].method, rows[i].accept, rows[i].body);
		struct answer_http a = answer_to(&q, "M");

		assert_int_equal(answer_http_status(&a), rows[i].status);
		if (rows[i].type == NULL)
			assert_null(answer_http_type(&a));
		else
			assert_string_equal(answer_http_type(&a), rows[i].type);
	}
}

static void
section_chooses_the_status(void **state)
{
	struct answer_request q = request("GET", NULL, NULL);
	struct answer_http a = answer_to(&q, "M");

	(void)state;
	a.status = 503;
	answer[answer_http_write(&a, 0, answer, sizeof(answer) - 1)] = '\0';
	assert_non_null(strstr(answer, "HTTP/1.1 503 M\r\n"));
	assert_non_null(strstr(answer, "\"status\":503}"));
}

static void
reason_phrase_is_one_line_of_two_hundred_bytes(void **state)
{
	char message[302], line[256];
	const char *whole;

	(void)state;
	memset(message, 'x', sizeof(message));
	memcpy(message + 198, "\xe2\x82\xac", 3);
	message[301] = '\0';
	whole = answered("GET", NULL, NULL, message);
	snprintf(line, sizeof(line), "HTTP/1.1 424 %.198s\r\n", message);
	assert_memory_equal(whole, line, strlen(line));
	memcpy(message + 196, "\xe2\x82\xac", 3);
	message[199] = '\xc3';
	message[200] = '\xa4';
	whole = answered("GET", NULL, NULL, message);
	snprintf(line, sizeof(line), "HTTP/1.1 424 %.199s\r\n", message);
	assert_memory_equal(whole, line, strlen(line));
	/* The body has all of it. */
	assert_non_null(strstr(body_of(whole), message));
}

static void
nothing_can_add_a_line_to_the_head(void **state)
{
	struct answer_request q = request("GET", "text/plain", NULL);
	struct answer_http a = answer_to(&q, "a\r\nSet-Cookie: x\n\x7f\xc2\x85\xff");
	const char expected[] = "HTTP/1.1 424 a  Set-Cookie: x   ?\r\n"
				"Content-Type: text/plain; charset=utf-8\r\n"
				"Content-Length: 20\r\n"
				"Connection: close\r\nX-Should-Retry: false\r\n"
				"Cutout-Breaker: a??Retry-After:?5???\r\n\r\n"
				"a  Set-Cookie: x   ?";

	(void)state;
	a.breaker = "a\r\nRetry-After: 5\xc3\xa4\x7f";
	answer[answer_http_write(&a, 0, answer, sizeof(answer) - 1)] = '\0';
	assert_string_equal(answer, expected);
}

static void
signs_that_ascii_has_as_well_are_ascii_in_the_phrase(void **state)
{
	const char *whole = answered("GET", "text/plain", NULL,
				     "\xe2\x80\x9c"
				     "Don\xe2\x80\x99t\xe2\x80\x9d \xe2\x80\x93 "
				     "wait\xe2\x80\xa6\xc2\xa0gr\xc3\xbc\xc3\x9f");

	(void)state;
	assert_non_null(strstr(whole, "HTTP/1.1 424 \"Don't\" - wait... gr\xc3\xbc\xc3\x9f\r\n"));
	assert_string_equal(body_of(whole), "\xe2\x80\x9c"
					    "Don\xe2\x80\x99t\xe2\x80\x9d \xe2\x80\x93 "
					    "wait\xe2\x80\xa6\xc2\xa0gr\xc3\xbc\xc3\x9f");
}

static void
longest_head_fits(void **state)
{
	char message[2048], breaker[256], head[ANSWER_HEAD_MAX];
	struct answer_request q = request("GET", "text/event-stream,text/plain", NULL);
	struct answer_http a = {&q, {message, sizeof(message)}, breaker, 599};

	(void)state;
	memset(message, 'm', sizeof(message));
	memset(breaker, 'b', sizeof(breaker));
	breaker[255] = '\0';
	size_t len = answer_http_head(&a, head);

	assert_true(len < ANSWER_HEAD_MAX - 1);
	assert_string_equal(head + len - 4, "\r\n\r\n");
}

static void
text_is_escaped_for_json(void **state)
{
	(void)state;
	assert_non_null(strstr(answered("GET", NULL, NULL, "\\ \" / \t\xc3\xa4\xff\xc2\x80"),
			       "\"detail\":\"\\\\ \\\" /  \xc3\xa4? \""));
}

static void
answer_can_be_fetched_in_pieces_of_any_size(void **state)
{
	static char whole[8192];
	struct answer_request q = request("POST", NULL,
					  "[{" V "\"id\":\"one\",\"method\":\"x\"},{" V
					  "\"id\":2,\"method\":\"tools/call\"}]");
	struct answer_http a = answer_to(&q, "It is \"open\": \xc3\xa4\xe2\x82\xac.");
	size_t len = answer_http_write(&a, 0, whole, sizeof(whole));

	(void)state;
	for (size_t size = 1; size <= len + 1; size++) {
		size_t at = 0, n;

		while ((n = answer_http_write(&a, at, answer + at, size)) > 0) {
			assert_true(n == size || at + n == len);
			at += n;
		}
		assert_int_equal(at, len);
		assert_memory_equal(answer, whole, len);
	}
	assert_int_equal(answer_http_write(&a, len + 100, answer, 10), 0);
	assert_int_equal(answer_http_body(&a, SIZE_MAX, answer, 10), 0);
	assert_int_equal(answer_http_body(&a, 0, answer, SIZE_MAX), answer_http_length(&a));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_the_text_where_readers_of_errors_look),
		cmocka_unit_test(text_is_the_message_alone),
		cmocka_unit_test(head_has_the_headers_of_get_and_no_body),
		cmocka_unit_test(call_of_a_tool_gets_a_result_that_says_it_failed),
		cmocka_unit_test(other_calls_get_an_error),
		cmocka_unit_test(batch_gets_an_array_with_an_answer_to_each_call),
		cmocka_unit_test(what_wants_no_answer_is_accepted),
		cmocka_unit_test(only_a_post_is_json_rpc),
		cmocka_unit_test(get_for_an_event_stream_is_no_method_here),
		cmocka_unit_test(status_and_type_are_told_without_the_text),
		cmocka_unit_test(section_chooses_the_status),
		cmocka_unit_test(reason_phrase_is_one_line_of_two_hundred_bytes),
		cmocka_unit_test(nothing_can_add_a_line_to_the_head),
		cmocka_unit_test(signs_that_ascii_has_as_well_are_ascii_in_the_phrase),
		cmocka_unit_test(longest_head_fits),
		cmocka_unit_test(text_is_escaped_for_json),
		cmocka_unit_test(answer_can_be_fetched_in_pieces_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
