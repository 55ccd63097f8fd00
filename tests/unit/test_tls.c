#include "tests/unit/tls_scene.h"

static void
first_question_is_what_follows_finished(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	assert_int_equal(t.questions, 1);
	assert_int_equal(t.silence, SILENCE_FAILS_IF_PROVEN);
	sends(GET);
	assert_int_equal(t.questions, 1);
}

static void
client_certificate_is_no_question(void **state)
{
	(void)state;
	hellos(&plain);
	gets(FINISHED);
	sends(816);
	sends(281);
	assert_false(t.sent.is_finished);
	sends(FINISHED);
	assert_true(t.sent.is_finished);
	sends(GET);
	assert_int_equal(t.questions, 1);
}

static void
every_client_is_known_by_its_finished(void **state)
{
	/* SHA-384, with an empty certificate, from Java; SHA-256 likewise. */
	static const size_t sha384[] = {69, 77, 85, 93}, sha256[] = {53, 61, 69, 77};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct tls_words w = plain;

		w.cipher = i < 4 ? 0x1302 : 0x1301;
		hellos(&w);
		sends(i < 4 ? sha384[i] : sha256[i - 4]);
		assert_true(t.sent.is_finished);
	}
}

static void
second_client_hello_replaces_the_first(void **state)
{
	struct tls_words w = plain, retry = plain;

	(void)state;
	retry.is_retry = true;
	hellos(&retry);
	w.name = "api.courier.example";
	tls_talk_record(&t, true, TLS_CHANGE_CIPHER, 1, NULL);
	uint32_t names = t.sent.hello.names;

	tls_talk_hello(&t, true, &w);
	assert_true(tls_hello_is_done(&t.sent.hello));
	assert_int_not_equal(t.sent.hello.names, names);
	tls_talk_hello(&t, false, &w);
	assert_false(tls_hello_is_retry(&t.received.hello));
	gets(FINISHED);
	sends(FINISHED);
	sends(GET);
	assert_int_equal(t.questions, 1);
	assert_int_equal(t.losses, 0);
}

static void
third_record_is_an_answer(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(282);
	gets(282);
	assert_int_equal(t.doubts, 2);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	gets(282);
	assert_int_equal(t.answers, 1);
	assert_int_equal(closed_by(false), TLS_ANSWERED);
}

static void
record_of_another_length_is_an_answer(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(250);
	gets(147);
	assert_int_equal(t.doubts, 1);
	assert_int_equal(t.answers, 1);
}

static void
record_longer_than_the_handshake_is_an_answer(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(9000);
	assert_int_equal(t.answers, 1);
}

/* Java puts its certificates into tickets. */
static void
long_record_may_be_a_ticket(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(2648);
	assert_int_equal(t.doubts, 1);
	assert_int_equal(t.answers, 0);
}

static void
goodbye_is_no_question(void **state)
{
	static const size_t lengths[] = {19, 22, 35, 38};

	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(2);
	for (unsigned i = 0; i < 4; i++)
		sends(lengths[i]);
	assert_int_equal(t.questions, 2);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	assert_int_equal(closed_by(false), TLS_ANSWERED);
}

static void
goodbye_of_the_server_is_no_answer(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(19);
	assert_int_equal(t.answers, 0);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	assert_int_equal(closed_by(true), TLS_UNKNOWN);
}

static void
next_question_shows_that_the_doubtful_one_was_answered(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(155);
	assert_int_equal(t.doubts, 1);
	sends(GET);
	assert_int_equal(t.questions, 1);
	t.now_ns += PAUSE;
	sends(GET);
	assert_int_equal(t.questions, 2);
	gets(155);
	assert_int_equal(t.answers, 1);
}

static void
lone_record_is_taken_for_an_answer_when_the_client_leaves_soon(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(155);
	assert_int_equal(closed_by(false), TLS_ANSWERED);
	assert_int_equal(closed_by(true), TLS_ANSWERED);
	waits();
	assert_int_equal(closed_by(false), TLS_UNKNOWN);
	assert_int_equal(closed_by(true), TLS_ANSWERED);
}

static void
two_records_of_one_length_may_be_tickets_at_the_end(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	gets(282);
	gets(282);
	assert_int_equal(closed_by(false), TLS_UNKNOWN);
	assert_int_equal(closed_by(true), TLS_UNKNOWN);
}

