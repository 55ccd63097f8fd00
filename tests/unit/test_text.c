#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"

static void
what_does_not_fit_is_cut_off(void **state)
{
	char buffer[6];
	struct text t = text_over(buffer, sizeof(buffer));

	(void)state;
	text_string(&t, "abc");
	text_string(&t, "defgh");
	assert_string_equal(buffer, "abcde");
	text_number(&t, 7);
	assert_int_equal(t.len, 5);
	t = text_over(buffer, 1);
	text_string(&t, "x");
	assert_string_equal(buffer, "");
}

static void
plain_text_is_one_line_of_whole_characters(void **state)
{
	char buffer[16];
	struct text t = text_over(buffer, 6);

	(void)state;
	text_plain(&t, "a\n\xc3\xa4\xe2\x82\xac!", 8);
	assert_string_equal(buffer, "a \xc3\xa4");
	text_string(&t, "b");
	assert_int_equal(t.len, 4);
	t = text_over(buffer, sizeof(buffer));
	text_plain(&t, "\xe2\x82\xac", 2);
	assert_string_equal(buffer, "??");
}

static void
numbers_are_written_whole(void **state)
{
	char buffer[64];
	struct text t = text_over(buffer, sizeof(buffer));

	(void)state;
	text_number(&t, 0);
	text_string(&t, " ");
	text_number(&t, UINT64_MAX);
	assert_string_equal(buffer, "0 18446744073709551615");
}

static void
durations_take_the_largest_whole_unit(void **state)
{
	static const struct {
		uint64_t ms;
		const char *text;
	} cases[] = {{0, "0s"},	       {1, "1ms"},	  {1500, "1500ms"},
		     {60000, "1m"},    {90000, "90s"},	  {3600000, "1h"},
		     {5400000, "90m"}, {86400000, "24h"}, {3600001, "3600001ms"}};
	char buffer[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = text_over(buffer, sizeof(buffer));

		text_duration(&t, cases[i].ms * 1000000);
		assert_string_equal(buffer, cases[i].text);
	}
}

static void
shares_have_a_decimal_where_they_need_it(void **state)
{
	char buffer[64];
	struct text t = text_over(buffer, sizeof(buffer));

	(void)state;
	text_share(&t, 0);
	text_share(&t, 125);
	text_share(&t, 1000);
	assert_string_equal(buffer, "0%12.5%100%");
}

static void
format_knows_three_directives(void **state)
{
	char buffer[64];
	struct text t = text_over(buffer, sizeof(buffer));

	(void)state;
	text_format(&t, "<%s> %u <%.*s>", "one", 2U, 3, "threefold");
	assert_string_equal(buffer, "<one> 2 <thr>");
}

static void
long_quotes_are_shortened(void **state)
{
	char buffer[256], quoted[128];
	struct text t = text_over(buffer, sizeof(buffer));

	(void)state;
	memset(quoted, 'q', sizeof(quoted));
	text_format(&t, "%.*s", TEXT_QUOTE_MAX, quoted);
	assert_int_equal(t.len, TEXT_QUOTE_MAX);
	t = text_over(buffer, sizeof(buffer));
	text_format(&t, "%.*s", TEXT_QUOTE_MAX + 1, quoted);
	assert_int_equal(t.len, TEXT_QUOTE_MAX + 3);
	assert_string_equal(buffer + TEXT_QUOTE_MAX, "...");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_is_cut_off),
		cmocka_unit_test(plain_text_is_one_line_of_whole_characters),
		cmocka_unit_test(numbers_are_written_whole),
		cmocka_unit_test(durations_take_the_largest_whole_unit),
		cmocka_unit_test(shares_have_a_decimal_where_they_need_it),
		cmocka_unit_test(format_knows_three_directives),
		cmocka_unit_test(long_quotes_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
