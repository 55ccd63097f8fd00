#include "tests/unit/http1_support.h"

#define REQUEST_CHUNKED "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
#define ANSWER_CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define NO_CONTENT "HTTP/1.1 204 No Content\r\n\r\n"
#define TWO_ASKED "question asked question asked "

static void
request_is_asked_with_its_last_byte(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\nGET / HTTP/1"),
		SENT(GET),
	};

	(void)state;
	assert_talk_at(talk, "question asked question asked", "1 51 52 89");
}

static void
length_may_be_written_in_many_ways(void **state)
{
	static const char *const heads[] = {
		"Content-Length:5\r\n",
		"content-length:   5  \r\n",
		"CONTENT-LENGTH : 005\r\n",
		"Content-Length:\r\n 5\r\n",
		"Content-Length: 5\r\n \r\n",
		"Content-Length: 5\r\nContent-Length: 5\r\n",
		"Content-Length: 9\r\nTransfer-Encoding: \r\n chunked\r\nX: \r\n",
		"X: a\r\n Content-Length: 7\r\nContent-Length: 5\r\n",
		"Content-Lengths: 7\r\nContent-Leng: 8\r\nContent-Length x: 4\r\nContent-Length: "
		"5\r\n",
		"Content-Length\r\nno colon\r\nContent-Length: 5\r\n",
		"tRANSFER-eNCODING: gzip, ,Chunked ,\r\n",
		"Transfer-Encoding: gzip\r\nTransfer-Encoding:\tchunked\r\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char request[200], answer[200];
		const char *body =
			strcasestr(heads[i], "chunked") ? "1\r\nx\r\n0\r\n\r\n" : "12345";

		snprintf(request, sizeof(request), "POST / HTTP/1.1\r\n%s\r\n%s", heads[i], body);
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\n%s\r\n%s" NO_CONTENT, heads[i],
			 body);
		struct talk_piece talk[] = {{true, request, strlen(request)},
					    SENT(GET),
					    {false, answer, strlen(answer)}};

		assert_talk(talk, TWO_ASKED "first answer=200 first answer=204");
	}
}

static void
length_that_cannot_be_told_is_lost(void **state)
{
	static const char *const heads[] = {"Content-Length: 5\r\nContent-Length: 6\r\n",
					    "Content-Length: 5, 5\r\n",
					    "Content-Length: -1\r\n",
					    "Content-Length: 0x5\r\n",
					    "Content-Length: 18446744073709551616\r\n",
					    "Content-Length: 5 5\r\n",
					    "Content-Length:\r\n",
					    "Content-Length: 5\r\n 5\r\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char request[200], answer[200];

		snprintf(request, sizeof(request), "POST / HTTP/1.1\r\n%s\r\n", heads[i]);
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\n%s\r\n", heads[i]);
		struct talk_piece asking[] = {{true, request, strlen(request)}};
		struct talk_piece answering[] = {SENT(GET), {false, answer, strlen(answer)}};

		assert_talk(asking, "question lost");
		assert_talk(answering, "question asked first answer=200 lost");
	}
}

static void
requests_of_unknown_length_are_lost(void **state)
{
	static const struct talk_piece gzip[] = {
		SENT("POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n")};
	static const struct talk_piece odd[] = {
		SENT("POST / HTTP/1.1\r\nTransfer-Encoding: chunk ed\r\n\r\n")};

	(void)state;
	assert_talk(gzip, "question lost");
	assert_talk(odd, "question lost");
}

static void
chunks_are_followed_to_the_last_one(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(REQUEST_CHUNKED "5\r\nhello\r\nA;name=\"v\"\r\n0123456789\r\n0\r\n\r\n"),
		SENT(GET),
		RECEIVED(ANSWER_CHUNKED "13\r\nHTTP/1.1 500 NO\r\n\r\n\r\n0\r\n\r\n" NO_CONTENT),
	};

	(void)state;
	assert_talk_at(talk, TWO_ASKED "first answer=200 first answer=204",
		       "1 86 87 124 10 13 87 90");
}

static void
trailers_are_no_fields(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(REQUEST_CHUNKED "0\r\nContent-Length: 9\r\nX: y\r\n\r\n"),
		SENT(GET),
		RECEIVED(ANSWER_CHUNKED "1\nx\n00\nContent-Length: 7\nX: y\n\n" NO_CONTENT),
	};

	(void)state;
	assert_talk(talk, TWO_ASKED "first answer=200 first answer=204");
}

