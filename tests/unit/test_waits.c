#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/waits.h"

static void
milliseconds_are_rounded_up_and_ever_stays_ever(void **state)
{
	(void)state;
	assert_true(waits_ns_of_ms(-1) == UINT64_MAX);
	assert_true(waits_ns_of_ms(0) == 0);
	assert_true(waits_ns_of_ms(3) == 3000000);
	assert_int_equal(waits_ms_of_ns(UINT64_MAX), -1);
	assert_int_equal(waits_ms_of_ns(0), 0);
	assert_int_equal(waits_ms_of_ns(1), 1);
	assert_int_equal(waits_ms_of_ns(3000000), 3);
	assert_int_equal(waits_ms_of_ns(3000001), 4);
	assert_int_equal(waits_ms_of_ns(UINT64_MAX - 1), INT_MAX);
}

static void
times_come_back_as_they_were(void **state)
{
	struct timespec t = {3, 999999999}, out;

	(void)state;
	assert_true(waits_ns_of(&t) == UINT64_C(3999999999));
	assert_ptr_equal(waits_timespec(UINT64_C(3999999999), &out), &out);
	assert_true(out.tv_sec == t.tv_sec && out.tv_nsec == t.tv_nsec);
	assert_true(waits_ns_of(NULL) == UINT64_MAX);
	assert_null(waits_timespec(UINT64_MAX, &out));
}

static void
what_the_kernel_refuses_is_not_cut(void **state)
{
	(void)state;
	assert_true(waits_can_be_cut(NULL));
	assert_true(waits_can_be_cut(&(struct timespec){0, 0}));
	assert_true(waits_can_be_cut(&(struct timespec){INT_MAX - 1, 999999999}));
	assert_false(waits_can_be_cut(&(struct timespec){-1, 0}));
	assert_false(waits_can_be_cut(&(struct timespec){0, -1}));
	assert_false(waits_can_be_cut(&(struct timespec){0, 1000000000}));
	assert_false(waits_can_be_cut(&(struct timespec){INT64_MAX, 0}));
	assert_false(waits_can_be_cut((const struct timespec *)8));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(milliseconds_are_rounded_up_and_ever_stays_ever),
		cmocka_unit_test(times_come_back_as_they_were),
		cmocka_unit_test(what_the_kernel_refuses_is_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
