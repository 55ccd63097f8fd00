#include "tests/unit/tls_scene.h"

static void
is_answered_with_tickets_before(const struct tls_words *w, unsigned tickets, size_t length)
{
	shakes_hands(w);
	sends(GET);
	while (tickets-- > 0)
		gets(length);
	t.now_ns += 50 * MS;
	gets(177);
	assert_int_equal(t.answers, 1);
}

static void
learned_tickets_and_nothing_more_fail(void **state)
{
	(void)state;
	is_answered_with_tickets_before(&plain, 2, 282);
	is_answered_with_tickets_before(&plain, 2, 282);
	shakes_hands(&plain);
	sends(GET);
	gets(282);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	gets(282);
	waits();
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
	assert_int_equal(closed_by(false), TLS_UNANSWERED);
	gets(282);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	assert_int_equal(t.answers, 1);
}

static void
tickets_and_something_else_say_nothing(void **state)
{
	static const size_t lengths[] = {19, 22, 282 + 16};

	(void)state;
	is_answered_with_tickets_before(&plain, 2, 282);
	is_answered_with_tickets_before(&plain, 2, 282);
	for (unsigned i = 0; i < 3; i++) {
		shakes_hands(&plain);
		sends(GET);
		gets(282);
		if (i < 2)
			gets(282);
		gets(lengths[i]);
		waits();
		assert_int_equal(t.answers, 0);
		assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	}
}

static void
tickets_differ_with_cipher_and_client_certificate(void **state)
{
	struct tls_words w = plain;

	(void)state;
	is_answered_with_tickets_before(&plain, 2, 282);
	is_answered_with_tickets_before(&plain, 2, 282);
	w.cipher = 0x1303;
	for (unsigned i = 0; i < 2; i++) {
		hellos(i == 0 ? &w : &plain);
		gets(FINISHED);
		if (i == 1)
			sends(816);
		sends(FINISHED);
		sends(GET);
		gets(282);
		gets(282);
		waits();
		assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	}
}

static void
gets_go_handshake(const struct tls_words *w)
{
	hellos(w);
	gets(23);
	gets(FINISHED);
	gets(147);
	sends(FINISHED);
	sends(GET);
}

/* Go sends its ticket before the client's Finished: what comes after it is the answer. */
static void
lone_record_is_no_ticket_where_that_came_before(void **state)
{
	struct tls_words w = plain;

	(void)state;
	w.is_resumed = true;
	for (unsigned i = 0; i < 6; i++) {
		gets_go_handshake(i % 2 == 0 ? &plain : &w);
		gets(204);
		t.now_ns += 50 * MS;
		gets(99);
	}
	for (unsigned i = 0; i < 2; i++) {
		gets_go_handshake(i == 0 ? &plain : &w);
		gets(204);
		waits();
		assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
	}
}

static void
learned_tickets_of_one_server_say_nothing_of_another(void **state)
{
	struct tls_words w = plain;

	(void)state;
	is_answered_with_tickets_before(&plain, 2, 282);
	is_answered_with_tickets_before(&plain, 2, 282);
	w.name = "api.courier.example";
	shakes_hands(&w);
	sends(GET);
	gets(282);
	gets(282);
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
ticket_of_a_resumed_session_is_known_by_its_length(void **state)
{
	struct tls_words w = plain;

	(void)state;
	w.is_resumed = true;
	is_answered_with_tickets_before(&plain, 2, 282);
	is_answered_with_tickets_before(&w, 1, 282);
	is_answered_with_tickets_before(&w, 1, 282);
	shakes_hands(&w);
	sends(GET);
	gets(282);
	waits();
	assert_int_equal(silence(), SILENCE_FAILS_IF_PROVEN);
}

/* Headers at once and a body later, by a server that sends no tickets. */
static void
slow_body_never_fails(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++)
		is_answered_with_tickets_before(&plain, 1, 204);
	shakes_hands(&plain);
	sends(GET);
	gets(204);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

static void
record_that_follows_at_once_confirms_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		shakes_hands(&plain);
		sends(GET);
		gets(204);
		gets(204);
		gets(99);
	}
	shakes_hands(&plain);
	sends(GET);
	gets(204);
	gets(204);
	waits();
	assert_int_equal(silence(), SILENCE_SAYS_NOTHING);
}

#define UNIT(test) cmocka_unit_test_setup(test, fresh)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(learned_tickets_and_nothing_more_fail),
		UNIT(tickets_and_something_else_say_nothing),
		UNIT(tickets_differ_with_cipher_and_client_certificate),
		UNIT(lone_record_is_no_ticket_where_that_came_before),
		UNIT(learned_tickets_of_one_server_say_nothing_of_another),
		UNIT(ticket_of_a_resumed_session_is_known_by_its_length),
		UNIT(slow_body_never_fails),
		UNIT(record_that_follows_at_once_confirms_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
