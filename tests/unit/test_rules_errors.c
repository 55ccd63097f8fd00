#include "rules_support.h"

static void
all_errors_of_a_bad_file_are_told_in_order(void **state)
{
	(void)state;
	assert_errors("cooldown = 3s\n"		   /* 1 */
		      "[carrier]\n"		   /* 2 */
		      "match = a.example:0\n"	   /* 3 */
		      "colldown = 30s\n"	   /* 4 */
		      "cooldown = 10m\n"	   /* 5 */
		      "cooldown_max = 5m\n"	   /* 6 */
		      "cooldown = 3s\n"		   /* 7 */
		      "p99 = 5s\n"		   /* 8 */
		      "p95 = 2s\n"		   /* 9 */
		      "failure_rate = 101%\n"	   /* 10 */
		      "[nothing]\n"		   /* 11 */
		      "window = 5\n"		   /* 12 */
		      "[carrier]\n"		   /* 13 */
		      "match = b.example\n"	   /* 14 */
		      "just words\n"		   /* 15 */
		      "= 3\n"			   /* 16 */
		      "[a b]\n"			   /* 17 */
		      "mode = offf\n"		   /* 18 */
		      "[loop]\n"		   /* 19 */
		      "match = loop.example\n"	   /* 20 */
		      "fallback = loop.example\n", /* 21 */
		      "1: 'cooldown' stands before the first [SECTION]\n"
		      "3: match: port '0' is not a number or LOW-HIGH from 1 to 65535\n"
		      "4: unknown key 'colldown' (did you mean 'cooldown'?)\n"
		      "6: cooldown_max is below cooldown in section [carrier]\n"
		      "7: 'cooldown' is set a second time in this section; first on line 5\n"
		      "9: 'p95' is a second pNN in this section; the first is on line 8\n"
		      "10: failure_rate = 101% is not a share from 0% to 100%\n"
		      "11: section [nothing] has no match\n"
		      "12: window = 5 is not a duration from 100ms to 24h; a unit is missing: ms, "
		      "s, m or h\n"
		      "13: section [carrier] stands here again; it began on line 2\n"
		      "15: 'just words' is neither KEY = VALUE nor [SECTION] nor # comment\n"
		      "16: a key is missing before the '='\n"
		      "17: section name 'a b' is not 1 to 64 of the characters A-Z a-z 0-9 . _ -\n"
		      "18: mode = offf is not one of enforce, observe, off (did you mean 'off'?)\n"
		      "19: section [loop] falls back to itself\n");
}

static void
near_keys_are_suggested(void **state)
{
	static const char *const pairs[][2] = {{"Cooldown", "cooldown"},
					       {"cool_down", "cooldown"},
					       {"cooldwon", "cooldown"},
					       {"min-samples", "min_samples"},
					       {"matches", "match"},
					       {"failure_rat", "failure_rate"},
					       {"failure-rate", "failure_rate"},
					       {"probe_succeses", "probe_successes"},
					       {"windows", "window"},
					       {"fallbacks", "fallback"},
					       {"rapm", "ramp"},
					       {"mesage", "message"},
					       {"cooldownmax", "cooldown_max"},
					       {"refuse_errrno", "refuse_errno"}};
	char text[128], expected[128];

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(text, sizeof(text), "[a]\nmatch = a.example\n%s = 1\n", pairs[i][0]);
		snprintf(expected, sizeof(expected), "3: unknown key '%s' (did you mean '%s'?)\n",
			 pairs[i][0], pairs[i][1]);
		assert_errors(text, expected);
	}
}

static void
far_keys_are_not(void **state)
{
	(void)state;
	assert_errors("[a]\nmatch = a.example\ntimeout = 3s\n", "3: unknown key 'timeout'\n");
	assert_errors("[a]\nmatch = a.example\nx = 3s\n", "3: unknown key 'x'\n");
}

static void
quotes_of_the_file_are_shortened_between_characters(void **state)
{
	char text[4096] = "[a]\nmatch = a.example\n";

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		strcat(text, "\xe2\x82\xac");
	strcat(text, "a = 3\n");
	struct parsed *p = parse(text);

	assert_int_equal(p->count, 1);
	assert_int_equal(strlen(p->errors), strlen("3: unknown key '...'\n") + 60);
	parsed_free(p);
}

