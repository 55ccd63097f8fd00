#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/answer.h"

#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static struct settings
settings(const char *message)
{
	struct settings s;

	settings_default(&s);
	s.message = (struct span){message, (uint32_t)strlen(message)};
	return s;
}

static const struct breaker_snapshot tripped = {
	.state = BREAKER_OPEN,
	.reason = REASON_CONSECUTIVE,
	.retry_in_ns = UINT64_C(29700000000),
};

static void
default_message_names_what_why_and_when(void **state)
{
	struct settings s = settings("");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	size_t len = answer_message(&s, "carrier/eu", &tripped, out, sizeof(out));

	assert_string_equal(out,
			    "carrier is temporarily unavailable (circuit open: 5 failures in a "
			    "row). Do not retry now. Proceed without it, use an alternative, or "
			    "escalate with what you have. Next check in 30s.");
	assert_int_equal(len, strlen(out));
}

static void
own_message_gets_its_values(void **state)
{
	struct settings s = settings("{region}|{dependency}|{retry_in}|{other}|{");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message(&s, "carrier/eu", &tripped, out, sizeof(out));
	assert_string_equal(out, "eu|carrier|30s|{other}|{");
	answer_message(&s, "carrier", &tripped, out, sizeof(out));
	assert_string_equal(out, "|carrier|30s|{other}|{");
}

static void
fallbacks_that_are_open_are_named_behind_the_message(void **state)
{
	const struct span names[] = {NAME("a.example"), NAME("b.example:80"), NAME("[::1]:1")};
	struct settings s = settings("Away.");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message_without(&(struct answer_fallbacks){1, names}, &s, "carrier/eu", &tripped,
			       out, sizeof(out));
	assert_string_equal(out, "Away. carrier's fallback a.example is unavailable as well.");
	size_t len = answer_message_without(&(struct answer_fallbacks){3, names}, &s, "carrier",
					    &tripped, out, sizeof(out));

	assert_string_equal(out, "Away. carrier's fallbacks a.example, b.example:80 and [::1]:1 "
				 "are unavailable as well.");
	assert_int_equal(len, strlen(out));
}

static void
a_message_is_cut_for_its_fallbacks_but_never_past_the_end(void **state)
{
	const struct span names[] = {NAME("backup.example")};
	const struct answer_fallbacks f = {1, names};
	struct settings s = settings("");
	char out[ANSWER_TEXT_MAX + 1];

	(void)state;
	answer_message_without(&f, &s, "carrier", &tripped, out, 256);
	assert_non_null(strstr(out, "carrier is temporarily unavailable"));
	assert_non_null(strstr(out, "fallback backup.example is unavailable as well."));
	for (size_t size = 1; size < 300; size++) {
		memset(out, '#', sizeof(out));
		size_t len = answer_message_without(&f, &s, "carrier", &tripped, out, size);

		assert_true(len < size);
		assert_int_equal(strlen(out), len);
		assert_int_equal(out[size], '#');
	}
}

static void
control_characters_become_spaces(void **state)
{
	struct settings s = settings("a\nb\tc\x7f\xc2\x85 \xe2\x80\xa8{region}");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message(&s, "x/e\ru", &tripped, out, sizeof(out));
	assert_string_equal(out, "a b c    e u");
}

static void
malformed_utf8_becomes_question_marks(void **state)
{
	struct settings s = settings("a\xff \xc3 \xe2\x82 \xc0\x80 \xed\xa0\x80{dependency}\xc3");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message(&s, "x\x80\xc3\xa4", &tripped, out, sizeof(out));
	assert_string_equal(out, "a? ? ?? ?? ???x?\xc3\xa4?");
}

static void
message_is_cut_at_a_whole_character(void **state)
{
	struct settings s = settings("ab\xc3\xa4\xe2\x82\xac"); /* a b, a umlaut, euro */
	const char *const cut[] = {
		"",	      "a",	    "ab",	  "ab",
		"ab\xc3\xa4", "ab\xc3\xa4", "ab\xc3\xa4", "ab\xc3\xa4\xe2\x82\xac"};
	char out[16];

	(void)state;
	for (size_t size = 1; size <= 8; size++) {
		memset(out, '#', sizeof(out));
		assert_int_equal(answer_message(&s, "x", &tripped, out, size),
				 strlen(cut[size - 1]));
		assert_string_equal(out, cut[size - 1]);
		assert_int_equal(out[size], '#');
	}
}

static void
nothing_follows_the_character_that_was_cut(void **state)
{
	struct settings s = settings("ab\xe2\x82\xac{dependency}{retry_in}");
	char out[5];

	(void)state;
	answer_message(&s, "x", &tripped, out, sizeof(out));
	assert_string_equal(out, "ab");
}

