#include "core/match.h"
#include "rules_support.h"

static struct dest
dest(const char *text)
{
	struct dest d;

	assert_true(dest_parse((struct span){text, (uint32_t)strlen(text)}, &d));
	return d;
}

/* What the destination meets under these rules; "" for none. */
static void
assert_meets(const char *rules, const char *text, const char *breaker)
{
	struct parsed *p = parse_fine(rules);
	struct dest d = dest(text);
	struct met met;

	if (match_find(&p->rules, NULL, &d, &met))
		assert_string_equal(met.breaker, breaker);
	else
		assert_string_equal("", breaker);
	parsed_free(p);
}

static void
name_fits_without_regard_to_case_and_trailing_dot(void **state)
{
	const char *rules = "[a]\nmatch = Api.Example.\n";

	(void)state;
	assert_meets(rules, "api.example", "a");
	assert_meets(rules, "API.EXAMPLE.:80", "a");
	assert_meets(rules, "api.example.org", "");
	assert_meets(rules, "x.api.example", "");
	assert_meets(rules, "192.0.2.1", "");
}

static void
suffix_fits_any_depth_but_not_itself(void **state)
{
	const char *rules = "[a]\nmatch = *.track.example\n";

	(void)state;
	assert_meets(rules, "x.track.example", "a");
	assert_meets(rules, "x.y.Z.TRACK.example.", "a");
	assert_meets(rules, "track.example", "");
	assert_meets(rules, "fasttrack.example", "");
}

static void
port_narrows_a_match(void **state)
{
	(void)state;
	assert_meets("[a]\nmatch = api.example:443\n", "api.example:443", "a");
	assert_meets("[a]\nmatch = api.example:443\n", "api.example:444", "");
	assert_meets("[a]\nmatch = api.example:80-90\n", "api.example:79", "");
	assert_meets("[a]\nmatch = api.example:80-90\n", "api.example:80", "a");
	assert_meets("[a]\nmatch = api.example:80-90\n", "api.example:90", "a");
	assert_meets("[a]\nmatch = api.example:80-90\n", "api.example:91", "");
	assert_meets("[a]\nmatch = *:25\n", "192.0.2.1:25", "a");
}

static void
unknown_port_fits_every_port(void **state)
{
	(void)state;
	assert_meets("[a]\nmatch = api.example:443\n", "api.example", "a");
	assert_meets("[a]\nmatch = 192.0.2.0/24:443\n", "192.0.2.1", "a");
}

static void
region_is_what_stands_in_its_place(void **state)
{
	const char *rules = "[dynamo]\nmatch = dynamodb.{region}.amazonaws.com:443\n";

	(void)state;
	assert_meets(rules, "dynamodb.us-east-1.amazonaws.com:443", "dynamo/us-east-1");
	assert_meets(rules, "DynamoDB.EU-West-2.amazonaws.com:443", "dynamo/eu-west-2");
	assert_meets(rules, "dynamodb..amazonaws.com:443", "");
	assert_meets(rules, "dynamodb.amazonaws.com:443", "");
	assert_meets(rules, "dynamodb.a.b.amazonaws.com:443", "");
	assert_meets(rules, "dynamodb.a_b.amazonaws.com:443", "");
	assert_meets(rules, "x.dynamodb.us-east-1.amazonaws.com:443", "");
}

static void
region_may_be_a_part_of_a_label(void **state)
{
	(void)state;
	assert_meets("[z]\nmatch = api-{region}.zone.example\n", "api-7.zone.example", "z/7");
	assert_meets("[z]\nmatch = api-{region}.zone.example\n", "api-.zone.example", "");
	assert_meets("[z]\nmatch = {region}-api.example\n", "eu-west-api.example", "z/eu-west");
	assert_meets("[z]\nmatch = zone.{region}\n", "zone.eu", "z/eu");
	assert_meets("[z]\nmatch = zone.{region}.\n", "zone.eu.", "z/eu");
}

static void
region_below_any_name_is_its_own_label(void **state)
{
	const char *rules = "[es]\nmatch = *.{region}.es.example\nmatch = *.a-{region}.x.example\n";

	(void)state;
	assert_meets(rules, "search.us-east-1.es.example", "es/us-east-1");
	assert_meets(rules, "a.b.us-east-1.es.example", "es/us-east-1");
	assert_meets(rules, "us-east-1.es.example", "");
	assert_meets(rules, ".us-east-1.es.example", "");
	assert_meets(rules, "q.a-3.x.example", "es/3");
	assert_meets(rules, "q.ba-3.x.example", "");
	assert_meets(rules, "a-3.x.example", "");
}

