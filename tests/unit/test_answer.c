#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/answer.h"

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
control_characters_become_spaces(void **state)
{
	struct settings s = settings("a\nb\tc\x7f");
	char out[ANSWER_TEXT_MAX];

	(void)state;
	answer_message(&s, "x", &tripped, out, sizeof(out));
	assert_string_equal(out, "a b c ");
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
reasons_are_words_that_a_person_would_use(void **state)
{
	const struct {
		enum reason reason;
		bool recovering;
		const char *text;
	} rows[] = {
		{REASON_CONSECUTIVE, false, "5 failures in a row"},
		{REASON_FAILURE_RATE, false, "50% of the calls or more failed"},
		{REASON_LATENCY, false, "answers take over 5s"},
		{REASON_PROBE_FAILED, false, "the last check failed"},
		{REASON_LEASE_EXPIRED, false, "the last check got no answer"},
		{REASON_LATE_FAILURE, false, "calls still fail"},
		{REASON_MANUAL, false, "held open by hand"},
		{REASON_PROBE_OK, true, "recovering"},
		{REASON_CONSECUTIVE, true, "5 failures in a row, recovering"},
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
		cmocka_unit_test(control_characters_become_spaces),
		cmocka_unit_test(message_is_cut_at_a_whole_character),
		cmocka_unit_test(reasons_are_words_that_a_person_would_use),
		cmocka_unit_test(time_to_the_next_check_is_in_whole_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
