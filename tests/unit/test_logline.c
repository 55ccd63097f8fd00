#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/logline.h"

/* 2024-02-29T23:59:59.007Z */
#define LEAP_DAY_MS UINT64_C(1709251199007)

static struct logline line;

static void
begin(bool json, const char *breaker)
{
	const struct logline_head head = {LEAP_DAY_MS, 42, "debug", "call", breaker};

	logline_begin(&line, json, &head);
}

static const char *
finished(void)
{
	static char text[LOGLINE_MAX + 1];
	size_t len = logline_end(&line);

	assert_true(len <= LOGLINE_MAX);
	assert_int_equal(line.text[len - 1], '\n');
	memcpy(text, line.text, len);
	text[len] = '\0';
	return text;
}

/* How the value is written as the only field. */
static const char *
value_of(bool json, const char *value)
{
	static char out[LOGLINE_MAX + 1];
	const char *key = json ? ",\"k\":" : " k=";

	begin(json, "c");
	logline_text(&line, "k", value);
	const char *text = finished();
	const char *from = strstr(text, key);

	assert_non_null(from);
	strcpy(out, from + strlen(key));
	out[strlen(out) - (json ? 2 : 1)] = '\0';
	return out;
}

static const char *
time_of(uint64_t wall_ms)
{
	static char out[25];
	const struct logline_head head = {wall_ms, 1, "debug", "call", NULL};

	logline_begin(&line, true, &head);
	assert_memory_equal(line.text, "{\"ts\":\"", 7);
	memcpy(out, line.text + 7, 24);
	return out;
}

static const char *
ms_of(uint64_t ns)
{
	begin(false, "c");
	logline_ms(&line, "ms", ns);
	char *text = strstr(finished(), "ms=") + 3;

	text[strlen(text) - 1] = '\0';
	return text;
}

static void
text_line_has_its_head_and_fields(void **state)
{
	(void)state;
	begin(false, "carrier/eu");
	logline_text(&line, "dest", "api.carrier.example:443");
	logline_bool(&line, "slow", true);
	logline_number(&line, "total", UINT64_MAX);
	assert_string_equal(finished(), "cutout[42] debug call carrier/eu "
					"dest=api.carrier.example:443 slow=true "
					"total=18446744073709551615\n");
}

static void
json_line_is_one_object(void **state)
{
	(void)state;
	begin(true, "carrier/eu");
	logline_text(&line, "dest", "api.carrier.example:443");
	logline_bool(&line, "slow", false);
	logline_number(&line, "total", 0);
	logline_ms(&line, "ms", 1500000);
	assert_string_equal(finished(),
			    "{\"ts\":\"2024-02-29T23:59:59.007Z\",\"pid\":42,\"level\":\"debug\","
			    "\"event\":\"call\",\"breaker\":\"carrier/eu\","
			    "\"dest\":\"api.carrier.example:443\",\"slow\":false,\"total\":0,"
			    "\"ms\":1.5}\n");
}

static void
plain_value_stands_without_quotes(void **state)
{
	(void)state;
	assert_string_equal(value_of(false, "[::1]:443"), "[::1]:443");
	assert_string_equal(value_of(true, "[::1]:443"), "\"[::1]:443\"");
}

static void
value_that_would_confuse_a_reader_is_quoted(void **state)
{
	(void)state;
	assert_string_equal(value_of(false, "a b"), "\"a b\"");
	assert_string_equal(value_of(false, "a=b"), "\"a=b\"");
	assert_string_equal(value_of(false, "a\"b"), "\"a\\\"b\"");
	assert_string_equal(value_of(false, "a\\b"), "\"a\\\\b\"");
	assert_string_equal(value_of(false, ""), "\"\"");
	assert_string_equal(value_of(false, "-"), "\"-\"");
	assert_string_equal(value_of(false, "h\xC3\xA9"), "\"h\xC3\xA9\"");
}

static void
unknown_value_is_a_dash_or_null(void **state)
{
	(void)state;
	assert_string_equal(value_of(false, NULL), "-");
	assert_string_equal(value_of(true, NULL), "null");
	begin(false, NULL);
	assert_string_equal(finished(), "cutout[42] debug call -\n");
}

static void
control_characters_are_escaped(void **state)
{
	(void)state;
	for (int json = 0; json <= 1; json++) {
		assert_string_equal(value_of(json, "a\nb\rc\td"), "\"a\\nb\\rc\\td\"");
		assert_string_equal(value_of(json, "\x1B[31m\x7F"), "\"\\u001b[31m\\u007f\"");
		/* CSI as one character, a right-to-left override, a line separator */
		assert_string_equal(value_of(json, "\xC2\x9B\xE2\x80\xAE\xE2\x80\xA8"),
				    "\"\\u009b\\u202e\\u2028\"");
	}
}

