#include <errno.h>

#include "rules_support.h"

#define MS_NS UINT64_C(1000000)
#define SECOND_NS (1000 * MS_NS)

static const struct settings *
settings_of(const struct parsed *p)
{
	assert_string_equal(p->errors, "");
	return &p->rules.sections[0].settings;
}

static void
every_number_has_bounds(void **state)
{
	static const struct {
		const char *key;
		const char *low, *high;		  /* the last that are accepted */
		const char *below, *above, *text; /* the first that are not; what is said */
	} bounds[] = {
		{"consecutive", "0", "1000000", "-1", "1000001", "whole number from 0 to 1000000"},
		{"failure_rate", "0%", "100%", "-1%", "100.1%", "a share from 0% to 100%"},
		{"min_samples", "1", "500000", "0", "500001", "whole number from 1 to 500000"},
		{"window", "100ms", "24h", "99ms", "86400001ms", "a duration from 100ms to 24h"},
		{"cooldown", "1ms", "24h", "0s", "24.001h", "a duration from 1ms to 24h"},
		{"cooldown_max", "30s", "24h", "0s", "25h", "a duration from 1ms to 24h"},
		{"cooldown_jitter", "0%", "100%", "-1%", "101%", "a share from 0% to 100%"},
		{"probe_timeout", "0", "1h", "-1s", "3601s", "a duration from 0s to 1h"},
		{"probe_successes", "1", "1000", "0", "1001", "whole number from 1 to 1000"},
		{"probe_interval", "1ms", "1h", "0s", "61m", "a duration from 1ms to 1h"},
		{"ramp", "0s", "24h", "-1s", "1441m", "a duration from 0s to 24h"},
		{"p99", "1ms", "1h", "-1ms", "3600001ms", "a duration from 1ms to 1h, nor off"},
		{"answer_status", "400", "599", "399", "600", "a whole number from 400 to 599"},
		{"probe_expect", "100", "599", "99", "600", "range LOW-HIGH from 100 to 599"},
		{"fail_status", "100-100", "599-599", "99-100", "599-600", "from 100 to 599"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		assert_accepted(bounds[i].key, bounds[i].low);
		assert_accepted(bounds[i].key, bounds[i].high);
		assert_rejected(bounds[i].key, bounds[i].below, bounds[i].text);
		assert_rejected(bounds[i].key, bounds[i].above, bounds[i].text);
		assert_rejected(bounds[i].key, "99999999999999999999999", bounds[i].text);
		assert_rejected(bounds[i].key, "184467440737095516160s", bounds[i].text);
		assert_rejected(bounds[i].key, "x", bounds[i].text);
		assert_rejected(bounds[i].key, "1x", bounds[i].text);
	}
}

static void
every_key_needs_a_value(void **state)
{
	static const char *const keys[] = {
		"match",	 "region",	    "consecutive",    "failure_rate",
		"p99",		 "min_samples",	    "window",	      "cooldown",
		"cooldown_max",	 "cooldown_jitter", "probe",	      "probe_expect",
		"probe_timeout", "probe_successes", "probe_interval", "ramp",
		"fail_status",	 "late_failure",    "refuse_errno",   "answer",
		"answer_status", "message",	    "fallback",	      "alert",
		"mode"};
	char expected[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(expected, sizeof(expected), "3: '%s' has no value\n", keys[i]);
		assert_rejected(keys[i], "", expected);
	}
}

static void
durations_have_a_unit_and_may_have_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} cases[] = {{"250ms", 250},	 {"5s", 5000},	   {"2m", 120000},   {"1h", 3600000},
		     {"1.5s", 1500},	 {"0.25s", 250},   {"1.001s", 1001}, {"0.5m", 30000},
		     {"1.25h", 4500000}, {"2000ms", 2000}, {"1.0ms", 1},     {"007s", 7000}};
	static const char *const bad[] = {"5",	   "5 s",     "5S",    "5sec",	"s",
					  ".5s",   "5.s",     "1m30s", "1e3ms", "1d",
					  "1.5ms", "1.0001s", "1,5s",  "+5s",	"five"};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed *p = parse_key("cooldown", cases[i].text);

		assert_int_equal(settings_of(p)->breaker.cooldown_ns, cases[i].ms * MS_NS);
		parsed_free(p);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_rejected("cooldown", bad[i], "is not a duration from 1ms to 24h");
	assert_rejected("cooldown", "5", "a unit is missing: ms, s, m or h");
}

static void
shares_have_a_percent_sign_and_may_have_a_decimal(void **state)
{
	static const struct {
		const char *text;
		unsigned permille;
	} cases[] = {{"0", 0},	     {"0%", 0},	  {"50%", 500},
		     {"12.5%", 125}, {"0.1%", 1}, {"100%", 1000}};
	static const char *const bad[] = {"50", "50 %", "0.5", "12.55%", "%", "1.%", "50%%"};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed *p = parse_key("failure_rate", cases[i].text);

		assert_int_equal(settings_of(p)->breaker.failure_permille, cases[i].permille);
		parsed_free(p);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_rejected("failure_rate", bad[i], "is not a share from 0% to 100%");
	assert_rejected("failure_rate", "50", "the % is missing");
}

