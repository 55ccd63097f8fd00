#include "core/text.h"
#include "rules_support.h"

#define SECOND_NS UINT64_C(1000000000)

static void
sections_stand_in_file_order_with_their_lines(void **state)
{
	struct parsed *p = parse_fine("# a comment\n\n[carrier]\nmatch = a.example\n"
				      "match = b.example:443\n; another\n[*]\n");

	(void)state;
	assert_int_equal(p->rules.section_count, 2);
	assert_span(p->rules.sections[0].name, "carrier");
	assert_int_equal(p->rules.sections[0].line, 3);
	assert_int_equal(p->rules.sections[0].match_count, 2);
	assert_int_equal(p->rules.matches[1].line, 5);
	assert_span(p->rules.matches[1].text, "b.example:443");
	assert_span(p->rules.sections[1].name, "*");
	assert_int_equal(p->rules.sections[1].first_match, 2);
	assert_int_equal(p->rules.matches[2].kind, HOST_ANY);
	assert_int_equal(p->rules.matches[2].text.len, 0);
	parsed_free(p);
}

static void
empty_text_has_no_sections(void **state)
{
	static const char *const texts[] = {"", "\n", "# nothing", "   \n\t\n", "[defaults]\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct parsed *p = parse_fine(texts[i]);

		assert_int_equal(p->rules.section_count, 0);
		parsed_free(p);
	}
}

static void
builtin_rules_are_the_rest_alone(void **state)
{
	struct parsed *p = parse_fine(rules_builtin);

	(void)state;
	assert_int_equal(p->rules.section_count, 1);
	assert_span(p->rules.sections[0].name, "*");
	parsed_free(p);
}

static void
header_may_have_a_comment_behind_it(void **state)
{
	(void)state;
	parsed_free(parse_fine("[a]   # why\nmatch = a.example\n[b]\t; why\nmatch = b.example\n"));
	parsed_free(parse_fine("[a]#\nmatch = a.example\n[b]   \nmatch = b.example"));
}

static void
white_space_round_keys_and_values_is_nothing(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch=a.example\ncooldown\t =\t 7s \t\n");

	(void)state;
	assert_int_equal(p->rules.sections[0].settings.breaker.cooldown_ns, 7 * SECOND_NS);
	parsed_free(p);
}

static void
line_that_begins_with_white_space_continues_the_value(void **state)
{
	struct parsed *p = parse_fine("[a]\nmessage = one \n\t two\n    three\nmatch = a.example\n"
				      "fail_status = 429,\n  500-599\n[b]\nmatch =\n b.example\n");

	(void)state;
	assert_span(p->rules.sections[0].settings.message, "one two three");
	assert_int_equal(p->rules.sections[0].settings.fail_status.count, 2);
	assert_span(p->rules.matches[1].host, "b.example");
	assert_int_equal(p->rules.matches[1].line, 9);
	parsed_free(p);
}

static void
comments_and_empty_lines_do_not_end_a_value(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = a.example\nmessage = one\n# between\n\n"
				      "  # and indented\n  two # not one\n");

	(void)state;
	assert_span(p->rules.sections[0].settings.message, "one two # not one");
	parsed_free(p);
}

static void
continuation_of_nothing_is_an_error(void **state)
{
	const char *what = "the line begins with white space and so continues the value above it, "
			   "but there is none\n";
	char expected[300];

	(void)state;
	snprintf(expected, sizeof(expected), "1: %s3: %s", what, what);
	assert_errors("  x\n[a]\n  match = a.example\nmatch = a.example\n", expected);
}

static void
defaults_hold_for_the_sections_below_them(void **state)
{
	struct parsed *p = parse_fine("[above]\nmatch = a.example\n"
				      "[defaults]\ncooldown = 7s\nmessage = gone\nregion = eu\n"
				      "[below]\nmatch = b.example\n"
				      "[own]\nmatch = c.example\ncooldown = 8s\n");
	const struct section *s = p->rules.sections;

	(void)state;
	assert_int_equal(p->rules.section_count, 3);
	assert_int_equal(s[0].settings.breaker.cooldown_ns, 30 * SECOND_NS);
	assert_int_equal(s[0].settings.message.len, 0);
	assert_int_equal(s[1].settings.breaker.cooldown_ns, 7 * SECOND_NS);
	assert_span(s[1].settings.message, "gone");
	assert_span(s[1].region, "eu");
	assert_int_equal(s[2].settings.breaker.cooldown_ns, 8 * SECOND_NS);
	parsed_free(p);
}