static void
any_record_may_be_the_settings_of_http2(void **state)
{
	struct tls_words w = plain;

	(void)state;
	w.alpn = "\x02h2\x08http/1.1";
	hellos(&w);
	gets(32);
	gets(FINISHED);
	sends(FINISHED);
	sends(GET);
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
	for (unsigned i = 0; i < 9; i++)
		gets(40 + i);
	waits();
	assert_int_equal(t.answers, 0);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	sends(46);
	assert_int_equal(t.questions, 1);
	assert_int_equal(closed_by(false), TLS_UNKNOWN);
}

static void
http2_is_ruled_out_by_the_length_of_the_extensions(void **state)
{
	struct tls_words w = plain;

	(void)state;
	w.alpn = "\x02h2\x08http/1.1";
	shakes_hands(&w);
	sends(GET);
	gets(282);
	gets(177);
	assert_int_equal(t.answers, 1);
}

static void
first_record_is_an_answer_in_tls_1_2(void **state)
{
	struct tls_words w = {.version = 0x0303, .cipher = 0xc02f};

	(void)state;
	shakes_hands(&w);
	sends(GET);
	assert_int_equal(t.silence, SILENCE_FAILS_IF_PROVEN);
	tls_talk_record(&t, true, TLS_ALERT, 26, NULL);
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
	gets(150);
	assert_int_equal(t.answers, 1);
	w.alpn = "\x02h2";
	shakes_hands(&w);
	sends(GET);
	gets(150);
	assert_int_equal(t.answers, 0);
	assert_int_equal(t.doubts, 1);
}

static void
what_is_no_tls_is_lost(void **state)
{
	(void)state;
	tls_talk_feed(&t, true, (const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18);
	assert_int_equal(t.losses, 1);
	tls_talk_begin(&t);
	tls_talk_data(&t, true, 100);
	assert_int_equal(t.losses, 1);
	shakes_hands(&plain);
	tls_talk_feed(&t, false, (const uint8_t *)"HTTP/1.1 200 OK\r\n\r\n", 19);
	assert_int_equal(t.losses, 1);
	sends(GET);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
early_data_is_lost(void **state)
{
	(void)state;
	tls_talk_hello(&t, true, &plain);
	sends(GET);
	assert_int_equal(t.losses, 1);
}

static void
bodies_may_pass_unseen_and_headers_not(void **state)
{
	static const uint8_t header[] = {TLS_DATA, 3, 3, 0, 100};
	struct talk_event e;

	(void)state;
	shakes_hands(&plain);
	tls_talk_feed(&t, true, header, sizeof(header));
	assert_int_equal(t.questions, 1);
	assert_int_equal(tls_sent(&t.sent, &t.received, NULL, 100, t.now_ns, &e), 100);
	assert_int_equal(e.what, TALK_NOTHING);
	assert_int_equal(tls_sent(&t.sent, &t.received, NULL, 100, t.now_ns, &e), 1);
	assert_int_equal(e.what, TALK_LOST);
}

static void
side_that_sends_can_be_put_back(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	struct tls_sent before = t.sent;

	t.now_ns += 100 * MS;
	sends(GET);
	t.sent = before;
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	sends(GET);
	assert_int_equal(t.sent.asked, 4);
	assert_int_equal(silence(), SILENCE_FAILS);
}

#define UNIT(test) cmocka_unit_test_setup(test, fresh)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(first_question_is_what_follows_finished),
		UNIT(client_certificate_is_no_question),
		UNIT(every_client_is_known_by_its_finished),
		UNIT(second_client_hello_replaces_the_first),
		UNIT(third_record_is_an_answer),
		UNIT(record_of_another_length_is_an_answer),
		UNIT(record_longer_than_the_handshake_is_an_answer),
		UNIT(long_record_may_be_a_ticket),
		UNIT(goodbye_is_no_question),
		UNIT(goodbye_of_the_server_is_no_answer),
		UNIT(next_question_shows_that_the_doubtful_one_was_answered),
		UNIT(lone_record_is_taken_for_an_answer_when_the_client_leaves_soon),
		UNIT(two_records_of_one_length_may_be_tickets_at_the_end),
		UNIT(any_record_may_be_the_settings_of_http2),
		UNIT(http2_is_ruled_out_by_the_length_of_the_extensions),
		UNIT(first_record_is_an_answer_in_tls_1_2),
		UNIT(what_is_no_tls_is_lost),
		UNIT(early_data_is_lost),
		UNIT(bodies_may_pass_unseen_and_headers_not),
		UNIT(side_that_sends_can_be_put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