static void
fixed_region_is_part_of_the_name(void **state)
{
	const char *rules = "[defaults]\nregion = eu\n"
			    "[carrier]\nmatch = api.example\nmatch = {region}.api.example\n"
			    "[plain]\nmatch = plain.example\nregion = none\n[*]\n";

	(void)state;
	assert_meets(rules, "api.example", "carrier/eu");
	assert_meets(rules, "us.api.example", "carrier/us");
	assert_meets(rules, "plain.example", "plain");
	assert_meets(rules, "other.example", "other.example");
}

static void
longest_names_fit_in_a_breaker_name(void **state)
{
	char rules[256], region[65], expected[256];

	(void)state;
	memset(region, 'r', 64);
	region[64] = '\0';
	snprintf(rules, sizeof(rules), "[%s]\nmatch = a.example\nregion = %s\n", region, region);
	snprintf(expected, sizeof(expected), "%s/%s", region, region);
	assert_meets(rules, "a.example", expected);
}

static void
address_fits_itself_and_its_block(void **state)
{
	(void)state;
	assert_meets("[a]\nmatch = 192.0.2.7\n", "192.0.2.7:80", "a");
	assert_meets("[a]\nmatch = 192.0.2.7\n", "192.0.2.8:80", "");
	assert_meets("[a]\nmatch = 10.0.0.0/8\n", "10.255.255.255", "a");
	assert_meets("[a]\nmatch = 10.0.0.0/8\n", "11.0.0.0", "");
	assert_meets("[a]\nmatch = 192.0.2.128/25\n", "192.0.2.127", "");
	assert_meets("[a]\nmatch = 192.0.2.128/25\n", "192.0.2.128", "a");
	assert_meets("[a]\nmatch = 0.0.0.0/0\n", "203.0.113.9", "a");
	assert_meets("[a]\nmatch = 0.0.0.0/0\n", "2001:db8::1", "");
	assert_meets("[a]\nmatch = [2001:db8::]:80\n", "[2001:db8::]:80", "a");
	assert_meets("[a]\nmatch = [2001:db8::/33]\n", "2001:db8:7fff::1", "a");
	assert_meets("[a]\nmatch = [2001:db8::/33]\n", "2001:db8:8000::1", "");
	assert_meets("[a]\nmatch = [::/0]:80-90\n", "[2001:db8::1]:85", "a");
	assert_meets("[a]\nmatch = [2001:db8::]/32:443\n", "[2001:db8::1]:443", "a");
}

static void
mapped_addresses_meet_version_four(void **state)
{
	(void)state;
	assert_meets("[a]\nmatch = 10.0.0.0/8\n", "[::ffff:10.1.1.1]:80", "a");
	assert_meets("[a]\nmatch = [::ffff:10.0.0.0/104]\n", "10.1.1.1:80", "a");
	assert_meets("[a]\nmatch = [::ffff:10.0.0.0/104]\n", "11.1.1.1:80", "");
	assert_meets("[a]\nmatch = [::/0]\n", "10.1.1.1:80", "");
}

static void
match_by_address_fits_a_name_with_that_address(void **state)
{
	struct parsed *p = parse_fine("[net]\nmatch = 10.0.0.0/8\n[name]\nmatch = a.example\n");
	struct dest d = dest("a.example:80");
	struct met met;

	(void)state;
	assert_true(match_find(&p->rules, NULL, &d, &met));
	assert_string_equal(met.breaker, "name");
	d.addr = dest("10.0.0.1").addr;
	assert_true(match_find(&p->rules, NULL, &d, &met));
	assert_string_equal(met.breaker, "net");
	assert_int_equal(met.match->line, 2);
	parsed_free(p);
}

static void
first_section_that_fits_wins(void **state)
{
	const char *rules = "[narrow]\nmatch = a.example:443\n"
			    "[wide]\nmatch = *.example\nmatch = *\n[*]\n";

	(void)state;
	assert_meets(rules, "a.example:443", "narrow");
	assert_meets(rules, "a.example:80", "wide");
	assert_meets(rules, "a.test", "wide");
	assert_meets(rules, "127.0.0.1:53", "wide");
}

static void
search_goes_on_behind_what_it_found(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = x.example:443\n[b]\nmatch = y.example\n"
				      "[c]\nmatch = *.example\n[*]\n");
	struct dest d = dest("x.example");
	struct met met;
	uint32_t from = 0;
	static const char *const names[] = {"a", "c", "x.example"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_true(match_next(&p->rules, NULL, &d, &from, &met));
		assert_string_equal(met.breaker, names[i]);
	}
	assert_false(match_next(&p->rules, NULL, &d, &from, &met));
	assert_int_equal(from, 4);
	parsed_free(p);
}