static void
malformed_chunks_are_lost(void **state)
{
	static const char *const bodies[] = {"x\r\n",	"\r\n",	  ";a\r\n",
					     "1\r\nab", "-1\r\n", "fffffffffffffffff\r\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char answer[200];

		snprintf(answer, sizeof(answer), ANSWER_CHUNKED "%s", bodies[i]);
		struct talk_piece talk[] = {SENT(GET), {false, answer, strlen(answer)}};

		assert_talk(talk, "question asked first answer=200 lost");
	}
}

static void
some_answers_have_no_body_whatever_they_say(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET GET),
		RECEIVED("HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"
			 "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
		SENT(GET),
		RECEIVED("HTTP/1.1 304 Not Modified\r\n\r\n"),
		SENT(GET),
		RECEIVED(NO_CONTENT),
	};

	(void)state;
	assert_talk(talk, TWO_ASKED "first answer=304 first answer=204 question asked first "
				    "answer=304 question asked first answer=204");
}

static void
answer_without_length_lasts_to_the_end(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET),
		RECEIVED("HTTP/1.0 200 OK\r\n\r\nHTTP/1.1 500 No\r\n\r\n"),
		RECEIVED_UNSEEN(300),
		RECEIVED("HTTP/1.1 500 No\r\n\r\n"),
	};
	static const struct talk_piece gzip[] = {
		SENT(GET),
		RECEIVED("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"
			 "HTTP/1.1 500 No\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200");
	assert_talk(gzip, "question asked first answer=200");
}

static void
another_request_contradicts_a_body_without_end(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET),
		RECEIVED("HTTP/1.1 200 OK\r\n\r\nbody"),
		SENT(GET),
		RECEIVED("HTTP/1.1 200 OK\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200 question asked lost");
}

static void
bodies_may_be_seen_by_number_only(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("POST / HTTP/1.1\r\nContent-Length: 500\r\n\r\n"),
		SENT_UNSEEN(300),
		SENT_UNSEEN(200),
		SENT(GET),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n1"),
		RECEIVED_UNSEEN(499),
		RECEIVED(ANSWER_CHUNKED "20\r\n"),
		RECEIVED_UNSEEN(32),
		RECEIVED("\r\n0\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, TWO_ASKED "first answer=200 first answer=200");
}

static void
bytes_that_were_not_seen_elsewhere_are_lost(void **state)
{
	static const struct talk_piece beyond[] = {
		SENT("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), SENT_UNSEEN(6)};
	static const struct talk_piece in_head[] = {SENT("GET / HTTP/1.1\r\nHost:"),
						    SENT_UNSEEN(1)};
	static const struct talk_piece in_line[] = {SENT("GET "), SENT_UNSEEN(1)};
	static const struct talk_piece framing[] = {SENT(REQUEST_CHUNKED "5\r\nhello"),
						    SENT_UNSEEN(2)};
	static const struct talk_piece answer[] = {SENT(GET), RECEIVED_UNSEEN(20)};

	(void)state;
	assert_talk(beyond, "question asked lost");
	assert_talk(in_head, "question lost");
	assert_talk(in_line, "question lost");
	assert_talk(framing, "question lost");
	assert_talk(answer, "question asked lost");
}

static void
bodies_may_be_as_long_as_numbers_go(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("PUT / HTTP/1.1\r\nContent-Length: 18446744073709551600\r\n\r\n"),
		SENT_UNSEEN(SIZE_MAX / 2),
		SENT_UNSEEN(SIZE_MAX / 2 - 14),
		SENT(GET),
	};
	struct talk_run run;

	(void)state;
	memset(&run, 0, sizeof(run));
	run.reader = &http1_reader;
	for (unsigned i = 0; i < 4; i++)
		talk_feed(&run, &talk[i]);
	assert_string_equal(run.what, "question asked question asked");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_is_asked_with_its_last_byte),
		cmocka_unit_test(length_may_be_written_in_many_ways),
		cmocka_unit_test(length_that_cannot_be_told_is_lost),
		cmocka_unit_test(requests_of_unknown_length_are_lost),
		cmocka_unit_test(chunks_are_followed_to_the_last_one),
		cmocka_unit_test(trailers_are_no_fields),
		cmocka_unit_test(malformed_chunks_are_lost),
		cmocka_unit_test(some_answers_have_no_body_whatever_they_say),
		cmocka_unit_test(answer_without_length_lasts_to_the_end),
		cmocka_unit_test(another_request_contradicts_a_body_without_end),
		cmocka_unit_test(bodies_may_be_seen_by_number_only),
		cmocka_unit_test(bytes_that_were_not_seen_elsewhere_are_lost),
		cmocka_unit_test(bodies_may_be_as_long_as_numbers_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