static void
reasons_are_words_that_a_person_would_use(void **state)
{
	const struct {
		enum reason reason;
		bool recovering;
		const char *text;
	} rows[] = {
		{REASON_CONSECUTIVE, false, "5 failures in a row"},
		{REASON_FAILURE_RATE, false, "at least 50% of the calls failed"},
		{REASON_LATENCY, false, "answers take over 5s"},
		{REASON_PROBE_FAILED, false, "the last check failed"},
		{REASON_LEASE_EXPIRED, false, "the last check got no answer"},
		{REASON_LATE_FAILURE, false, "calls still fail"},
		{REASON_MANUAL, false, "opened by hand"},
		{REASON_PROBE_OK, true, "recovering"},
		{REASON_CONSECUTIVE, true, "5 failures in a row, recovering"},
		{REASON_PROBE_FAILED, true, "the last check failed, recovering"},
	};
	struct settings s = settings("");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct breaker_snapshot now = {.reason = rows[i].reason,
					       .recovering = rows[i].recovering};

		s.breaker.latency_ns = rows[i].reason == REASON_LATENCY ? UINT64_C(5000000000) : 0;
		answer_reason(&s, &now, out, sizeof(out));
		assert_string_equal(out, rows[i].text);
	}
	s.breaker.latency_ns = UINT64_C(5000000000);
	answer_reason(&s, &(struct breaker_snapshot){.reason = REASON_CONSECUTIVE}, out,
		      sizeof(out));
	assert_string_equal(out, "5 failed or slow calls in a row");
}

static void
one_failure_is_told_in_the_singular(void **state)
{
	struct settings s = settings("");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	s.breaker.consecutive = 1;
	answer_reason(&s, &tripped, out, sizeof(out));
	assert_string_equal(out, "1 failure");
	s.breaker.latency_ns = UINT64_C(5000000000);
	answer_reason(&s, &tripped, out, sizeof(out));
	assert_string_equal(out, "1 failed or slow call");
}

static void
failure_rate_is_told_by_the_calls_that_were_judged(void **state)
{
	const struct {
		uint32_t failed, total;
		const char *text;
	} rows[] = {
		{12, 24, "half of 24 calls failed"},
		{13, 24, "13 of 24 calls failed"},
		{24, 24, "all 24 calls failed"},
		{1, 1, "1 of 1 call failed"},
		{0, 24, "at least 12.5% of the calls failed"},
		{25, 24, "at least 12.5% of the calls failed"},
	};
	struct settings s = settings("");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	s.breaker.failure_permille = 125;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct breaker_snapshot now = {.reason = REASON_FAILURE_RATE,
					       .trip_failed = rows[i].failed,
					       .trip_total = rows[i].total};

		answer_reason(&s, &now, out, sizeof(out));
		assert_string_equal(out, rows[i].text);
	}
}

static void
held_breaker_promises_no_next_check(void **state)
{
	struct settings s = settings("{reason}, {retry_in}");
	struct breaker_snapshot now = {.reason = REASON_MANUAL, .held = true};
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message(&s, "x", &now, out, sizeof(out));
	assert_string_equal(out, "held open by hand, an unknown time");
}

static void
time_to_the_next_check_is_in_whole_units(void **state)
{
	const struct {
		uint64_t ms;
		const char *text;
	} rows[] = {{0, "under 1s"},  {499, "under 1s"}, {500, "1s"},
		    {119400, "119s"}, {120000, "2m"},	 {3600000, "60m"}};
	struct settings s = settings("{retry_in}");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct breaker_snapshot now = {.retry_in_ns = rows[i].ms * 1000000};

		answer_message(&s, "x", &now, out, sizeof(out));
		assert_string_equal(out, rows[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_message_names_what_why_and_when),
		cmocka_unit_test(own_message_gets_its_values),
		cmocka_unit_test(fallbacks_that_are_open_are_named_behind_the_message),
		cmocka_unit_test(a_message_is_cut_for_its_fallbacks_but_never_past_the_end),
		cmocka_unit_test(control_characters_become_spaces),
		cmocka_unit_test(malformed_utf8_becomes_question_marks),
		cmocka_unit_test(nothing_follows_the_character_that_was_cut),
		cmocka_unit_test(one_failure_is_told_in_the_singular),
		cmocka_unit_test(failure_rate_is_told_by_the_calls_that_were_judged),
		cmocka_unit_test(held_breaker_promises_no_next_check),
		cmocka_unit_test(message_is_cut_at_a_whole_character),
		cmocka_unit_test(reasons_are_words_that_a_person_would_use),
		cmocka_unit_test(time_to_the_next_check_is_in_whole_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