static void
headers_are_whole_and_alone(void **state)
{
	(void)state;
	assert_errors("[a\nmatch = a.example\n", "1: '[a' has no ']'\n");
	assert_errors("[a] match = a.example\n",
		      "1: 'match = a.example' follows the ']': a key has a line of its own\n");
	assert_errors("[]\n", "1: section name '' is not 1 to 64 of the characters A-Z a-z 0-9 . _ "
			      "-\n");
	assert_errors("[a/b]\n", "1: section name 'a/b' is not 1 to 64 of the characters A-Z a-z "
				 "0-9 . _ -\n");
}

static void
section_names_have_64_characters_at_most(void **state)
{
	char text[128] = "[";

	(void)state;
	memset(text + 1, 'n', 65);
	strcpy(text + 65, "]\nmatch = a.example\n");
	parsed_free(parse_fine(text));
	strcpy(text + 65, "n]\nmatch = a.example\n");
	struct parsed *p = parse(text);

	assert_int_equal(p->count, 1);
	assert_non_null(strstr(p->errors, "is not 1 to 64 of the characters"));
	parsed_free(p);
}

static void
section_without_a_match_is_an_error(void **state)
{
	(void)state;
	assert_errors("[a]\n[b]\ncooldown = 3s\n",
		      "1: section [a] has no match\n2: section [b] has no match\n");
	assert_errors("[default]\ncooldown = 3s\n",
		      "1: section [default] has no match (did you mean [defaults]?)\n");
	/* A match that is wrong is told once. */
	assert_errors("[a]\nmatch = a:0\n",
		      "2: match: port '0' is not a number or LOW-HIGH from 1 to 65535\n");
}

static void
match_that_cannot_be_read_is_told_once(void **state)
{
	static const char text[] = "[a]\nmatch = a\0b\n"
				   "[b]\nmatch = \xff\n"
				   "[c]\nmessage = \xff\n"
				   "[d]\nmode = off\n match = \xff\n";
	char line[5000] = "[a]\nmatch = ";
	struct parsed *p = parse_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(p->errors, "2: the line has a NUL byte: this is no text\n"
				       "4: the line is not valid UTF-8\n"
				       "5: section [c] has no match\n"
				       "6: the line is not valid UTF-8\n"
				       "7: section [d] has no match\n"
				       "9: the line is not valid UTF-8\n");
	parsed_free(p);
	memset(line + strlen(line), 'a', 4090);
	assert_errors(line, "2: a line of more than 4096 bytes\n");
}

static void
no_section_may_stand_twice(void **state)
{
	(void)state;
	assert_errors("[defaults]\n[a]\nmatch = a.example\n[defaults]\ncooldown = 0s\n",
		      "4: section [defaults] stands here again; it began on line 1\n"
		      "5: cooldown = 0s is not a duration from 1ms to 24h\n");
	assert_errors("[*]\n[*]\n", "2: section [*] stands here again; it began on line 1\n");
	parsed_free(parse_fine("[a]\nmatch = a.example\n[A]\nmatch = b.example\n"));
}

static void
keys_that_mean_nothing_there_are_errors(void **state)
{
	(void)state;
	assert_errors("[defaults]\nmatch = a.example\n",
		      "2: 'match' has no meaning in [defaults]\n");
	assert_errors("[*]\nregion = eu\n",
		      "2: region has no meaning in [*], which has one breaker per host\n");
	assert_errors("[*]\nmatch = {region}.example\n",
		      "2: {region} has no meaning in [*], which has one breaker per host\n");
}

static void
windows_line_ends_are_told_once_and_the_rest_is_read(void **state)
{
	(void)state;
	assert_errors("[a]\nmatch = a.example\r\ncolldown = 3s\r\nmessage = x\r\n  y\r\n",
		      "2: the line ends in CR LF, as on Windows: save the file with LF alone (sed "
		      "-i 's/\\r$//' FILE)\n"
		      "3: unknown key 'colldown' (did you mean 'cooldown'?)\n");
	assert_errors("[a]\nmatch = a.example\r",
		      "2: the line ends in CR LF, as on Windows: save the file with LF alone (sed "
		      "-i 's/\\r$//' FILE)\n");
}

static void
byte_order_mark_is_told_and_the_rest_is_read(void **state)
{
	(void)state;
	assert_errors(
		"\xef\xbb\xbf[a]\nmatch = a.example\ncolldown = 3s\n",
		"1: the file begins with a byte order mark: save it as UTF-8 without BOM (sed "
		"-i '1s/^\\xEF\\xBB\\xBF//' FILE)\n"
		"3: unknown key 'colldown' (did you mean 'cooldown'?)\n");
}

