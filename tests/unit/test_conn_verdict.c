#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shim/conn_verdict.h"

#define SECOND UINT64_C(1000000000)

static struct conn conn;
static struct conn_end how;

static int
begin(void **state)
{
	(void)state;
	memset(&conn, 0, sizeof(conn));
	how = (struct conn_end){.how = CONN_CLOSED, .silent_ns = 2 * SECOND};
	conn.count = 1;
	conn.connected_ns = SECOND;
	conn.asked[0].silence = SILENCE_FAILS;
	conn.asked[0].is_fresh = true;
	return 0;
}

static enum outcome
comes_to(const char *detail)
{
	struct verdict v;

	conn_verdict(&conn, &conn.asked[0], &how, 10 * SECOND, &v);
	assert_string_equal(v.detail, detail);
	return v.outcome;
}

static void
a_client_that_waited_a_second_has_been_failed(void **state)
{
	(void)state;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
	conn.asked[0].is_fresh = false;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
	how.silent_ns = SECOND - 1;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
}

static void
what_waits_to_be_read_may_be_the_answer(void **state)
{
	(void)state;
	how.has_unread = true;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
}

static void
silence_that_says_nothing_is_no_failure(void **state)
{
	(void)state;
	conn.asked[0].silence = SILENCE_SAYS_NOTHING;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
}

static void
silence_counts_where_the_program_was_seen_to_wait(void **state)
{
	(void)state;
	conn.asked[0].silence = SILENCE_FAILS_IF_AWAITED;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
	conn.waits_since_ns = 9 * SECOND + 1;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
	conn.waits_since_ns = 9 * SECOND;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
	conn.sent[CONN_OUTSIDE].protocol = TALK_TLS;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
	conn.is_linked = true;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
}

static void
a_reset_of_a_used_connection_is_a_race(void **state)
{
	(void)state;
	how = (struct conn_end){.how = CONN_FAILED, .error = ECONNRESET};
	assert_int_equal(comes_to("ECONNRESET"), OUTCOME_FAIL);
	conn.asked[0].is_fresh = false;
	assert_int_equal(comes_to("ECONNRESET"), OUTCOME_NEUTRAL);
	how.error = EPIPE;
	assert_int_equal(comes_to("EPIPE"), OUTCOME_NEUTRAL);
	how.error = ETIMEDOUT;
	assert_int_equal(comes_to("ETIMEDOUT"), OUTCOME_FAIL);
	how.error = ENOMEM;
	assert_int_equal(comes_to("ENOMEM"), OUTCOME_NEUTRAL);
}

static void
an_end_before_any_answer_fails_a_fresh_connection(void **state)
{
	(void)state;
	how = (struct conn_end){.how = CONN_EOF};
	assert_int_equal(comes_to("eof"), OUTCOME_FAIL);
	conn.asked[0].is_fresh = false;
	assert_int_equal(comes_to("eof"), OUTCOME_NEUTRAL);
}

static void
an_answer_that_began_is_no_failure(void **state)
{
	(void)state;
	how = (struct conn_end){.how = CONN_EOF};
	conn.asked[0].first_ns = SECOND;
	assert_int_equal(comes_to("unknown"), OUTCOME_NEUTRAL);
}

static void
what_is_in_doubt_is_good_or_says_nothing(void **state)
{
	(void)state;
	conn.asked[0].is_doubted = true;
	assert_int_equal(comes_to("unknown"), OUTCOME_NEUTRAL);
	how.is_answered = true;
	assert_int_equal(comes_to("answered"), OUTCOME_OK);
}

static void
a_connect_without_a_question_is_good(void **state)
{
	(void)state;
	conn.is_quiet = true;
	assert_int_equal(comes_to("connected"), OUTCOME_OK);
	how.has_unread = true;
	assert_int_equal(comes_to("answered"), OUTCOME_OK);
}

static void
a_greeting_that_never_came_is_a_failure(void **state)
{
	(void)state;
	conn.is_quiet = true;
	conn.waits_since_ns = 2 * SECOND;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
	how = (struct conn_end){.how = CONN_EOF};
	assert_int_equal(comes_to("eof"), OUTCOME_FAIL);
}

static void
an_idle_connection_that_was_never_used_may_end(void **state)
{
	(void)state;
	conn.is_quiet = true;
	how = (struct conn_end){.how = CONN_EOF};
	assert_int_equal(comes_to("eof"), OUTCOME_NEUTRAL);
	conn.connected_ns = 10 * SECOND - 1;
	assert_int_equal(comes_to("eof"), OUTCOME_FAIL);
}

static void
a_handshake_that_is_not_answered_is_a_failure(void **state)
{
	(void)state;
	conn.is_quiet = true;
	conn.sent[CONN_OUTSIDE].protocol = TALK_TLS;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
	how.silent_ns = 1;
	assert_int_equal(comes_to("gave-up"), OUTCOME_NEUTRAL);
	conn.sent[CONN_OUTSIDE].as.tls.is_finished = true;
	assert_int_equal(comes_to("connected"), OUTCOME_OK);
}

static void
a_question_that_only_the_kernel_saw_counts(void **state)
{
	(void)state;
	conn.is_quiet = true;
	how.was_asked = true;
	conn.waits_since_ns = SECOND;
	assert_int_equal(comes_to("gave-up"), OUTCOME_FAIL);
}

static void
a_connection_that_vanished_says_nothing(void **state)
{
	(void)state;
	how.how = CONN_VANISHED;
	assert_int_equal(comes_to("lost"), OUTCOME_NEUTRAL);
	conn.is_quiet = true;
	assert_int_equal(comes_to("lost"), OUTCOME_NEUTRAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_client_that_waited_a_second_has_been_failed, begin),
		cmocka_unit_test_setup(what_waits_to_be_read_may_be_the_answer, begin),
		cmocka_unit_test_setup(silence_that_says_nothing_is_no_failure, begin),
		cmocka_unit_test_setup(silence_counts_where_the_program_was_seen_to_wait, begin),
		cmocka_unit_test_setup(a_reset_of_a_used_connection_is_a_race, begin),
		cmocka_unit_test_setup(an_end_before_any_answer_fails_a_fresh_connection, begin),
		cmocka_unit_test_setup(an_answer_that_began_is_no_failure, begin),
		cmocka_unit_test_setup(what_is_in_doubt_is_good_or_says_nothing, begin),
		cmocka_unit_test_setup(a_connect_without_a_question_is_good, begin),
		cmocka_unit_test_setup(a_greeting_that_never_came_is_a_failure, begin),
		cmocka_unit_test_setup(an_idle_connection_that_was_never_used_may_end, begin),
		cmocka_unit_test_setup(a_handshake_that_is_not_answered_is_a_failure, begin),
		cmocka_unit_test_setup(a_question_that_only_the_kernel_saw_counts, begin),
		cmocka_unit_test_setup(a_connection_that_vanished_says_nothing, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
