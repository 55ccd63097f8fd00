#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <netdb.h>

#include "shim/curl_lookups.h"
#include "shim/hook_curl.h"

static bool
is_neutral(const char *name)
{
	return curl_lookup_is_neutral((struct span){name, (uint32_t)strlen(name)});
}

static void
a_name_that_does_not_exist_is_neutral(void **state)
{
	(void)state;
	curl_note_lookup("missing.example", EAI_NONAME);
	curl_note_lookup("empty.example", EAI_NODATA);
	assert_true(is_neutral("missing.example"));
	assert_true(is_neutral("empty.example"));
}

static void
a_resolver_that_does_not_answer_is_not(void **state)
{
	(void)state;
	curl_note_lookup("again.example", EAI_AGAIN);
	curl_note_lookup("fail.example", EAI_FAIL);
	assert_false(is_neutral("again.example"));
	assert_false(is_neutral("fail.example"));
}

static void
a_name_that_nobody_looked_up_is_not(void **state)
{
	(void)state;
	assert_false(is_neutral("never.example"));
	assert_false(is_neutral(""));
}

static void
the_latest_look_up_counts(void **state)
{
	(void)state;
	curl_note_lookup("flaky.example", EAI_NONAME);
	curl_note_lookup("flaky.example", EAI_AGAIN);
	assert_false(is_neutral("flaky.example"));
	curl_note_lookup("flaky.example", EAI_NONAME);
	assert_true(is_neutral("flaky.example"));
	curl_note_lookup("flaky.example", 0);
	assert_false(is_neutral("flaky.example"));
}

static void
case_and_a_trailing_dot_do_not_matter(void **state)
{
	(void)state;
	curl_note_lookup("Dotted.Example.", EAI_NONAME);
	assert_true(is_neutral("dotted.example"));
	assert_true(is_neutral("DOTTED.EXAMPLE."));
}

static void
local_want_is_neutral(void **state)
{
	(void)state;
	curl_note_lookup("want.example", EAI_SYSTEM);
	assert_true(is_neutral("want.example"));
	curl_note_lookup("want.example", EAI_MEMORY);
	assert_true(is_neutral("want.example"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_does_not_exist_is_neutral),
		cmocka_unit_test(a_resolver_that_does_not_answer_is_not),
		cmocka_unit_test(a_name_that_nobody_looked_up_is_not),
		cmocka_unit_test(the_latest_look_up_counts),
		cmocka_unit_test(case_and_a_trailing_dot_do_not_matter),
		cmocka_unit_test(local_want_is_neutral),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