static void
probe_call_needs_one_success_and_no_ramp(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = a.example\nprobe = call\n"
				      "[b]\nmatch = b.example\nprobe = call\nramp = 5s\n"
				      "probe_successes = 3\n");
	const struct breaker_config *a = &p->rules.sections[0].settings.breaker;
	const struct breaker_config *b = &p->rules.sections[1].settings.breaker;

	(void)state;
	assert_true(a->probe_is_call);
	assert_int_equal(a->probe_successes, 1);
	assert_int_equal(a->ramp_ns, 0);
	assert_int_equal(b->probe_successes, 3);
	assert_int_equal(b->ramp_ns, 5 * SECOND_NS);
	parsed_free(p);
}

static void
probe_call_from_defaults_obeys_what_is_set_there(void **state)
{
	struct parsed *p = parse_fine("[defaults]\nprobe = call\nprobe_successes = 4\n"
				      "[a]\nmatch = a.example\n"
				      "[b]\nmatch = b.example\nprobe = tcp\n");
	const struct section *s = p->rules.sections;

	(void)state;
	assert_true(s[0].settings.breaker.probe_is_call);
	assert_int_equal(s[0].settings.breaker.probe_successes, 4);
	assert_int_equal(s[0].settings.breaker.ramp_ns, 0);
	assert_false(s[1].settings.breaker.probe_is_call);
	assert_int_equal(s[1].settings.breaker.ramp_ns, 20 * SECOND_NS);
	parsed_free(p);
}

static void
long_cooldown_is_its_own_maximum(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = a.example\ncooldown = 10m\n"
				      "[b]\nmatch = b.example\ncooldown = 5m\n");

	(void)state;
	assert_int_equal(p->rules.sections[0].settings.breaker.cooldown_max_ns, 600 * SECOND_NS);
	assert_int_equal(p->rules.sections[1].settings.breaker.cooldown_max_ns, 300 * SECOND_NS);
	parsed_free(p);
}

static void
long_cooldown_of_defaults_is_its_own_maximum(void **state)
{
	struct parsed *p = parse_fine("[defaults]\ncooldown = 10m\n[a]\nmatch = a.example\n"
				      "[b]\nmatch = b.example\ncooldown = 1s\n");

	(void)state;
	assert_int_equal(p->rules.sections[0].settings.breaker.cooldown_max_ns, 600 * SECOND_NS);
	assert_int_equal(p->rules.sections[1].settings.breaker.cooldown_max_ns, 300 * SECOND_NS);
	parsed_free(p);
}

static void
maximum_below_the_cooldown_is_an_error(void **state)
{
	(void)state;
	parsed_free(parse_fine("[a]\nmatch = a.example\ncooldown_max = 30s\n"));
	assert_errors("[a]\nmatch = a.example\ncooldown_max = 29s\n",
		      "3: cooldown_max is below cooldown in section [a]\n");
	assert_errors("[a]\ncooldown_max = 1s\ncooldown = 2s\nmatch = a.example\n",
		      "2: cooldown_max is below cooldown in section [a]\n");
	assert_errors("[defaults]\ncooldown = 2s\ncooldown_max = 1s\n[a]\nmatch = a.example\n",
		      "3: cooldown_max is below cooldown in section [defaults]\n");
	assert_errors("[defaults]\ncooldown_max = 1m\n[a]\nmatch = a.example\ncooldown = 2m\n",
		      "5: cooldown_max is below cooldown in section [a]\n");
	assert_errors("[defaults]\ncooldown_max = 1s\n[a]\nmatch = a.example\n",
		      "3: cooldown_max is below cooldown in section [a]\n");
}

