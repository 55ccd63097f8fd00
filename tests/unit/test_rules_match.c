#include "rules_support.h"

struct bad_match {
	const char *value, *piece;
};

static void
assert_all_rejected(const struct bad_match *bad, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_rejected("match", bad[i].value, bad[i].piece);
}

static void
hosts_of_matches_are_checked(void **state)
{
	static const struct bad_match bad[] = {
		{"https://a.example/", "is a URL: match takes HOST[:PORT]"},
		{"a.example:0", "port '0' is not a number or LOW-HIGH from 1 to 65535"},
		{"a.example:65536", "port '65536' is not"},
		{"a.example:", "port '' is not"},
		{"a.example:80-", "port '80-' is not"},
		{"a.example:-80", "port '-80' is not"},
		{"a.example:80-90-95", "port '80-90-95' is not"},
		{"a.example:90-80", "port range 90-80 is reversed"},
		{":80", "'' is no host"},
		{"a..example", "is not a name, an address, a block"},
		{".example", "is not a name"},
		{"1.2.3", "is not a name"},
		{"1.2.3.256", "is not a name"},
		{"a.example b.example", "is more than one HOST[:PORT]"},
		{"a.example,b.example", "is more than one HOST[:PORT]"},
		{"b\xc3\xbc"
		 "cher.example",
		 "is not a name"},
		{"a*.example", "has a '*' that is neither alone nor '*.SUFFIX'"},
		{"*.*.example", "has a '*'"},
		{"*.", "has a '*'"},
		{"**", "has a '*'"},
		{"a.*", "has a '*'"},
		{"*.a..b", "is not '*.SUFFIX' with a name behind it"},
	};

	(void)state;
	assert_all_rejected(bad, sizeof(bad) / sizeof(bad[0]));
}

static void
blocks_of_matches_are_checked(void **state)
{
	static const struct bad_match bad[] = {
		{"10.0.0.1/8", "has bits beyond its prefix; the block is 10.0.0.0/8"},
		{"10.0.0.0/33", "needs 0 to 32 bits after the '/'"},
		{"10.0.0.0/", "needs 0 to 32 bits"},
		{"10.0.0.0/08", "needs 0 to 32 bits"},
		{"10.0.0.0/a", "needs 0 to 32 bits"},
		{"a.example/8", "is not a block ADDRESS/BITS"},
		{"[2001:db8::1/32]:443", "the block is 2001:db8::/32"},
		{"[2001:db8::/129]", "needs 0 to 128 bits"},
		{"[::ffff:10.0.0.0/95]", "needs 96 to 128 bits"},
		{"2001:db8::1", "an IPv6 address needs brackets"},
		{"2001:db8::/32", "an IPv6 address needs brackets"},
		{"[2001:db8::1", "is not an IPv6 address or block in brackets"},
		{"[a.example]", "is not an IPv6 address or block in brackets"},
		{"[10.0.0.1]:80", "is not an IPv6 address or block in brackets"},
		{"[::1]x", "has text after the ']'"},
		{"[]", "is not an IPv6 address or block in brackets"},
	};

	(void)state;
	assert_all_rejected(bad, sizeof(bad) / sizeof(bad[0]));
}

static void
regions_of_matches_are_checked(void **state)
{
	static const struct bad_match bad[] = {
		{"{region}", "needs more of a name than {region}"},
		{"*.{region}", "needs more of a name than {region}"},
		{"{region}.", "needs more of a name than {region}"},
		{"a.{region}..", "is not a name with {region} in it"},
		{"a.{region}.{region}.example", "has a second '{': {region} may stand once"},
		{"a.{regoin}.example", "has a '{' that does not begin {region}"},
		{"a.{region.example", "has a '{' that does not begin {region}"},
		{"a.region}.example", "is not a name"},
		{"10.0.{region}.1", "is not a name with {region} in it"},
		{"10.0.0.{region}", "is not a name with {region} in it"},
		{"10.0.0.0/{region}", "is not a name with {region} in it"},
		{"[2001:{region}::]", "is not a name with {region} in it"},
		{"a.example:{region}", "port '{region}' is not a number"},
		{"a*{region}.example", "is not a name with {region} in it"},
	};

	(void)state;
	assert_all_rejected(bad, sizeof(bad) / sizeof(bad[0]));
}

static void
names_and_labels_have_their_longest(void **state)
{
	char label[70] = "", name[300] = "", region[320];

	(void)state;
	memset(label, 'a', 63);
	assert_accepted("match", label);
	assert_accepted("match", "xn--bcher-kva.example");
	assert_accepted("match", "_srv._tcp.a-b.example.");
	label[63] = 'a';
	assert_rejected("match", label, "is not a name");
	for (unsigned i = 0; i < 253; i++)
		name[i] = i % 50 == 49 ? '.' : 'n';
	assert_accepted("match", name);
	snprintf(region, sizeof(region), "{region}%s", name + 1);
	assert_accepted("match", region);
	snprintf(region, sizeof(region), "{region}%s", name);
	assert_rejected("match", region, "is longer than 253 characters");
	name[253] = 'n';
	assert_rejected("match", name, "is longer than 253 characters");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_of_matches_are_checked),
		cmocka_unit_test(blocks_of_matches_are_checked),
		cmocka_unit_test(regions_of_matches_are_checked),
		cmocka_unit_test(names_and_labels_have_their_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
