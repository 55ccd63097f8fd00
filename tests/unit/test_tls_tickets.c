#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/tls_tickets.h"

#define KEY UINT64_C(0x1234567800000001)
#define OTHER (KEY + (UINT64_C(1) << 40)) /* the same entry of the table */

static struct tls_tickets t;

static int
empty(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	return 0;
}

static void
see(bool is_resumed, unsigned length, unsigned count, enum tls_evidence evidence)
{
	struct tls_run run = {(uint16_t)length, (uint8_t)count};

	tls_tickets_learn(&t, KEY, is_resumed, run, evidence);
}

static bool
knows(bool is_resumed, unsigned length, unsigned count)
{
	struct tls_run run;

	return tls_tickets_known(&t, KEY, is_resumed, &run) && run.count == count &&
	       (count == 0 || run.length == length);
}

static void
nothing_is_known_at_first(void **state)
{
	struct tls_run run;

	(void)state;
	assert_false(tls_tickets_known(&t, KEY, false, &run));
	assert_false(tls_tickets_are_like(&t, KEY, 282));
}

static void
two_tickets_are_known_when_seen_twice_and_once_with_a_gap(void **state)
{
	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_NONE);
	see(false, 282, 2, TLS_EVIDENCE_NONE);
	assert_false(knows(false, 282, 2));
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	assert_true(knows(false, 282, 2));
	assert_false(knows(true, 282, 2));
}

static void
one_sight_is_not_enough(void **state)
{
	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_EARLY);
	assert_false(knows(false, 282, 2));
	see(false, 282, 2, TLS_EVIDENCE_NONE);
	assert_true(knows(false, 282, 2));
}

/* The head of an answer looks like that, and its body may take its time. */
static void
lone_record_before_a_gap_is_no_ticket(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		see(false, 204, 1, TLS_EVIDENCE_GAP);
		see(true, 197, 1, TLS_EVIDENCE_GAP);
	}
	assert_false(knows(false, 204, 1) || knows(true, 197, 1));
	assert_false(tls_tickets_are_like(&t, KEY, 204));
}

static void
lone_record_is_a_ticket_where_sessions_are_taken_up(void **state)
{
	(void)state;
	see(false, 1104, 1, TLS_EVIDENCE_NONE);
	see(false, 1104, 1, TLS_EVIDENCE_NONE);
	assert_false(knows(false, 1104, 1));
	tls_tickets_resumed(&t, KEY);
	assert_true(knows(false, 1104, 1));
}

static void
lone_record_of_a_resumed_session_is_a_ticket_if_as_long_as_the_others(void **state)
{
	(void)state;
	see(true, 282, 1, TLS_EVIDENCE_NONE);
	see(true, 282, 1, TLS_EVIDENCE_NONE);
	assert_false(knows(true, 282, 1));
	see(false, 282, 2, TLS_EVIDENCE_NONE);
	assert_true(knows(true, 282, 1));
}

static void
lone_record_of_a_resumed_session_with_another_length_is_not(void **state)
{
	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	see(true, 155, 1, TLS_EVIDENCE_GAP);
	see(true, 155, 1, TLS_EVIDENCE_GAP);
	assert_false(knows(true, 155, 1));
}

static void
what_was_there_before_the_question_is_known(void **state)
{
	(void)state;
	see(true, 1090, 1, TLS_EVIDENCE_EARLY);
	see(true, 1090, 1, TLS_EVIDENCE_EARLY);
	assert_true(knows(true, 1090, 1));
	see(false, 0, 0, TLS_EVIDENCE_EARLY);
	see(false, 0, 0, TLS_EVIDENCE_EARLY);
	assert_true(knows(false, 0, 0));
}

static void
contradiction_makes_it_learn_anew_and_a_second_gives_it_up(void **state)
{
	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	see(false, 250, 2, TLS_EVIDENCE_GAP);
	assert_false(knows(false, 282, 2));
	see(false, 250, 2, TLS_EVIDENCE_GAP);
	assert_true(knows(false, 250, 2));
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	for (unsigned i = 0; i < 9; i++)
		see(false, 282, 2, TLS_EVIDENCE_EARLY);
	assert_false(knows(false, 282, 2));
}

static void
one_block_more_or_less_is_no_contradiction(void **state)
{
	(void)state;
	see(false, 250, 2, TLS_EVIDENCE_GAP);
	see(false, 250, 2, TLS_EVIDENCE_GAP);
	for (unsigned i = 0; i < 9; i++) {
		see(false, 266, 2, TLS_EVIDENCE_GAP);
		see(false, 234, 2, TLS_EVIDENCE_GAP);
	}
	assert_true(knows(false, 250, 2));
}

/* What looked like a ticket at first was the answer's first record. */
static void
where_no_tickets_come_is_learned_from_late_questions(void **state)
{
	(void)state;
	see(true, 204, 1, TLS_EVIDENCE_GAP);
	see(true, 205, 1, TLS_EVIDENCE_GAP);
	see(true, 0, 0, TLS_EVIDENCE_EARLY);
	see(true, 0, 0, TLS_EVIDENCE_EARLY);
	assert_true(knows(true, 0, 0));
	for (unsigned i = 0; i < 9; i++)
		see(true, 204 + i, 1, TLS_EVIDENCE_GAP);
	assert_true(knows(true, 0, 0));
}

static void
tickets_seen_in_twos_are_recognised(void **state)
{
	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_NONE);
	assert_true(tls_tickets_are_like(&t, KEY, 282));
	assert_true(tls_tickets_are_like(&t, KEY, 298));
	assert_false(tls_tickets_are_like(&t, KEY, 283));
}

static void
two_servers_on_one_entry_never_borrow_from_each_other(void **state)
{
	struct tls_run run = {282, 2};

	(void)state;
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	see(false, 282, 2, TLS_EVIDENCE_GAP);
	assert_false(tls_tickets_known(&t, OTHER, false, &run));
	tls_tickets_learn(&t, OTHER, false, run, TLS_EVIDENCE_GAP);
	assert_false(knows(false, 282, 2));
}

#define UNIT(test) cmocka_unit_test_setup(test, empty)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(nothing_is_known_at_first),
		UNIT(two_tickets_are_known_when_seen_twice_and_once_with_a_gap),
		UNIT(one_sight_is_not_enough),
		UNIT(lone_record_before_a_gap_is_no_ticket),
		UNIT(lone_record_is_a_ticket_where_sessions_are_taken_up),
		UNIT(lone_record_of_a_resumed_session_is_a_ticket_if_as_long_as_the_others),
		UNIT(lone_record_of_a_resumed_session_with_another_length_is_not),
		UNIT(what_was_there_before_the_question_is_known),
		UNIT(contradiction_makes_it_learn_anew_and_a_second_gives_it_up),
		UNIT(one_block_more_or_less_is_no_contradiction),
		UNIT(where_no_tickets_come_is_learned_from_late_questions),
		UNIT(tickets_seen_in_twos_are_recognised),
		UNIT(two_servers_on_one_entry_never_borrow_from_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
