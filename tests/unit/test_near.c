#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/near.h"

static const char *
nearest(const char *typed)
{
	static const char *const words[] = {"cooldown", "cooldown_max", "call", "tcp", "ramp"};
	struct near near = {NULL, 0};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		near_offer(&near, (struct span){typed, (uint32_t)strlen(typed)}, words[i]);
	return near.word;
}

static void
one_slip_in_a_short_word_is_near(void **state)
{
	(void)state;
	assert_string_equal(nearest("cal"), "call");
	assert_string_equal(nearest("calls"), "call");
	assert_string_equal(nearest("cail"), "call");
	assert_string_equal(nearest("tpc"), "tcp");
	assert_string_equal(nearest("tcp"), "tcp");
}

static void
two_slips_in_a_short_word_are_not(void **state)
{
	(void)state;
	assert_null(nearest("cl"));
	assert_null(nearest("cpt"));
	assert_null(nearest("rmpa"));
	assert_null(nearest(""));
}

static void
third_of_a_long_word_may_be_wrong(void **state)
{
	(void)state;
	assert_string_equal(nearest("coolwodn"), "cooldown");
	assert_string_equal(nearest("cooldown_maximum"), "cooldown_max");
	assert_null(nearest("coldwater"));
}

static void
case_and_dashes_do_not_count(void **state)
{
	(void)state;
	assert_string_equal(nearest("RAMP"), "ramp");
	assert_string_equal(nearest("Cooldown-Max"), "cooldown_max");
}

static void
nearest_of_several_wins(void **state)
{
	(void)state;
	assert_string_equal(nearest("cooldown_m"), "cooldown");
	assert_string_equal(nearest("cooldown_ma"), "cooldown_max");
}

static void
overlong_words_are_never_near(void **state)
{
	char typed[5000];

	(void)state;
	memset(typed, 'c', sizeof(typed) - 1);
	typed[sizeof(typed) - 1] = '\0';
	assert_null(nearest(typed));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slip_in_a_short_word_is_near),
		cmocka_unit_test(two_slips_in_a_short_word_are_not),
		cmocka_unit_test(third_of_a_long_word_may_be_wrong),
		cmocka_unit_test(case_and_dashes_do_not_count),
		cmocka_unit_test(nearest_of_several_wins),
		cmocka_unit_test(overlong_words_are_never_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
