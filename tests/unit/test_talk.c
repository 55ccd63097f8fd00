#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/talk.h"

static struct talk_sent sent;
static struct talk_received received;
static char said[512];
static uint64_t now_ns;

static void
note(const struct talk_event *e)
{
	static const char *const names[] = {
		[TALK_QUESTION] = "question", [TALK_ASKED] = "asked",	[TALK_CANCEL] = "cancel",
		[TALK_FIRST] = "first",	      [TALK_ANSWER] = "answer", [TALK_DOUBT] = "doubt",
		[TALK_ONE_WAY] = "one-way",   [TALK_ABORT] = "abort",	[TALK_UPGRADE] = "upgrade",
		[TALK_LOST] = "lost",
	};
	static const char *const silences[] = {"", "-if-awaited", "-if-proven", "-fails"};
	size_t len = strlen(said);

	if (e->what == TALK_NOTHING || e->what == TALK_ASKED || e->what == TALK_FIRST)
		return;
	snprintf(said + len, sizeof(said) - len, "%s%s%s", len > 0 ? " " : "", names[e->what],
		 e->what == TALK_QUESTION ? silences[e->silence] : "");
	len = strlen(said);
	if (e->what == TALK_ANSWER && e->status != 0)
		snprintf(said + len, sizeof(said) - len, "-%u", e->status);
}

/* As the caller has to: on with what was not taken. */
static void
go_on(const struct talk_event *e)
{
	if (e->what == TALK_LOST)
		talk_by_turns(&sent, &received, strstr(said, "question") != NULL);
	else if (e->what == TALK_UPGRADE)
		talk_restart(&sent, &received, false);
}

static void
send_text(const char *text)
{
	size_t size = strlen(text);
	struct talk_event e;

	while (size > 0) {
		size_t taken = talk_sent(&sent, &received, text, size, now_ns, &e);

		note(&e);
		go_on(&e);
		text += taken;
		size -= taken;
	}
}

static void
send_slowly(const char *text)
{
	for (; *text != '\0'; text++) {
		char one[2] = {*text, '\0'};

		send_text(one);
	}
}

static void
receive_text(const char *text)
{
	size_t size = strlen(text);
	struct talk_event e;

	while (size > 0) {
		size_t taken = talk_received(&received, &sent, NULL, text, size, 2, &e);

		note(&e);
		go_on(&e);
		text += taken;
		size -= taken;
	}
}

static int
begin(void **state)
{
	(void)state;
	talk_restart(&sent, &received, false);
	said[0] = '\0';
	now_ns = 1;
	return 0;
}

