#include "tests/unit/http1_support.h"

static void
request_and_answer_are_a_question_and_its_answer(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
	};

	(void)state;
	assert_talk_at(talk, "question asked first answer=200", "1 27 10 13");
}

static void
next_request_is_the_next_question(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET), RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
		SENT(GET), RECEIVED("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
		SENT(GET), RECEIVED("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200 question asked first answer=503 "
			  "question asked first answer=404");
}

static void
pipelined_requests_are_answered_in_order(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET "HEAD / HTTP/1.1\r\n\r\n" GET),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
			 "HTTP/1.1 201 OK\r\nContent-Length: 10\r\n\r\n"
			 "HTTP/1.1 202 OK\r\nContent-Length: 1\r\n\r\n3"),
	};

	(void)state;
	assert_talk(talk, "question asked question asked question asked "
			  "first answer=200 first answer=201 first answer=202");
}

static void
answer_to_head_has_no_body(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("HEAD / HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
		SENT("HEADS / HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
			 "HTTP/1.1 500 this is of the body, is it not"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200 question asked first answer=200 lost");
}

static void
interim_answers_are_none(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"),
		RECEIVED("HTTP/1.1 100 Continue\r\n\r\n"),
		SENT("abc"),
		RECEIVED("HTTP/1.1 102 Processing\r\n\r\n"
			 "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 9\r\n\r\n"
			 "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200");
}

static void
answer_may_come_before_the_request_is_whole(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"),
		RECEIVED("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"),
		SENT("cde"),
	};

	(void)state;
	assert_talk(talk, "question first answer=413 asked");
}

static void
switched_protocol_is_an_answer_and_an_upgrade(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
		RECEIVED("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05"),
	};

	(void)state;
	assert_talk_at(talk, "question asked first answer=101 upgrade", "1 63 12 13 56");
}

static void
tunnel_begins_behind_the_answer_to_connect(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 Connection established\r\nContent-Length: 7\r\n\r\n\x16"),
	};

	(void)state;
	assert_talk_at(talk, "question asked first answer=200 upgrade", "1 59 10 13 58");
}

static void
refused_tunnel_is_an_answer_like_any_other(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("CONNECT a:443 HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 407 Who\r\nContent-Length: 4\r\n\r\nwho?"),
		SENT("CONNECT a:443 HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk,
		    "question asked first answer=407 question asked first answer=200 upgrade");
}

static void
other_methods_than_connect_make_no_tunnel(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("CONNECTED a:443 HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"),
		SENT("M-SEARCH * HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=200 question asked first answer=200");
}

static void
lines_may_end_in_a_bare_line_feed(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("POST / HTTP/1.0\nContent-Length: 2\n\nab"),
		RECEIVED("HTTP/1.0 200\nContent-Length: 3\n\nabc"),
		SENT("GET / HTTP/1.0\n\n"),
		RECEIVED("HTTP/1.1 101\n\n"),
	};

	(void)state;
	assert_talk(talk,
		    "question asked first answer=200 question asked first answer=101 upgrade");
}

static void
reason_may_be_missing_or_odd(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET GET GET GET),
		RECEIVED("HTTP/1.1 204\r\n\r\n"
			 "HTTP/1.1 204 \r\n\r\n"
			 "HTTP/1.1  204  HTTP/1.1 500 \xff\r\n\r\n"
			 "HTTP/1.0 999 ?\r\nContent-Length:0\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked question asked question asked question asked first "
			  "answer=204 first answer=204 first answer=204 first answer=999");
}

static void
empty_lines_between_messages_say_nothing(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("\r\n\r\n" GET "\r\n" GET),
		RECEIVED("\r\nHTTP/1.1 204 No\r\n\r\n\r\nHTTP/1.1 204 No\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked question asked first answer=204 first answer=204");
}

static void
targets_may_hold_spaces_and_bytes_of_any_language(void **state)
{
	static const struct talk_piece talk[] = {
		SENT("GET /a b HTTP/1 HTTP/2.0 \xc3\xa4 HTTP/1.1 \r\n\r\n"),
		RECEIVED("HTTP/1.1 204 No\r\n\r\n"),
	};

	(void)state;
	assert_talk(talk, "question asked first answer=204");
}