static void
percentiles_go_from_p50_to_p99_9(void **state)
{
	static const char *const good[] = {"p50", "p75", "p90.5", "p99", "p99.9", "p50.0"};
	static const char *const bad[] = {"p49",  "p49.9", "p100", "p99.95", "p9",
					  "p5.0", "P99",   "p999", "p99.",   "p99,9"};

	(void)state;
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_accepted(good[i], "5s");
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_rejected(bad[i], "5s", "a percentile is p50 to p99.9");
	assert_rejected("pNN", "5s", "unknown key 'pNN'");
}

static void
statuses_are_a_list_of_numbers_and_ranges(void **state)
{
	struct parsed *p = parse_key("fail_status", "429, 500-502,599");
	const struct settings *s = settings_of(p);

	(void)state;
	assert_int_equal(s->fail_status.count, 3);
	assert_true(status_in(&s->fail_status, 429));
	assert_true(status_in(&s->fail_status, 502));
	assert_false(status_in(&s->fail_status, 503));
	parsed_free(p);
	p = parse_key("fail_status", "none");
	assert_int_equal(settings_of(p)->fail_status.count, 0);
	parsed_free(p);
	assert_rejected("probe_expect", "none", "'none' is not a status");
	assert_rejected("fail_status", "429,", "'' is not a status");
	assert_rejected("fail_status", "500-", "'500-' is not a status");
	assert_rejected("fail_status", "599-500", "'599-500' is not a status");
	assert_rejected("fail_status", "5xx", "'5xx' is not a status");
	assert_accepted("fail_status", "1"
				       "00,101,102,103,104,105,106,107,108,109,110,111,112,113,"
				       "114,115");
	assert_rejected("fail_status",
			"100,101,102,103,104,105,106,107,108,109,110,111,112,113,"
			"114,115,116",
			"more than 16 ranges");
}

static void
words_are_known_and_near_ones_suggested(void **state)
{
	struct parsed *p = parse_key("mode", "observe");

	(void)state;
	assert_int_equal(settings_of(p)->mode, MODE_OBSERVE);
	parsed_free(p);
	p = parse_key("late_failure", "ignore");
	assert_false(settings_of(p)->breaker.late_failure_extends);
	parsed_free(p);
	p = parse_key("late_failure", "extend");
	assert_true(settings_of(p)->breaker.late_failure_extends);
	parsed_free(p);
	p = parse_key("answer", "http");
	assert_int_equal(settings_of(p)->answer, ANSWER_HTTP);
	parsed_free(p);
	p = parse_key("refuse_errno", "EHOSTUNREACH");
	assert_int_equal(settings_of(p)->refuse_errno, EHOSTUNREACH);
	parsed_free(p);
	assert_rejected("mode", "enforced",
			"3: mode = enforced is not one of enforce, observe, off "
			"(did you mean 'enforce'?)\n");
	assert_rejected("mode", "Off", "(did you mean 'off'?)");
	assert_rejected("mode", "monitor", "mode = monitor is not one of enforce, observe, off\n");
	assert_rejected("answer", "htpp", "(did you mean 'http'?)");
	assert_rejected("late_failure", "extends", "(did you mean 'extend'?)");
	assert_rejected("refuse_errno", "EHOSTUNREACHABLE", "(did you mean 'EHOSTUNREACH'?)");
	assert_rejected("refuse_errno", "EINTR", "is not one of ECONNREFUSED");
	assert_rejected("refuse_errno", "111", "is not one of ECONNREFUSED");
}

static void
probe_is_a_word_a_target_or_a_url(void **state)
{
	struct parsed *p = parse_key("probe", "tcp  api.example:443");

	(void)state;
	assert_int_equal(settings_of(p)->probe, PROBE_TCP_TARGET);
	assert_span(settings_of(p)->probe_target, "api.example:443");
	parsed_free(p);
	p = parse_key("probe", "https://api.example/v1/x");
	assert_int_equal(settings_of(p)->probe, PROBE_URL);
	assert_span(settings_of(p)->probe_target, "https://api.example/v1/x");
	parsed_free(p);
	assert_accepted("probe", "tcp");
	assert_accepted("probe", "call");
	assert_accepted("probe", "tcp [2001:db8::1]:443");
	assert_accepted("probe", "http://user:word@[2001:db8::1]:8080/x?y#z");
	assert_rejected("probe", "cal", "(did you mean 'call'?)");
	assert_rejected("probe", "tpc", "(did you mean 'tcp'?)");
	assert_rejected("probe", "ping", "is not call, tcp, tcp HOST:PORT or a URL\n");
	assert_rejected("probe", "tcp api.example", "has no port");
	assert_rejected("probe", "tcp *.example:443", "is not HOST:PORT");
	assert_rejected("probe", "ftp://x/", "is not an http:// or https:// URL");
	assert_rejected("probe", "http://", "is not a URL with a host");
	assert_rejected("probe", "http:///x", "is not a URL with a host");
	assert_rejected("probe", "http://a b/", "is not a URL with a host");
	assert_rejected("probe", "http://a.example:0/", "is not a URL with a host");
	assert_rejected("probe", "http://{region}.example/", "is not a URL with a host");
}