static void
utf16_is_told_once(void **state)
{
	static const char text[] = "\xff\xfe[\0a\0]\0\n\0";
	struct parsed *p = parse_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(p->errors, "0: the file is UTF-16: save it as UTF-8 without BOM\n");
	parsed_free(p);
}

static void
bytes_that_are_no_text_are_told_by_line(void **state)
{
	static const char text[] =
		"[a]\nmatch = a\0b\nmessage = \xc3(\nmatch = a.example\n"
		"mode = \x1b[0m\n# \xed\xa0\x80\n# \xc0\x80\n# \xf5\x80\x80\x80\n"
		"# \xc2\x85\n# \x7f\n# \xe2\x82\n# fine \xf4\x8f\xbf\xbf\n";
	struct parsed *p = parse_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(p->errors, "2: the line has a NUL byte: this is no text\n"
				       "3: the line is not valid UTF-8\n"
				       "5: the line has a control character\n"
				       "6: the line is not valid UTF-8\n"
				       "7: the line is not valid UTF-8\n"
				       "8: the line is not valid UTF-8\n"
				       "9: the line has a control character\n"
				       "10: the line has a control character\n"
				       "11: the line is not valid UTF-8\n");
	parsed_free(p);
}

static void
bad_continuation_is_told_on_its_own_line(void **state)
{
	(void)state;
	assert_errors("[a]\nmatch = a.example\ncolldown = x\n  \xff\n  y\n",
		      "3: unknown key 'colldown' (did you mean 'cooldown'?)\n"
		      "4: the line is not valid UTF-8\n");
}

static void
lines_have_4096_bytes_at_most(void **state)
{
	size_t size = 1000000;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, '#', size);
	struct parsed *p = parse_bytes(text, 4096);

	assert_true(p->fine);
	parsed_free(p);
	p = parse_bytes(text, 4097);
	assert_string_equal(p->errors, "1: a line of more than 4096 bytes\n");
	parsed_free(p);
	p = parse_bytes(text, size);
	assert_string_equal(p->errors, "1: a line of more than 4096 bytes\n");
	parsed_free(p);
	free(text);
}

static void
file_has_one_mebibyte_at_most(void **state)
{
	char *text = malloc(RULES_SIZE_MAX + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', RULES_SIZE_MAX + 1);
	struct parsed *p = parse_bytes(text, RULES_SIZE_MAX);

	assert_true(p->fine);
	parsed_free(p);
	p = parse_bytes(text, RULES_SIZE_MAX + 1);
	assert_string_equal(p->errors, "0: the file is larger than 1 MiB\n");
	parsed_free(p);
	free(text);
}

static void
junk_is_told_line_by_line_without_end(void **state)
{
	size_t size = 65536;
	char *text = malloc(size);
	uint32_t seed = 1;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = (char)(seed >> 24);
	}
	struct parsed *p = parse_bytes(text, size);

	assert_false(p->fine);
	assert_true(p->count > 100);
	parsed_free(p);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_errors_of_a_bad_file_are_told_in_order),
		cmocka_unit_test(near_keys_are_suggested),
		cmocka_unit_test(far_keys_are_not),
		cmocka_unit_test(quotes_of_the_file_are_shortened_between_characters),
		cmocka_unit_test(headers_are_whole_and_alone),
		cmocka_unit_test(section_names_have_64_characters_at_most),
		cmocka_unit_test(section_without_a_match_is_an_error),
		cmocka_unit_test(match_that_cannot_be_read_is_told_once),
		cmocka_unit_test(no_section_may_stand_twice),
		cmocka_unit_test(keys_that_mean_nothing_there_are_errors),
		cmocka_unit_test(windows_line_ends_are_told_once_and_the_rest_is_read),
		cmocka_unit_test(byte_order_mark_is_told_and_the_rest_is_read),
		cmocka_unit_test(utf16_is_told_once),
		cmocka_unit_test(bytes_that_are_no_text_are_told_by_line),
		cmocka_unit_test(bad_continuation_is_told_on_its_own_line),
		cmocka_unit_test(lines_have_4096_bytes_at_most),
		cmocka_unit_test(file_has_one_mebibyte_at_most),
		cmocka_unit_test(junk_is_told_line_by_line_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
