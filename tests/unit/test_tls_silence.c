#include "tests/unit/tls_scene.h"

static void
what_waited_in_the_kernel_is_no_answer(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	tls_waits(&t.sent, 2 * (TLS_HEADER_BYTES + 282));
	gets(282);
	gets(282);
	assert_int_equal(t.doubts, 0);
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
	gets(177);
	assert_int_equal(t.answers, 1);
}

static void
waiting_bytes_and_begun_headers_say_nothing(void **state)
{
	static const uint8_t begun[] = {TLS_DATA, 3, 3};

	(void)state;
	shakes_hands(&plain);
	sends(GET);
	assert_int_equal(tls_silence(&t.sent, &t.received, NULL, 1, t.now_ns),
			 SILENCE_SAYS_NOTHING);
	tls_talk_feed(&t, false, begun, sizeof(begun));
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	assert_int_equal(closed_by(false), TLS_UNKNOWN);
}

static void
question_that_is_still_being_sent_says_nothing(void **state)
{
	(void)state;
	shakes_hands(&plain);
	sends(GET);
	t.now_ns += 3 * SECOND;
	sends(16401);
	assert_int_equal(t.questions, 1);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	waits();
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
}

static void
later_question_without_an_answer_fails(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	assert_int_equal(t.answers, 3);
	t.now_ns += 100 * MS;
	sends(GET);
	assert_int_equal(t.questions, 4);
	assert_false(t.is_one_way);
	assert_int_equal(t.silence, SILENCE_FAILS);
	waits();
	assert_int_equal(silence(), SILENCE_FAILS);
	gets(150);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
second_question_says_nothing(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(1);
	t.now_ns += 100 * MS;
	sends(GET);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	assert_int_equal(closed_by(false), TLS_UNANSWERED);
}

static void
later_question_unlike_the_others_says_nothing(void **state)
{
	static const size_t lengths[] = {60, 2000};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		shakes_hands(&plain);
		asks_and_is_answered(3);
		t.now_ns += 100 * MS;
		sends(lengths[i]);
		waits();
		assert_int_equal(t.questions, 4);
		assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
		assert_true(t.is_one_way);
	}
}

/* As after the upgrade to a WebSocket. */
static void
questions_of_many_sizes_say_nothing(void **state)
{
	static const size_t lengths[] = {GET, 60, GET};

	(void)state;
	shakes_hands(&plain);
	for (unsigned i = 0; i < 3; i++) {
		t.now_ns += 100 * MS;
		sends(lengths[i]);
		gets(150);
		gets(27);
	}
	t.now_ns += 100 * MS;
	sends(GET);
	waits();
	assert_int_equal(t.questions, 4);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

/* A server may answer when it has seen the head of a request; then the body follows. */
static void
body_after_an_early_answer_says_nothing(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	t.now_ns += 100 * MS;
	sends(GET);
	gets(150);
	t.now_ns = t.sent.sent_ns;
	sends(GET);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
later_question_while_something_waits_says_nothing(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	t.now_ns += 100 * MS;
	sends(GET);
	tls_waits(&t.sent, 10);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
later_question_before_the_answer_is_whole_says_nothing(void **state)
{
	static const uint8_t half[TLS_HEADER_BYTES + 10] = {TLS_DATA, 3, 3, 0, 20};

	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	tls_talk_feed(&t, false, half, sizeof(half));
	t.now_ns += 100 * MS;
	sends(GET);
	tls_talk_feed(&t, false, half + TLS_HEADER_BYTES, 10);
	waits();
	assert_int_equal(t.questions, 4);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

/* Half of its header was read before, so it is no ticket. */
static void
record_that_began_before_finished_belongs_to_the_handshake(void **state)
{
	static const uint8_t record[TLS_HEADER_BYTES + 20] = {TLS_DATA, 3, 3, 0, 20};

	(void)state;
	hellos(&plain);
	gets(FINISHED);
	tls_talk_feed(&t, false, record, 3);
	sends(FINISHED);
	tls_talk_feed(&t, false, record + 3, sizeof(record) - 3);
	assert_int_equal(t.received.run.count, 0);
	sends(GET);
	gets(282);
	gets(282);
	assert_int_equal(t.answers, 0);
}

static void
talk_that_goes_one_way_says_nothing(void **state)
{
	(void)state;
	shakes_hands(&plain);
	asks_and_is_answered(3);
	for (unsigned i = 0; i < 3; i++) {
		t.now_ns += 200 * MS;
		sends(GET);
	}
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	asks_and_is_answered(3);
	t.now_ns += 100 * MS;
	sends(GET);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
late_question_has_its_tickets_before_it(void **state)
{
	(void)state;
	shakes_hands(&plain);
	gets(250);
	gets(250);
	t.now_ns += PAUSE;
	sends(GET);
	waits();
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
	gets(250);
	assert_int_equal(t.answers, 1);
}

static bool
says_goodbye(void)
{
	return tls_says_goodbye(&t.sent, &t.received);
}

static void
goodbye_is_told_from_a_question(void **state)
{
	static const uint8_t begun[] = {TLS_DATA, 3, 3, 0, 19}, body[19];
	const struct tls_words older = {
		.name = "api.carrier.example", .version = 0x0303, .cipher = 0xc02f};

	(void)state;
	shakes_hands(&plain);
	assert_false(says_goodbye());
	sends(GET);
	assert_false(says_goodbye());
	tls_talk_feed(&t, true, begun, sizeof(begun));
	assert_false(says_goodbye());
	tls_talk_feed(&t, true, body, sizeof(body));
	assert_true(says_goodbye());
	shakes_hands(&older);
	sends(19);
	assert_false(says_goodbye());
	tls_talk_record(&t, true, TLS_ALERT, 26, NULL);
	assert_true(says_goodbye());
}

#define UNIT(test) cmocka_unit_test_setup(test, fresh)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(what_waited_in_the_kernel_is_no_answer),
		UNIT(waiting_bytes_and_begun_headers_say_nothing),
		UNIT(question_that_is_still_being_sent_says_nothing),
		UNIT(later_question_without_an_answer_fails),
		UNIT(second_question_says_nothing),
		UNIT(later_question_unlike_the_others_says_nothing),
		UNIT(questions_of_many_sizes_say_nothing),
		UNIT(body_after_an_early_answer_says_nothing),
		UNIT(later_question_while_something_waits_says_nothing),
		UNIT(later_question_before_the_answer_is_whole_says_nothing),
		UNIT(record_that_began_before_finished_belongs_to_the_handshake),
		UNIT(talk_that_goes_one_way_says_nothing),
		UNIT(late_question_has_its_tickets_before_it),
		UNIT(goodbye_is_told_from_a_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