static void
bad_cooldown_is_told_once(void **state)
{
	(void)state;
	assert_errors("[a]\nmatch = a.example\ncooldown = 99h\ncooldown_max = 1s\n",
		      "3: cooldown = 99h is not a duration from 1ms to 24h\n");
	assert_errors("[a]\nmatch = a.example\ncooldown = 1h\ncooldown_max = 0s\n",
		      "4: cooldown_max = 0s is not a duration from 1ms to 24h\n");
}

static void
percentile_of_a_section_replaces_that_of_defaults(void **state)
{
	struct parsed *p = parse_fine("[defaults]\np99 = 5s\n[a]\nmatch = a.example\n"
				      "[b]\nmatch = b.example\np50 = 1s\n"
				      "[c]\nmatch = c.example\np99 = off\n"
				      "[d]\nmatch = d.example\np75.5 = 0\n");
	const struct section *s = p->rules.sections;

	(void)state;
	assert_int_equal(s[0].settings.breaker.latency_ns, 5 * SECOND_NS);
	assert_int_equal(s[0].settings.breaker.latency_permille, 990);
	assert_int_equal(s[1].settings.breaker.latency_ns, SECOND_NS);
	assert_int_equal(s[1].settings.breaker.latency_permille, 500);
	assert_int_equal(s[2].settings.breaker.latency_ns, 0);
	assert_int_equal(s[3].settings.breaker.latency_ns, 0);
	assert_int_equal(s[3].settings.breaker.latency_permille, 755);
	parsed_free(p);
}

static void
slot_is_a_tenth_of_the_window_rounded_up(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = a.example\nwindow = 101ms\n");

	(void)state;
	assert_int_equal(p->rules.sections[0].settings.breaker.slot_ns, 10100000);
	parsed_free(p);
}

static void
fallbacks_are_tried_in_order_and_replace_inherited_ones(void **state)
{
	struct parsed *p = parse_fine("[defaults]\nfallback = x.example\nfallback = y.example:1\n"
				      "[a]\nmatch = a.example\n"
				      "[b]\nmatch = b.example\nfallback = z.example\n"
				      "[c]\nmatch = c.example\nfallback = none\n");
	const struct section *s = p->rules.sections;

	(void)state;
	assert_int_equal(s[0].settings.fallback_count, 2);
	assert_span(s[0].settings.fallback[1], "y.example:1");
	assert_int_equal(s[1].settings.fallback_count, 1);
	assert_span(s[1].settings.fallback[0], "z.example");
	assert_int_equal(s[2].settings.fallback_count, 0);
	parsed_free(p);
}

static void
loop_of_fallbacks_is_an_error(void **state)
{
	(void)state;
	assert_errors("[a]\nmatch = a.example\nfallback = b.example\n"
		      "[b]\nmatch = b.example\nfallback = c.example:80\n"
		      "[c]\nmatch = c.example\nfallback = x.example\nfallback = a.example\n",
		      "1: section [a] falls back to itself by way of [c]\n");
	assert_errors("[a]\nmatch = a.example\nmatch = b.example\nfallback = b.example\n",
		      "1: section [a] falls back to itself\n");
	assert_errors("[a]\nmatch = a.example\nfallback = b.example\n[*]\nfallback = a.example\n",
		      "1: section [a] falls back to itself by way of [*]\n");
}

static void
fallbacks_without_a_loop_are_fine(void **state)
{
	(void)state;
	/* Two ways to the same end. */
	parsed_free(parse_fine("[a]\nmatch = a.example\nfallback = b.example\n"
			       "fallback = c.example\n"
			       "[b]\nmatch = b.example\nfallback = c.example\n"
			       "[c]\nmatch = c.example\n"));
	/* One region of a dependency for all others. */
	parsed_free(parse_fine("[a]\nmatch = {region}.a.example\nfallback = eu.a.example\n"));
	parsed_free(parse_fine("[*]\nfallback = spare.example\n"));
	/* The spare host inherits itself. */
	parsed_free(parse_fine("[defaults]\nfallback = spare.example\n[a]\nmatch = a.example\n"
			       "[spare]\nmatch = spare.example\n"));
	/* Another port is another section. */
	parsed_free(parse_fine("[a]\nmatch = a.example:443\nfallback = a.example:80\n"));
}