static void
alert_is_a_url_or_none(void **state)
{
	(void)state;
	assert_accepted("alert", "https://alerts.example/hook");
	assert_accepted("alert", "none");
	assert_rejected("alert", "alerts.example", "is not an http:// or https:// URL");
	assert_rejected("alert", "mailto:me@example", "is not an http:// or https:// URL");
}

static void
fallback_is_one_host(void **state)
{
	(void)state;
	assert_accepted("fallback", "b.example");
	assert_accepted("fallback", "192.0.2.1:80");
	assert_accepted("fallback", "[2001:db8::1]:80");
	assert_rejected("fallback", "*.example", "is not HOST[:PORT] with one name or address");
	assert_rejected("fallback", "10.0.0.0/8", "is not HOST[:PORT]");
	assert_rejected("fallback", "{region}.example", "is not HOST[:PORT]");
	assert_rejected("fallback", "b.example:0", "is not HOST[:PORT]");
	assert_rejected("fallback", "https://b.example/", "is not HOST[:PORT]");
	assert_errors("[a]\nmatch = a.example\nfallback = b.example\nfallback = none\n",
		      "4: 'fallback = none' stands beside another fallback\n");
}

static void
eight_fallbacks_are_the_most(void **state)
{
	char text[512] = "[a]\nmatch = a.example\n";

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		strcat(text, "fallback = b.example\n");
	parsed_free(parse_fine(text));
	strcat(text, "fallback = b.example\n");
	assert_errors(text, "11: more than 8 fallbacks in one section\n");
}

static void
region_is_a_name(void **state)
{
	char name[70] = "";

	(void)state;
	assert_accepted("region", "eu-west-1");
	assert_rejected("region", "eu/west", "is not 1 to 64 of the characters");
	assert_rejected("region", "eu west", "is not 1 to 64 of the characters");
	memset(name, 'r', 64);
	assert_accepted("region", name);
	name[64] = 'r';
	assert_rejected("region", name, "is not 1 to 64 of the characters");
}

static void
message_may_use_four_words(void **state)
{
	char message[2060] = "";

	(void)state;
	assert_accepted("message", "{dependency} {region} {reason} {retry_in}");
	assert_accepted("message", "{\"error\": {\"code\": 1}} {} { } {1} {not closed");
	assert_accepted("message", "na\xc3\xafve \xe2\x80\x94 \xf0\x9f\x98\x80");
	assert_rejected("message", "{regoin}", "unknown {regoin} (did you mean {region}?)");
	assert_rejected("message", "{retry-in}", "unknown {retry-in} (did you mean {retry_in}?)");
	assert_rejected("message", "{x}",
			"unknown {x}; there are {dependency}, {region}, {reason} and {retry_in}");
	memset(message, 'm', 2048);
	assert_accepted("message", message);
	message[2048] = 'm';
	assert_rejected("message", message, "message is longer than 2048 bytes");
}

static void
comment_behind_a_value_is_named(void **state)
{
	(void)state;
	assert_rejected("cooldown", "5s # why", "a comment needs a line of its own");
	assert_rejected("mode", "off ; why", "a comment needs a line of its own");
	assert_rejected("failure_rate", "50% # why", "a comment needs a line of its own");
	assert_rejected("match", "b.example # why", "a comment needs a line of its own");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_has_bounds),
		cmocka_unit_test(every_key_needs_a_value),
		cmocka_unit_test(durations_have_a_unit_and_may_have_decimals),
		cmocka_unit_test(shares_have_a_percent_sign_and_may_have_a_decimal),
		cmocka_unit_test(percentiles_go_from_p50_to_p99_9),
		cmocka_unit_test(statuses_are_a_list_of_numbers_and_ranges),
		cmocka_unit_test(words_are_known_and_near_ones_suggested),
		cmocka_unit_test(probe_is_a_word_a_target_or_a_url),
		cmocka_unit_test(alert_is_a_url_or_none),
		cmocka_unit_test(fallback_is_one_host),
		cmocka_unit_test(eight_fallbacks_are_the_most),
		cmocka_unit_test(region_is_a_name),
		cmocka_unit_test(message_may_use_four_words),
		cmocka_unit_test(comment_behind_a_value_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
