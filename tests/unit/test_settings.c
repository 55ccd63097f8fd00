#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/settings.h"

#define SECOND_NS UINT64_C(1000000000)

static void
defaults_are_those_of_the_table(void **state)
{
	struct settings s;

	(void)state;
	settings_default(&s);
	assert_int_equal(s.breaker.consecutive, 5);
	assert_int_equal(s.breaker.failure_permille, 500);
	assert_int_equal(s.breaker.latency_ns, 0);
	assert_int_equal(s.breaker.min_samples, 20);
	assert_int_equal(s.breaker.window_ns, 60 * SECOND_NS);
	assert_int_equal(s.breaker.slot_ns, 6 * SECOND_NS);
	assert_int_equal(s.breaker.cooldown_ns, 30 * SECOND_NS);
	assert_int_equal(s.breaker.cooldown_max_ns, 300 * SECOND_NS);
	assert_int_equal(s.breaker.cooldown_jitter_permille, 100);
	assert_int_equal(s.breaker.lease_ns, 5 * SECOND_NS);
	assert_int_equal(s.breaker.probe_successes, 2);
	assert_int_equal(s.breaker.probe_interval_ns, SECOND_NS);
	assert_int_equal(s.breaker.ramp_ns, 20 * SECOND_NS);
	assert_false(s.breaker.probe_is_call);
	assert_true(s.breaker.late_failure_extends);
	assert_int_equal(s.probe, PROBE_TCP);
	assert_int_equal(s.refuse_errno, ECONNREFUSED);
	assert_int_equal(s.answer, ANSWER_TEXT);
	assert_int_equal(s.answer_status, 424);
	assert_int_equal(s.mode, MODE_ENFORCE);
}

static void
defaults_name_no_message_fallback_or_alert(void **state)
{
	struct settings s;

	(void)state;
	settings_default(&s);
	assert_int_equal(s.message.len, 0);
	assert_int_equal(s.alert.len, 0);
	assert_int_equal(s.probe_target.len, 0);
	assert_int_equal(s.fallback_count, 0);
}

static void
server_errors_fail_and_too_many_requests_does_not(void **state)
{
	struct settings s;

	(void)state;
	settings_default(&s);
	assert_false(status_in(&s.fail_status, 429));
	assert_false(status_in(&s.fail_status, 499));
	assert_true(status_in(&s.fail_status, 500));
	assert_true(status_in(&s.fail_status, 599));
	assert_false(status_in(&s.fail_status, 600));
}

static void
probe_expects_success_or_redirection(void **state)
{
	struct settings s;

	(void)state;
	settings_default(&s);
	assert_false(status_in(&s.probe_expect, 199));
	assert_true(status_in(&s.probe_expect, 200));
	assert_true(status_in(&s.probe_expect, 399));
	assert_false(status_in(&s.probe_expect, 400));
}

static void
no_range_holds_no_status(void **state)
{
	struct status_ranges none = {0};

	(void)state;
	assert_false(status_in(&none, 0));
	assert_false(status_in(&none, 500));
}

static void
status_may_be_in_any_of_the_ranges(void **state)
{
	struct status_ranges r = {.count = 2, .range = {{429, 429}, {500, 503}}};

	(void)state;
	assert_true(status_in(&r, 429));
	assert_true(status_in(&r, 503));
	assert_false(status_in(&r, 430));
	assert_false(status_in(&r, 504));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_table),
		cmocka_unit_test(defaults_name_no_message_fallback_or_alert),
		cmocka_unit_test(server_errors_fail_and_too_many_requests_does_not),
		cmocka_unit_test(probe_expects_success_or_redirection),
		cmocka_unit_test(no_range_holds_no_status),
		cmocka_unit_test(status_may_be_in_any_of_the_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
