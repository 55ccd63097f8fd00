#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/health.h"

static void
average_goes_three_tenths_of_the_way_and_rounds_down(void **state)
{
	(void)state;
	assert_int_equal(health_ewma(1000000, true), 1000000);
	assert_int_equal(health_ewma(1000000, false), 700000);
	assert_int_equal(health_ewma(700000, false), 490000);
	assert_int_equal(health_ewma(700000, true), 790000);
	assert_int_equal(health_ewma(999999, false), 699999);
	assert_int_equal(health_ewma(1, false), 0);
	assert_int_equal(health_ewma(0, false), 0);
	assert_int_equal(health_ewma(0, true), 300000);
}

static void
rate_is_the_share_of_good_calls_rounded_down(void **state)
{
	(void)state;
	assert_int_equal(health_rate(0, 0), 1000000);
	assert_int_equal(health_rate(0, 1), 0);
	assert_int_equal(health_rate(1, 1), 1000000);
	assert_int_equal(health_rate(2, 3), 666666);
	assert_int_equal(health_rate(1, 3), 333333);
	assert_int_equal(health_rate(999999, 1000000), 999999);
}

static void
rate_survives_more_calls_than_can_be_multiplied(void **state)
{
	(void)state;
	assert_int_equal(health_rate(UINT64_MAX, UINT64_MAX), 1000000);
	assert_in_range(health_rate(UINT64_MAX / 2, UINT64_MAX), 499999, 500000);
	assert_int_equal(health_rate(0, UINT64_MAX), 0);
	assert_in_range(health_rate(UINT64_MAX / 4 * 3, UINT64_MAX), 749999, 750000);
}

static void
score_weighs_rate_three_and_average_seven(void **state)
{
	(void)state;
	assert_int_equal(health_score(1000000, 1000000), 1000000);
	assert_int_equal(health_score(0, 0), 0);
	assert_int_equal(health_score(0, 700000), 490000);
	assert_int_equal(health_score(666666, 700000), 689999);
	assert_int_equal(health_score(1000000, 0), 300000);
}

static void
classes_begin_at_their_limits(void **state)
{
	(void)state;
	assert_int_equal(health_class(1000000, false), HEALTH_HEALTHY);
	assert_int_equal(health_class(800000, false), HEALTH_HEALTHY);
	assert_int_equal(health_class(799999, false), HEALTH_DEGRADED);
	assert_int_equal(health_class(500000, false), HEALTH_DEGRADED);
	assert_int_equal(health_class(499999, false), HEALTH_UNHEALTHY);
	assert_int_equal(health_class(0, false), HEALTH_UNHEALTHY);
}

static void
open_breaker_is_unhealthy_whatever_its_score(void **state)
{
	(void)state;
	assert_int_equal(health_class(1000000, true), HEALTH_UNHEALTHY);
}

static void
classes_have_the_words_of_the_manual(void **state)
{
	(void)state;
	assert_string_equal(health_class_name(HEALTH_HEALTHY), "healthy");
	assert_string_equal(health_class_name(HEALTH_DEGRADED), "degraded");
	assert_string_equal(health_class_name(HEALTH_UNHEALTHY), "unhealthy");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(average_goes_three_tenths_of_the_way_and_rounds_down),
		cmocka_unit_test(rate_is_the_share_of_good_calls_rounded_down),
		cmocka_unit_test(rate_survives_more_calls_than_can_be_multiplied),
		cmocka_unit_test(score_weighs_rate_three_and_average_seven),
		cmocka_unit_test(classes_begin_at_their_limits),
		cmocka_unit_test(open_breaker_is_unhealthy_whatever_its_score),
		cmocka_unit_test(classes_have_the_words_of_the_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
