#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/doctor_words.h"

static struct words words;
static char joined[WORDS_TEXT_MAX];

/* The words with bars between them. */
static const char *
all(void)
{
	size_t len = 0;

	joined[0] = '\0';
	for (unsigned i = 0; i < words.count; i++)
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%s", i ? "|" : "",
					words.at[i]);
	return joined;
}

static void
given(void)
{
	static char name[] = "tool", one[] = "one", two[] = "two words";
	static char *argv[] = {name, one, two, NULL};

	words_init(&words, argv);
}

static const char *
interpreted(const char *head)
{
	given();
	return words_interpret(&words, head, strlen(head), "/path") ? all() : NULL;
}

static const char *
env_of(const char *line)
{
	char head[256];

	snprintf(head, sizeof(head), "#!/usr/bin/env %s\n", line);
	given();
	assert_true(words_interpret(&words, head, strlen(head), "/path"));
	return words_skip_env(&words) ? all() : NULL;
}

static const char *
exec_of(const char *script)
{
	given();
	return words_exec(&words, script, strlen(script)) ? all() : NULL;
}

static void
a_script_is_its_interpreter_with_one_argument_and_the_path(void **state)
{
	(void)state;
	assert_string_equal(interpreted("#!/bin/sh\n"), "/bin/sh|/path|one|two words");
	assert_string_equal(interpreted("#! /bin/sh -e  -x \t\n"),
			    "/bin/sh|-e  -x|/path|one|two words");
	assert_string_equal(interpreted("#!/bin/sh"), "/bin/sh|/path|one|two words");
}

static void
a_file_without_the_line_is_no_script(void **state)
{
	(void)state;
	assert_null(interpreted(""));
	assert_null(interpreted("#!"));
	assert_null(interpreted("#!\n/bin/sh"));
	assert_null(interpreted("# !/bin/sh\n"));
}

static void
an_env_takes_its_options_and_variables(void **state)
{
	(void)state;
	assert_string_equal(env_of("node"), "node|/path|one|two words");
	assert_string_equal(env_of("-i"), "/path|one|two words");
	assert_string_equal(env_of("A=b"), "/path|one|two words");
	assert_string_equal(env_of("-S node --flag"), "node|--flag|/path|one|two words");
	assert_string_equal(env_of("-vS -u A -C/ B=c 'a b' c\\ d"), "a b|c d|/path|one|two words");
	assert_string_equal(env_of("--split-string=-i --unset=A -- B=c node"),
			    "node|/path|one|two words");
}

static void
an_env_that_starts_nothing_says_so(void **state)
{
	static char env[] = "env", option[] = "-i", variable[] = "A=b";
	static char *argv[] = {env, option, variable, NULL};

	(void)state;
	words_init(&words, argv);
	assert_false(words_skip_env(&words));
}

static void
a_wrapper_is_what_its_last_line_executes(void **state)
{
	(void)state;
	assert_string_equal(exec_of("#!/bin/sh\nexec node x.js \"$@\"\n"),
			    "node|x.js|one|two words");
	assert_string_equal(exec_of("exec -c -a 'other name' tool -- 'a b'"), "tool|--|a b");
	assert_string_equal(exec_of("if x; then\n\texec a\nelse\n\texec b 2>&1\nfi\n\n# end\n"),
			    "b|2");
	assert_string_equal(exec_of("exec \\\n  tool a\\\nb | cat\n"), "tool|ab");
}

static void
another_shell_script_is_that_of_its_shell(void **state)
{
	(void)state;
	assert_null(exec_of(""));
	assert_null(exec_of("\n\n"));
	assert_null(exec_of("exec tool\necho more\n"));
	assert_null(exec_of("exec \"$TOOL\" a\n"));
	assert_null(exec_of("exec `which tool`\n"));
	assert_null(exec_of("exec 3>&1\n"));
	assert_null(exec_of("exec >log\n"));
	assert_null(exec_of("exec\n"));
	assert_null(exec_of("executable a\n"));
	assert_string_equal(all(), "tool|one|two words");
}

static void
what_is_too_long_is_left_out(void **state)
{
	static char script[2 * WORDS_TEXT_MAX];
	size_t len = (size_t)snprintf(script, sizeof(script), "exec tool");

	(void)state;
	while (len + 3 < sizeof(script))
		len += (size_t)snprintf(script + len, sizeof(script) - len, " a");
	assert_non_null(exec_of(script));
	assert_int_equal(words.count, WORDS_MAX);

	memset(script + 10, 'a', sizeof(script) - 11);
	assert_non_null(exec_of("exec tool"));
	script[9] = ' ';
	assert_non_null(exec_of(script));
	assert_int_equal(words.count, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_script_is_its_interpreter_with_one_argument_and_the_path),
		cmocka_unit_test(a_file_without_the_line_is_no_script),
		cmocka_unit_test(an_env_takes_its_options_and_variables),
		cmocka_unit_test(an_env_that_starts_nothing_says_so),
		cmocka_unit_test(a_wrapper_is_what_its_last_line_executes),
		cmocka_unit_test(another_shell_script_is_that_of_its_shell),
		cmocka_unit_test(what_is_too_long_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