static void
invalid_utf8_is_replaced(void **state)
{
	static const char *const bad[] = {
		"\xFF",
		"\x80",
		"\xC3",
		"\xC0\xAF" /* overlong */,
		"\xED\xA0\x80" /* surrogate */,
		"\xF4\x90\x80\x80" /* above U+10FFFF */,
		"\xE2\x82",
		"\xF0\x9F\x98",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *s = value_of(true, bad[i]);

		assert_int_equal(strlen(s), 2 + 3 * strlen(bad[i]));
		for (size_t at = 1; at + 1 < strlen(s); at += 3)
			assert_memory_equal(s + at, "\xEF\xBF\xBD", 3);
	}
	assert_string_equal(value_of(true, "\xC3(\xE2\x82\xAC"), "\"\xEF\xBF\xBD(\xE2\x82\xAC\"");
	assert_string_equal(value_of(true, "\xF0\x9F\x98\x80"), "\"\xF0\x9F\x98\x80\"");
}

static void
long_text_is_cut_between_characters(void **state)
{
	static const char *const units[] = {"x", "\xC3\xA9", "\xF0\x9F\x98\x80", "\x01", "\\"};
	static const size_t written[] = {1, 2, 4, 6, 2};
	char text[LOGLINE_TEXT_MAX * 6];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		text[0] = '\0';
		for (size_t n = 0; n * written[i] <= LOGLINE_TEXT_MAX + 8; n++)
			strcat(text, units[i]);
		const char *s = value_of(true, text);
		size_t len = strlen(s) - 2;

		assert_in_range(len, LOGLINE_TEXT_MAX - 6, LOGLINE_TEXT_MAX);
		assert_int_equal((len - 3) % written[i], 0);
		assert_string_equal(s + 1 + len - 3, "...\"");
	}
}

static void
text_of_the_greatest_length_is_not_cut(void **state)
{
	char text[LOGLINE_TEXT_MAX + 2];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[LOGLINE_TEXT_MAX] = '\0';
	assert_string_equal(value_of(false, text), text);
	text[LOGLINE_TEXT_MAX] = 'x';
	text[LOGLINE_TEXT_MAX + 1] = '\0';
	assert_int_equal(strlen(value_of(false, text)), LOGLINE_TEXT_MAX);
	assert_string_equal(value_of(false, text) + LOGLINE_TEXT_MAX - 3, "...");
}

static void
four_long_texts_fit_a_line(void **state)
{
	char text[LOGLINE_TEXT_MAX + 2];

	(void)state;
	memset(text, ' ', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (int json = 0; json <= 1; json++) {
		begin(json, text);
		logline_text(&line, "edge", text);
		logline_text(&line, "dest", text);
		logline_text(&line, "detail", text);
		logline_text(&line, "outcome", "neutral");
		logline_bool(&line, "slow", false);
		logline_ms(&line, "retry_in_ms", UINT64_MAX);
		assert_non_null(strstr(finished(), "18446744073709.552"));
	}
}

static void
field_without_room_is_left_out_whole(void **state)
{
	char text[LOGLINE_TEXT_MAX + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	begin(true, NULL);
	for (int i = 0; i < 6; i++)
		logline_text(&line, "t", text);
	for (int i = 0; i < 200; i++)
		logline_number(&line, "n", 1234567);
	const char *s = finished();

	assert_in_range(strlen(s), LOGLINE_MAX - 16, LOGLINE_MAX);
	assert_string_equal(s + strlen(s) - strlen(",\"n\":1234567}\n"), ",\"n\":1234567}\n");
}

static void
time_is_rfc_3339_in_utc(void **state)
{
	(void)state;
	assert_string_equal(time_of(0), "1970-01-01T00:00:00.000Z");
	assert_string_equal(time_of(LEAP_DAY_MS), "2024-02-29T23:59:59.007Z");
	assert_string_equal(time_of(LEAP_DAY_MS + 993), "2024-03-01T00:00:00.000Z");
	assert_string_equal(time_of(UINT64_C(951782400000)), "2000-02-29T00:00:00.000Z");
	assert_string_equal(time_of(UINT64_C(4107542399999)), "2100-02-28T23:59:59.999Z");
	assert_string_equal(time_of(UINT64_C(4107542400000)), "2100-03-01T00:00:00.000Z");
	assert_string_equal(time_of(UINT64_C(1767225599999)), "2025-12-31T23:59:59.999Z");
}

static void
milliseconds_have_up_to_three_decimals(void **state)
{
	(void)state;
	assert_string_equal(ms_of(0), "0");
	assert_string_equal(ms_of(499), "0");
	assert_string_equal(ms_of(500), "0.001");
	assert_string_equal(ms_of(5000), "0.005");
	assert_string_equal(ms_of(50000), "0.05");
	assert_string_equal(ms_of(1500000), "1.5");
	assert_string_equal(ms_of(12345678), "12.346");
	assert_string_equal(ms_of(999999999), "1000");
	assert_string_equal(ms_of(UINT64_C(30000000000)), "30000");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_line_has_its_head_and_fields),
		cmocka_unit_test(json_line_is_one_object),
		cmocka_unit_test(plain_value_stands_without_quotes),
		cmocka_unit_test(value_that_would_confuse_a_reader_is_quoted),
		cmocka_unit_test(unknown_value_is_a_dash_or_null),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(invalid_utf8_is_replaced),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(text_of_the_greatest_length_is_not_cut),
		cmocka_unit_test(four_long_texts_fit_a_line),
		cmocka_unit_test(field_without_room_is_left_out_whole),
		cmocka_unit_test(time_is_rfc_3339_in_utc),
		cmocka_unit_test(milliseconds_have_up_to_three_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