static void
the_rest_has_a_breaker_for_each_host(void **state)
{
	(void)state;
	assert_meets(rules_builtin, "API.Example.:443", "api.example");
	assert_meets(rules_builtin, "192.0.2.1:80", "192.0.2.1");
	assert_meets(rules_builtin, "[2001:DB8::1]:80", "2001:db8::1");
	assert_meets(rules_builtin, "::ffff:192.0.2.1", "192.0.2.1");
	assert_meets("[*]\nmatch = *.example\n", "a.example", "a.example");
	assert_meets("[*]\nmatch = *.example\n", "a.test", "");
}

static void
the_rest_leaves_out_loopback_and_name_servers(void **state)
{
	(void)state;
	assert_meets(rules_builtin, "127.0.0.1:80", "");
	assert_meets(rules_builtin, "[::1]:80", "");
	assert_meets(rules_builtin, "localhost", "");
	assert_meets(rules_builtin, "192.0.2.1:53", "");
	assert_meets(rules_builtin, "192.0.2.1:54", "192.0.2.1");
	assert_meets("[*]\n[local]\nmatch = localhost\n", "localhost", "local");
}

static void
the_rest_leaves_out_proxies(void **state)
{
	struct proxies proxies = {
		.count = 3,
		.dest = {dest("proxy.example:3128"), dest("192.0.2.9"), dest("any.example")}};
	static const struct {
		const char *dest;
		bool is_met;
	} cases[] = {{"PROXY.example.:3128", false}, {"proxy.example", false},
		     {"proxy.example:3129", true},   {"192.0.2.9:8080", false},
		     {"192.0.2.10:8080", true},	     {"any.example:1", false},
		     {"xproxy.example:3128", true}};
	struct parsed *p = parse_fine(rules_builtin);
	struct parsed *named = parse_fine("[p]\nmatch = proxy.example\n[*]\n");
	struct met met;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dest d = dest(cases[i].dest);

		assert_int_equal(match_find(&p->rules, &proxies, &d, &met), cases[i].is_met);
	}
	struct dest d = dest("proxy.example:3128");

	assert_true(match_find(&named->rules, &proxies, &d, &met));
	assert_string_equal(met.breaker, "p");
	parsed_free(p);
	parsed_free(named);
}

static void
odd_bytes_of_a_host_cannot_play_another_breaker(void **state)
{
	struct parsed *p = parse_fine(rules_builtin);
	struct dest d = {.name = {"carrier/eu \n\xff.x", 15}, .port = 80};
	struct met met;

	(void)state;
	assert_true(match_find(&p->rules, NULL, &d, &met));
	assert_string_equal(met.breaker, "carrier_eu___.x");
	parsed_free(p);
}

static void
nothing_meets_nothing(void **state)
{
	struct parsed *p = parse_fine("[a]\nmatch = *\n[*]\n");
	struct dest d = {.port = DEST_PORT_UNKNOWN};
	struct met met;

	(void)state;
	assert_false(match_find(&p->rules, NULL, &d, &met));
	parsed_free(p);
	assert_meets("", "a.example", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_fits_without_regard_to_case_and_trailing_dot),
		cmocka_unit_test(suffix_fits_any_depth_but_not_itself),
		cmocka_unit_test(port_narrows_a_match),
		cmocka_unit_test(unknown_port_fits_every_port),
		cmocka_unit_test(region_is_what_stands_in_its_place),
		cmocka_unit_test(region_may_be_a_part_of_a_label),
		cmocka_unit_test(region_below_any_name_is_its_own_label),
		cmocka_unit_test(fixed_region_is_part_of_the_name),
		cmocka_unit_test(longest_names_fit_in_a_breaker_name),
		cmocka_unit_test(address_fits_itself_and_its_block),
		cmocka_unit_test(mapped_addresses_meet_version_four),
		cmocka_unit_test(match_by_address_fits_a_name_with_that_address),
		cmocka_unit_test(first_section_that_fits_wins),
		cmocka_unit_test(search_goes_on_behind_what_it_found),
		cmocka_unit_test(the_rest_has_a_breaker_for_each_host),
		cmocka_unit_test(the_rest_leaves_out_loopback_and_name_servers),
		cmocka_unit_test(the_rest_leaves_out_proxies),
		cmocka_unit_test(odd_bytes_of_a_host_cannot_play_another_breaker),
		cmocka_unit_test(nothing_meets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
