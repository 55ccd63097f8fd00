#include "tests/unit/http2_support.h"

static void
request_and_answer_are_a_question_and_its_answer(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN},
		{false, SETTINGS SETTINGS_ACK "000001 01 04 00000001 88"},
		{false, "000002 00 01 00000001 6869"},
	};

	(void)state;
	assert_frames_at(talk, 3, "question#1 asked#1 answer#1=200", "42 45 28");
}

static void
question_is_asked_where_its_stream_ends(void **state)
{
	static const struct frames talk[] = {
		{true, PREFACE SETTINGS "000003 01 04 00000001 838684"},
		{true, "000002 00 00 00000001 6869"},
		{true, "000002 00 01 00000001 6869"},
		{true, "000003 01 04 00000003 838684"},
		{true, "000000 00 01 00000003"},
		{true, "000003 01 04 00000005 838684"},
		{true, "000000 00 00 00000005"},
		{true, "000004 01 05 00000005 40017800"},
	};

	(void)state;
	assert_frames_at(talk, 8, "question#1 asked#1 question#3 asked#3 question#5 asked#5",
			 "42 67 76 88 97 122");
}

static void
fields_may_go_on_in_further_frames(void **state)
{
	static const struct frames talk[] = {
		{true, PREFACE SETTINGS "000001 01 01 00000001 82"},
		{true, "000001 09 00 00000001 86"},
		{true, "000001 09 04 00000001 84"},
		{true, "000000 01 01 00000003 000003 09 04 00000003 828684"},
		{false, SETTINGS "000001 01 01 00000001 48"},
		{false, "000000 09 00 00000001"},
		{false, "000002 09 00 00000001 0335"},
		{false, "000002 09 04 00000001 3033"},
		{false, "000001 01 05 00000003 be"},
	};

	(void)state;
	assert_frames_at(talk, 9, "question#1 asked#1 question#3 asked#3 answer#1=503 answer#3=503",
			 "42 63 72 84 50 60");
}

static void
frames_may_be_padded_and_have_a_priority(void **state)
{
	static const struct frames talk[] = {
		{true, PREFACE SETTINGS "00000c 01 2d 00000001 03 80000000ff 828684 000000"},
		{false, SETTINGS "000008 01 2c 00000001 01 00000000ff 88 88"},
		{false, "000004 00 09 00000001 02 01 0000"},
		{true, "000003 01 05 00000003 828684"},
		{false, "000005 01 0c 00000003 03 89 000000"},
		{true, "000003 01 05 00000005 828684"},
		{false, "000006 01 24 00000005 00000000ff 8d"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200 question#3 asked#3 answer#3=204 "
			    "question#5 asked#5 answer#5=404");
}

static void
fields_that_do_not_fit_their_frame_are_lost(void **state)
{
	(void)state;
	assert_answer("000003 01 0c 00000001 03 88 00", "lost");
	assert_answer("000000 01 0c 00000001", "lost");
	assert_answer("000004 01 24 00000001 00000000", "lost");
	assert_answer("000006 01 2c 00000001 01 00000000 00", "lost");
	assert_answer("000001 01 0c 00000001 00", "");
	assert_answer("000001 01 04 00000001 48", "lost");
}

static void
interim_answers_and_trailers_are_none(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN},
		{false, SETTINGS "000005 01 04 00000001 08 03 313030"},
		{false, "000005 01 04 00000001 48 03 313033"},
		{false, "000001 01 04 00000001 be"},
		{false, "000001 01 04 00000001 88"},
		{false, "000001 00 00 00000001 78"},
		{false, "000005 01 05 00000001 40 01 78 01 30"},
		{true, "000003 01 05 00000003 828684"},
		{false, "000002 01 04 00000003 88 be 000001 01 05 00000003 be"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200 question#3 asked#3 answer#3=200");
}

static void
answers_may_come_in_any_order(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN "000003 01 05 00000003 828684 000003 01 05 0000000b 828684"},
		{false, SETTINGS "000001 01 05 0000000b 8e 000001 01 05 00000001 8d"},
		{false, "000001 01 05 00000003 8c"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 question#3 asked#3 question#11 asked#11 "
			    "answer#11=500 answer#1=404 answer#3=400");
}

static void
program_may_give_up_a_stream(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN "000004 03 00 00000001 00000008"},
		{true, "000004 03 00 00000002 00000008"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 cancel#1");
}

static void
server_may_give_up_a_stream(void **state)
{
	(void)state;
	assert_answer("000004 03 00 00000001 00000000", "abort#1=0");
	assert_answer("000004 03 00 00000001 00000002", "abort#1=1");
	assert_answer("000004 03 00 00000001 00000007", "abort#1=0");
	assert_answer("000004 03 00 00000001 00000008", "abort#1=0");
	assert_answer("000004 03 00 00000001 0000000b", "abort#1=1");
	assert_answer("000004 03 00 00000001 0000000d", "abort#1=0");
	assert_answer("000004 03 00 00000001 01000000", "abort#1=1");
	assert_answer("000004 03 00 00000002 00000001", "");
}