static void
other_protocols_are_lost_in_their_first_line(void **state)
{
	static const struct {
		struct talk_piece piece;
		const char *what, *where;
	} talks[] = {
		{SENT("\0\0\0\x08\x04\xd2\x16\x2f"), "lost", "1"},
		{SENT("*1\r\n$4\r\nPING\r\n"), "lost", "1"},
		{SENT("\x16\x03\x01\x02\0"), "lost", "1"},
		{SENT("PING\r\n"), "question lost", "1 5"},
		{SENT("EHLO client.example\r\n"), "question lost", "1 20"},
		{SENT("SSH-2.0-OpenSSH_9.2\r\n"), "question lost", "1 6"},
		{SENT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "question lost", "1 15"},
		{SENT("GET /\r\n"), "question lost", "1 6"},
		{SENT("get / HTTP/1.1\r\n"), "lost", "1"},
		{SENT("GET / HTTP/1.1x\r\n"), "question lost", "1 15"},
		{SENT("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMN / HTTP/1.1\r\n"), "question lost",
		 "1 33"},
		{SENT("GET /\x01 HTTP/1.1\r\n"), "question lost", "1 6"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(talks) / sizeof(talks[0]); i++)
		talk_assert_at(&http1_reader, &talks[i].piece, 1, talks[i].what, talks[i].where);
}

static void
answers_that_are_no_http_are_lost(void **state)
{
	static const char *const answers[] = {
		"-ERR unknown command\r\n", "HTTP/2 200\r\n\r\n",   "HTTP/1.x 200\r\n",
		"HTTP/1.1200\r\n",	    "HTTP/1.1 20\r\n",	    "HTTP/1.1 2000\r\n",
		"HTTP/1.1 099\r\n",	    "http/1.1 200\r\n\r\n", "\x15\x03\x01",
		"HTTQ/1.1 200\r\n",	    "HTTP/1.1 2x0\r\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct talk_piece talk[] = {SENT(GET), {false, answers[i], strlen(answers[i])}};
		struct talk_run run;

		talk_run(&run, &http1_reader, talk, 2, 0, SIZE_MAX);
		assert_talk(talk, run.what);
		assert_non_null(strstr(run.what, "lost"));
		assert_null(strstr(run.what, "answer"));
	}
}

static void
bytes_without_a_request_are_lost(void **state)
{
	static const struct talk_piece talk[] = {
		SENT(GET),
		RECEIVED("HTTP/1.1 204 No\r\n\r\nHTTP/1.1 408 Timeout\r\n\r\n"),
	};
	static const struct talk_piece greeting[] = {RECEIVED("220 mail.example ESMTP\r\n")};

	(void)state;
	assert_talk_at(talk, "question asked first answer=204 lost", "1 38 10 13 20");
	assert_talk_at(greeting, "lost", "1");
}

static void
sixty_four_requests_may_wait(void **state)
{
	struct talk_piece talk[HTTP1_PIPELINED_MAX + 2];
	struct talk_run run;

	(void)state;
	for (unsigned i = 0; i <= HTTP1_PIPELINED_MAX; i++)
		talk[i] = (struct talk_piece)SENT(GET);
	talk[0] = (struct talk_piece)SENT("HEAD / HTTP/1.1\r\n\r\n");
	talk[HTTP1_PIPELINED_MAX] =
		(struct talk_piece)RECEIVED("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No\r\n\r\n");
	talk_run(&run, &http1_reader, talk, HTTP1_PIPELINED_MAX + 1, 0, SIZE_MAX);
	assert_non_null(strstr(run.what, "asked first answer=200 first answer=204"));
	talk[HTTP1_PIPELINED_MAX + 1] = talk[HTTP1_PIPELINED_MAX];
	talk[HTTP1_PIPELINED_MAX] = talk[1];
	talk_run(&run, &http1_reader, talk, HTTP1_PIPELINED_MAX + 2, 0, SIZE_MAX);
	assert_non_null(strstr(run.what, "asked lost"));
}

static void
what_a_request_was_says_nothing_of_later_ones(void **state)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
	static const struct talk_piece first[] = {
		SENT("HEAD / HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"),
		SENT("CONNECT a:1 HTTP/1.1\r\n\r\n"),
		RECEIVED("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno"),
	};
	const struct talk_piece get = SENT(GET), got = RECEIVED(answer);
	struct talk_run run = {.reader = &http1_reader};

	(void)state;
	for (unsigned i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		talk_feed(&run, &first[i]);
	for (unsigned i = 0; i < HTTP1_PIPELINED_MAX; i++) {
		run.what[0] = run.where[0] = '\0';
		talk_feed(&run, &get);
		talk_feed(&run, &got);
		assert_string_equal(run.what, "question asked first answer=200");
	}
}

static void
what_was_lost_stays_lost(void **state)
{
	struct http1_sent s = {0};
	struct http1_received r = {0};
	struct talk_event e;

	(void)state;
	assert_int_equal(http1_sent(&s, "*1\r\n", 4, &e), 1);
	assert_int_equal(e.what, TALK_LOST);
	assert_int_equal(http1_sent(&s, GET, sizeof(GET) - 1, &e), sizeof(GET) - 1);
	assert_int_equal(e.what, TALK_LOST);
	assert_int_equal(http1_sent(&s, NULL, 0, &e), 0);
	assert_int_equal(e.what, TALK_NOTHING);
	assert_int_equal(http1_received(&r, &s, "x", 1, &e), 1);
	assert_int_equal(e.what, TALK_LOST);
	assert_int_equal(http1_received(&r, &s, NULL, 9, &e), 9);
	assert_int_equal(e.what, TALK_LOST);
	assert_int_equal(http1_received(&r, &s, NULL, 0, &e), 0);
	assert_int_equal(e.what, TALK_NOTHING);
}

/* Feeds all of it and counts the events of one kind. */
static unsigned
count_sent(struct http1_sent *s, const char *bytes, size_t size, enum talk_what what)
{
	unsigned count = 0;
	struct talk_event e;

	for (size_t n = 0; n < size;) {
		n += http1_sent(s, bytes + n, size - n, &e);
		count += e.what == what;
	}
	return count;
}

static void
sent_side_can_be_put_back(void **state)
{
	static const char bytes[] = "HEAD / HTTP/1.1\r\n\r\n" GET;
	const size_t size = sizeof(bytes) - 1;

	(void)state;
	for (size_t written = 0; written <= size; written++) {
		struct http1_sent s = {0}, before = s;

		assert_int_equal(count_sent(&s, bytes, size, TALK_ASKED), 2);
		s = before;
		unsigned asked = count_sent(&s, bytes, written, TALK_ASKED);

		asked += count_sent(&s, bytes + written, size - written, TALK_ASKED);
		assert_int_equal(asked, 2);
		assert_int_equal(s.requests, 2);
		assert_int_equal(s.is_head, 1);
	}
}

static void
structs_are_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct http1_sent) <= 64);
	assert_true(sizeof(struct http1_received) <= 64);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_and_answer_are_a_question_and_its_answer),
		cmocka_unit_test(next_request_is_the_next_question),
		cmocka_unit_test(pipelined_requests_are_answered_in_order),
		cmocka_unit_test(answer_to_head_has_no_body),
		cmocka_unit_test(interim_answers_are_none),
		cmocka_unit_test(answer_may_come_before_the_request_is_whole),
		cmocka_unit_test(switched_protocol_is_an_answer_and_an_upgrade),
		cmocka_unit_test(tunnel_begins_behind_the_answer_to_connect),
		cmocka_unit_test(refused_tunnel_is_an_answer_like_any_other),
		cmocka_unit_test(other_methods_than_connect_make_no_tunnel),
		cmocka_unit_test(lines_may_end_in_a_bare_line_feed),
		cmocka_unit_test(reason_may_be_missing_or_odd),
		cmocka_unit_test(empty_lines_between_messages_say_nothing),
		cmocka_unit_test(targets_may_hold_spaces_and_bytes_of_any_language),
		cmocka_unit_test(other_protocols_are_lost_in_their_first_line),
		cmocka_unit_test(answers_that_are_no_http_are_lost),
		cmocka_unit_test(bytes_without_a_request_are_lost),
		cmocka_unit_test(sixty_four_requests_may_wait),
		cmocka_unit_test(what_a_request_was_says_nothing_of_later_ones),
		cmocka_unit_test(what_was_lost_stays_lost),
		cmocka_unit_test(sent_side_can_be_put_back),
		cmocka_unit_test(structs_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