static void
http_is_told_by_its_method(void **state)
{
	(void)state;
	send_text("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
	receive_text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
	send_text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
	receive_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	assert_string_equal(said, "question-fails answer-503 question-fails answer-200");
}

static void
methods_that_begin_like_the_preface_are_replayed(void **state)
{
	static const char *const methods[] = {"POST", "PUT", "PROPFIND", "PRINT"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		begin(state);
		send_slowly(methods[i]);
		send_slowly(" / HTTP/1.1\r\nHost: a\r\n\r\n");
		receive_text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		assert_string_equal(said, "question-fails answer-200");
	}
}

static void
a_preface_is_no_question(void **state)
{
	(void)state;
	send_slowly("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	assert_string_equal(said, "");
	assert_int_equal(sent.protocol, TALK_HTTP2);
}

static void
a_handshake_is_no_question(void **state)
{
	(void)state;
	send_slowly("\x16\x03\x01");
	assert_string_equal(said, "");
	assert_int_equal(sent.protocol, TALK_TLS);
}

static void
what_is_no_protocol_that_can_be_read_goes_by_turns(void **state)
{
	(void)state;
	send_text("*1\r\n$4\r\nPING\r\n");
	receive_text("+PONG\r\n");
	send_text("*1\r\n$4\r\n");
	send_text("PING\r\n");
	receive_text("+PO");
	receive_text("NG\r\n");
	send_text("*1\r\n$4\r\nPING\r\n");
	assert_string_equal(said, "question-if-proven answer question-if-awaited answer "
				  "question-if-proven");
}

static void
a_greeting_answers_the_connect(void **state)
{
	(void)state;
	receive_text("220 mail\r\n");
	receive_text("220 more\r\n");
	send_text("EHLO me\r\n");
	receive_text("250 hello\r\n");
	assert_string_equal(said, "answer question-if-proven answer");
}

static void
letters_that_are_no_http_go_by_turns(void **state)
{
	(void)state;
	send_text("EHLO me\r\n");
	receive_text("250 hello\r\n");
	assert_string_equal(said, "question-fails lost answer");
}

static void
a_handshake_may_follow_in_clear_text(void **state)
{
	(void)state;
	send_text("\x01\x02SSLRequest");
	receive_text("S");
	send_text("\x16\x03\x01");
	assert_string_equal(said, "question-if-proven answer upgrade");
	assert_int_equal(sent.protocol, TALK_TLS);
}

static void
what_follows_a_switch_of_protocols_may_need_no_answer(void **state)
{
	(void)state;
	talk_restart(&sent, &received, true);
	send_text("\x81\x05hello");
	assert_string_equal(said, "question");
}

static void
who_sends_on_for_a_second_without_an_answer_needs_none(void **state)
{
	(void)state;
	send_text("\x30\x01");
	now_ns += 999999999;
	send_text("\x30\x01");
	assert_string_equal(said, "question-if-proven");
	now_ns += 1;
	send_text("\x30\x01");
	send_text("\x30\x01");
	receive_text("\xd0");
	send_text("\x30\x01");
	assert_string_equal(said, "question-if-proven one-way answer question");
}

static void
a_tunnel_begins_anew(void **state)
{
	(void)state;
	send_text("CONNECT a:443 HTTP/1.1\r\n\r\n");
	receive_text("HTTP/1.1 200 OK\r\n\r\n");
	send_text("\x16\x03\x01");
	assert_string_equal(said, "question-fails answer-200 upgrade");
	assert_int_equal(sent.protocol, TALK_TLS);
}

static void
the_server_is_kept_over_a_restart(void **state)
{
	(void)state;
	sent.server = 7;
	talk_by_turns(&sent, &received, false);
	talk_restart(&sent, &received, false);
	send_text("\x16\x03\x01");
	assert_int_equal(sent.as.tls.server, 7);
}

static void
bytes_that_were_not_seen_are_a_turn(void **state)
{
	struct talk_event e;

	(void)state;
	assert_int_equal(talk_sent(&sent, &received, NULL, 100, 1, &e), 100);
	assert_int_equal(e.what, TALK_QUESTION);
	assert_int_equal(talk_received(&received, &sent, NULL, NULL, 5, 1, &e), 5);
	assert_int_equal(e.what, TALK_ANSWER);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(http_is_told_by_its_method, begin),
		cmocka_unit_test_setup(methods_that_begin_like_the_preface_are_replayed, begin),
		cmocka_unit_test_setup(a_preface_is_no_question, begin),
		cmocka_unit_test_setup(a_handshake_is_no_question, begin),
		cmocka_unit_test_setup(what_is_no_protocol_that_can_be_read_goes_by_turns, begin),
		cmocka_unit_test_setup(a_greeting_answers_the_connect, begin),
		cmocka_unit_test_setup(letters_that_are_no_http_go_by_turns, begin),
		cmocka_unit_test_setup(a_handshake_may_follow_in_clear_text, begin),
		cmocka_unit_test_setup(what_follows_a_switch_of_protocols_may_need_no_answer,
				       begin),
		cmocka_unit_test_setup(who_sends_on_for_a_second_without_an_answer_needs_none,
				       begin),
		cmocka_unit_test_setup(a_tunnel_begins_anew, begin),
		cmocka_unit_test_setup(the_server_is_kept_over_a_restart, begin),
		cmocka_unit_test_setup(bytes_that_were_not_seen_are_a_turn, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