static void
ten_thousand_sections_are_bearable(void **state)
{
	size_t size = 0, room = 600000;
	char *text = malloc(room);

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < 10000; i++)
		size += (size_t)snprintf(text + size, room - size,
					 "[section-%u]\nmatch = host-%u.example\n", i, i);
	struct parsed *p = parse_bytes(text, size);

	assert_true(p->fine);
	assert_int_equal(p->rules.section_count, 10000);
	parsed_free(p);
	free(text);
}

static void
printed_settings_mean_the_same_when_read_again(void **state)
{
	static const char *const texts[] = {
		"[a]\nmatch = a.example\n",
		"[a]\nmatch = a.example\nregion = eu\nconsecutive = 0\nfailure_rate = 12.5%\n"
		"p99.9 = 1500ms\nwindow = 90s\ncooldown = 10m\ncooldown_jitter = 0\n"
		"probe = tcp 192.0.2.1:80\nprobe_expect = 200, 204-206\nprobe_timeout = 0\n"
		"ramp = 0s\nfail_status = none\nlate_failure = ignore\nrefuse_errno = ETIMEDOUT\n"
		"answer = http\nanswer_status = 503\nmessage = {dependency} is away\n"
		"fallback = b.example\nfallback = [2001:db8::1]:80\nalert = http://x.example/\n"
		"mode = observe\n",
		"[a]\nmatch = a.example\nprobe = call\np50 = off\nmode = off\n",
		"[a]\nmatch = a.example\nprobe = https://a.example/health?x=1\n"};
	char once[8192], twice[8192];

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct parsed *p = parse_fine(texts[i]);
		struct text t = text_over(once, sizeof(once));
		struct text u = text_over(twice, sizeof(twice));

		text_string(&t, "[a]\nmatch = a.example\n");
		size_t from = t.len;

		rules_print(&t, &p->rules.sections[0]);
		struct parsed *again = parse_fine(once);

		rules_print(&u, &again->rules.sections[0]);
		assert_string_equal(once + from, twice);
		parsed_free(again);
		parsed_free(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_stand_in_file_order_with_their_lines),
		cmocka_unit_test(empty_text_has_no_sections),
		cmocka_unit_test(builtin_rules_are_the_rest_alone),
		cmocka_unit_test(header_may_have_a_comment_behind_it),
		cmocka_unit_test(white_space_round_keys_and_values_is_nothing),
		cmocka_unit_test(line_that_begins_with_white_space_continues_the_value),
		cmocka_unit_test(comments_and_empty_lines_do_not_end_a_value),
		cmocka_unit_test(continuation_of_nothing_is_an_error),
		cmocka_unit_test(defaults_hold_for_the_sections_below_them),
		cmocka_unit_test(probe_call_needs_one_success_and_no_ramp),
		cmocka_unit_test(probe_call_from_defaults_obeys_what_is_set_there),
		cmocka_unit_test(long_cooldown_is_its_own_maximum),
		cmocka_unit_test(long_cooldown_of_defaults_is_its_own_maximum),
		cmocka_unit_test(maximum_below_the_cooldown_is_an_error),
		cmocka_unit_test(bad_cooldown_is_told_once),
		cmocka_unit_test(percentile_of_a_section_replaces_that_of_defaults),
		cmocka_unit_test(slot_is_a_tenth_of_the_window_rounded_up),
		cmocka_unit_test(fallbacks_are_tried_in_order_and_replace_inherited_ones),
		cmocka_unit_test(loop_of_fallbacks_is_an_error),
		cmocka_unit_test(fallbacks_without_a_loop_are_fine),
		cmocka_unit_test(ten_thousand_sections_are_bearable),
		cmocka_unit_test(printed_settings_mean_the_same_when_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