static void
goodbye_that_leaves_a_question_out_makes_its_silence_say_nothing(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN "000003 01 05 00000003 828684"},
		{false, SETTINGS "000008 07 00 00000000 7fffffff 00000000"},
		{false, "00000a 07 00 00000000 80000003 00000000 6f6b"},
		{false, "00000a 07 00 00000000 80000001 00000000 6f6b"},
		{false, "000001 01 05 00000001 88"},
	};

	(void)state;
	assert_frames_at(talk, 5, "question#1 asked#1 question#3 asked#3 doubt answer#1=200",
			 "42 45 54 57 58 74");
}

static void
pushed_streams_make_no_events(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN},
		{false, SETTINGS "000007 05 04 00000001 00000002 828684"},
		{false, "000009 05 0c 00000001 01 00000004 828684 00"},
		{false, "000005 01 04 00000002 48 03 353033 000001 00 01 00000002 78"},
		{false, "000004 03 00 00000002 00000002"},
		{false, "000001 01 05 00000001 be"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=503");
}

static void
other_frames_say_nothing(void **state)
{
	static const struct frames talk[] = {
		{true, BEGIN SETTINGS_ACK "000008 06 00 00000000 0011223344556677"},
		{true, "000004 08 00 00000000 0000ffff 000004 08 00 00000001 0000ffff"},
		{true, "000005 02 00 00000009 00000000 0f 000008 07 00 00000000 00000000 00000000"},
		{true, "000003 10 00 00000000 010203 000000 fe ff 80000063"},
		{true, "000003 01 05 80000003 828684"},
		{false, "000006 04 00 00000000 000300000064" SETTINGS_ACK},
		{false, "000008 06 01 00000000 0011223344556677 000003 0a 00 00000000 010203"},
		{false, "000004 08 00 00000001 0000ffff 000002 0c 00 00000000 0102"},
		{false, "000001 01 05 00000001 88"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 question#3 asked#3 answer#1=200");
}

static void
payloads_may_be_seen_by_number_only(void **state)
{
	static const struct frames talk[] = {
		{true, PREFACE SETTINGS "000003 01 04 00000001"},
		{true, "?3"},
		{true, "0001f4 00 01 00000001"},
		{true, "?400"},
		{true, "?100"},
		{false, SETTINGS},
		{false, "000001 01 04 00000001 88"},
		{false, "0001f4 00 01 00000001"},
		{false, "?500"},
	};
	static const struct frames head[] = {{true, BEGIN}, {true, "?1"}};
	static const struct frames fields[] = {
		{true, BEGIN}, {false, SETTINGS "000001 01 04 00000001"}, {false, "?1"}};
	static const struct frames code[] = {
		{true, BEGIN}, {false, SETTINGS "000004 03 00 00000001"}, {false, "?4"}};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200");
	assert_frames(head, "question#1 asked#1 lost");
	assert_frames(fields, "question#1 asked#1 lost");
	assert_frames(code, "question#1 asked#1 lost");
}

static void
what_a_client_never_sends_is_lost(void **state)
{
	static const char *const digits[] = {
		/* a stream of the server, one not opened, fields where none are */
		"000003 01 05 00000002 828684", "000001 00 00 00000003 78",
		"000004 03 00 00000003 00000000", "000000 01 05 00000001",
		/* what belongs to a stream, or to none */
		"000003 01 05 00000000 828684", "000000 04 00 00000001",
		"000008 06 00 00000001 0011223344556677",
		/* wrong lengths */
		"000005 04 00 00000000 0003000000", "000006 04 01 00000000 000300000064",
		"000007 06 00 00000000 00112233445566", "000004 02 00 00000001 00000000",
		"000005 08 00 00000000 0000ffff00", "000007 07 00 00000000 00000000000000",
		/* out of order, or never */
		"000001 09 04 00000001 82", "000007 05 04 00000001 00000002 828684"};

	(void)state;
	for (unsigned i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
		const struct frames talk[] = {{true, PREFACE SETTINGS}, {true, digits[i]}};

		assert_frames(talk, "lost");
	}
}

static void
unfinished_fields_are_followed_by_their_own_alone(void **state)
{
	static const char *const digits[] = {"000001 09 04 00000001 84", "000000 00 00 00000003",
					     "000000 04 00 00000000", "000000 fe 00 00000000"};

	(void)state;
	for (unsigned i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
		const struct frames talk[] = {{true, BEGIN "000001 01 00 00000003 82"},
					      {true, digits[i]}};

		assert_frames(talk, "question#1 asked#1 question#3 lost");
	}
}

static void
answers_to_what_was_not_asked_are_lost(void **state)
{
	(void)state;
	assert_answer("000001 01 04 00000003 88", "lost");
	assert_answer("000001 00 00 00000003 88", "lost");
	assert_answer("000004 03 00 00000003 00000000", "lost");
}

static void
server_that_speaks_something_else_is_lost(void **state)
{
	static const struct frames http1[] = {{true, BEGIN},
					      {false, "485454502f312e3120343030204261640d0a"}};
	static const struct frames no_settings[] = {{true, BEGIN},
						    {false, "000001 01 04 00000001 88"}};
	static const struct frames first_is_ack[] = {{true, BEGIN}, {false, SETTINGS_ACK}};

	(void)state;
	assert_frames(http1, "question#1 asked#1 lost");
	assert_frames(no_settings, "question#1 asked#1 lost");
	assert_frames(first_is_ack, "question#1 asked#1 lost");
}

static void
client_must_begin_with_the_preface_and_its_settings(void **state)
{
	static const struct frames no_preface[] = {{true, "505249202a20485454502f322f"}};
	static const struct frames no_settings[] = {{true, PREFACE GET}};

	(void)state;
	assert_frames_at(no_preface, 1, "lost", "13");
	assert_frames_at(no_settings, 1, "lost", "33");
}

static void
preface_is_told_by_any_beginning(void **state)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4";

	(void)state;
	for (size_t size = 0; size < sizeof(preface); size++)
		assert_true(http2_begins(preface, size));
	assert_true(http2_begins("P", 1));
	assert_false(http2_begins("PO", 2));
	assert_false(http2_begins("GET / HTTP/1.1\r\n", 16));
	assert_false(http2_begins("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r", 24));
}

/* libcurl asks for it in HTTP/1; the answer to that request comes on stream 1. */
static void
connection_may_come_from_an_upgrade(void **state)
{
	static const struct frames talk[] = {
		{true, PREFACE SETTINGS},
		{false, SETTINGS "000001 01 04 00000001 88"},
		{true, "000004 08 00 00000001 0000ffff 000004 03 00 00000001 00000000"},
		{true, "000003 01 05 00000003 828684"},
		{false, "000001 01 04 00000003 89"},
	};

	(void)state;
	assert_frames(talk, "answer#1=200 cancel#1 question#3 asked#3 answer#3=204");
}

static void
sent_side_can_be_put_back(void **state)
{
	char bytes[200];
	size_t size = from_digits(BEGIN GET, bytes, sizeof(bytes));

	(void)state;
	bytes[size - 3 - 1] = 3;
	for (size_t written = 0; written <= size; written++) {
		struct talk_run run = {.reader = &http2_reader};
		struct talk_piece all = {true, bytes, size}, first = {true, bytes, written};
		struct talk_piece rest = {true, bytes + written, size - written};
		struct talk_run before = run;

		talk_feed(&run, &all);
		run = before;
		talk_feed(&run, &first);
		talk_feed(&run, &rest);
		assert_string_equal(run.what, "question#1 asked#1 question#3 asked#3");
	}
}

static void
structs_are_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct http2_sent) <= 64);
	assert_true(sizeof(struct http2_received) <= 128);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_and_answer_are_a_question_and_its_answer),
		cmocka_unit_test(question_is_asked_where_its_stream_ends),
		cmocka_unit_test(fields_may_go_on_in_further_frames),
		cmocka_unit_test(frames_may_be_padded_and_have_a_priority),
		cmocka_unit_test(fields_that_do_not_fit_their_frame_are_lost),
		cmocka_unit_test(interim_answers_and_trailers_are_none),
		cmocka_unit_test(answers_may_come_in_any_order),
		cmocka_unit_test(program_may_give_up_a_stream),
		cmocka_unit_test(server_may_give_up_a_stream),
		cmocka_unit_test(goodbye_that_leaves_a_question_out_makes_its_silence_say_nothing),
		cmocka_unit_test(pushed_streams_make_no_events),
		cmocka_unit_test(other_frames_say_nothing),
		cmocka_unit_test(payloads_may_be_seen_by_number_only),
		cmocka_unit_test(what_a_client_never_sends_is_lost),
		cmocka_unit_test(unfinished_fields_are_followed_by_their_own_alone),
		cmocka_unit_test(answers_to_what_was_not_asked_are_lost),
		cmocka_unit_test(server_that_speaks_something_else_is_lost),
		cmocka_unit_test(client_must_begin_with_the_preface_and_its_settings),
		cmocka_unit_test(preface_is_told_by_any_beginning),
		cmocka_unit_test(connection_may_come_from_an_upgrade),
		cmocka_unit_test(sent_side_can_be_put_back),
		cmocka_unit_test(structs_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
