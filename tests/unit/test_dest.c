#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/dest.h"

static struct span
span(const char *s)
{
	return (struct span){s, (uint32_t)strlen(s)};
}

/* The text is an address that prints as expected. */
static void
assert_address(const char *text, const char *expected)
{
	struct dest_addr a;
	char out[DEST_TEXT_MAX];

	assert_true(dest_addr_parse(span(text), &a));
	assert_int_equal(dest_addr_print(&a, out), strlen(expected));
	assert_string_equal(out, expected);
}

static void
assert_no_address(const char *text)
{
	struct dest_addr a;

	if (dest_addr_parse(span(text), &a))
		fail_msg("%s is taken for an address", text);
}

/* The text is a destination that prints as expected. */
static void
assert_destination(const char *text, const char *expected)
{
	struct dest d;
	char out[DEST_TEXT_MAX];

	assert_true(dest_parse(span(text), &d));
	assert_int_equal(dest_print(&d, out), strlen(expected));
	assert_string_equal(out, expected);
}

static void
assert_no_destination(const char *text)
{
	struct dest d;

	if (dest_parse(span(text), &d))
		fail_msg("%s is taken for a destination", text);
}

static void
dotted_quads_are_addresses(void **state)
{
	(void)state;
	assert_address("0.0.0.0", "0.0.0.0");
	assert_address("192.0.2.1", "192.0.2.1");
	assert_address("255.255.255.255", "255.255.255.255");
}

static void
other_numbers_are_no_addresses(void **state)
{
	static const char *const texts[] = {"",		"1",	     "1.2.3",	  "1.2.3.",
					    "1.2.3.4.", "1.2.3.4.5", "256.1.1.1", "1.1.1.256",
					    "01.2.3.4", "1..2.3",    "1.2.3.4a",  " 1.2.3.4",
					    "1.2.3.4 ", "-1.2.3.4",  "[1.2.3.4]", "0x7f.0.0.1"};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_no_address(texts[i]);
}

static void
version_six_prints_in_its_shortest_form(void **state)
{
	(void)state;
	assert_address("::", "::");
	assert_address("::1", "::1");
	assert_address("[::1]", "::1");
	assert_address("1::", "1::");
	assert_address("2001:DB8:0:0:0:0:0:1", "2001:db8::1");
	assert_address("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1");
	assert_address("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1");
	assert_address("1:0:0:2:0:0:0:3", "1:0:0:2::3");
	assert_address("64:ff9b::192.0.2.33", "64:ff9b::c000:221");
	assert_address("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304");
	assert_address("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0");
	assert_address("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8");
}

static void
malformed_version_six_is_no_address(void **state)
{
	static const char *const texts[] = {":",
					    ":::",
					    "1",
					    "1:",
					    ":1",
					    "1::2::3",
					    "1:2:3:4:5:6:7",
					    "1:2:3:4:5:6:7:8:9",
					    "1:2:3:4:5:6:7:8::",
					    "12345::",
					    "g::1",
					    "::1%lo",
					    "[::1",
					    "::1]",
					    "[]",
					    "::1.2.3",
					    "1.2.3.4::",
					    "::1.2.3.4:5",
					    "1:2:3:4:5:6:7:1.2.3.4",
					    "[[::1]]",
					    "::1:2:3:4:5:6:7:8",
					    "1:::2",
					    ":1:2:3:4:5:6:7:8"};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_no_address(texts[i]);
}

static void
mapped_addresses_are_version_four(void **state)
{
	struct dest_addr a, b;
	const uint8_t mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};

	(void)state;
	assert_address("::ffff:192.0.2.1", "192.0.2.1");
	assert_address("::ffff:c000:201", "192.0.2.1");
	assert_address("::192.0.2.1", "::c000:201");
	dest_addr_set(&a, 6, mapped);
	dest_addr_set(&b, 4, mapped + 12);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void
destination_is_a_host_with_or_without_port(void **state)
{
	(void)state;
	assert_destination("api.example", "api.example");
	assert_destination("api.example:443", "api.example:443");
	assert_destination("api.example.:443", "api.example:443");
	assert_destination("192.0.2.1", "192.0.2.1");
	assert_destination("192.0.2.1:80", "192.0.2.1:80");
	assert_destination("::1", "::1");
	assert_destination("[::1]", "::1");
	assert_destination("[2001:db8::1]:8080", "[2001:db8::1]:8080");
	assert_destination("[::ffff:192.0.2.1]:80", "192.0.2.1:80");
	assert_destination("a_b-c:1", "a_b-c:1");
}

static void
malformed_destinations_are_refused(void **state)
{
	static const char *const texts[] = {"",	      ":80",	 "a:",	     "a:0",    "a:65536",
					    "a:-1",   "a b",	 "a/b",	     "[a]:80", "[::1]80",
					    "[::1]:", "a:80:80", "http://a", "a\tb",   "a:999999"};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_no_destination(texts[i]);
}

static void
names_may_have_253_characters(void **state)
{
	char text[DEST_NAME_MAX + 3];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[DEST_NAME_MAX] = '\0';
	assert_destination(text, text);
	text[DEST_NAME_MAX] = '.';
	text[DEST_NAME_MAX + 1] = '\0';
	struct dest d;

	assert_true(dest_parse(span(text), &d));
	text[DEST_NAME_MAX] = 'a';
	assert_no_destination(text);
}

static void
ports_are_plain_digits_from_1_to_65535(void **state)
{
	uint16_t port;

	(void)state;
	assert_true(dest_port_parse(span("1"), &port));
	assert_int_equal(port, 1);
	assert_true(dest_port_parse(span("65535"), &port));
	assert_int_equal(port, 65535);
	assert_true(dest_port_parse(span("00080"), &port));
	assert_int_equal(port, 80);
	assert_false(dest_port_parse(span("0"), &port));
	assert_false(dest_port_parse(span("65536"), &port));
	assert_false(dest_port_parse(span("000080"), &port));
	assert_false(dest_port_parse(span(""), &port));
	assert_false(dest_port_parse(span("+1"), &port));
	assert_false(dest_port_parse(span("8o"), &port));
}

static void
names_are_equal_without_regard_to_case(void **state)
{
	(void)state;
	assert_true(dest_name_equal(span("API.Example"), span("api.eXAMPLE")));
	assert_false(dest_name_equal(span("api.example"), span("api.exampl")));
	assert_false(dest_name_equal(span("a@"), span("a`")));
	assert_true(dest_name_equal(dest_name_trim(span("a.b.")), span("a.b")));
	assert_int_equal(dest_name_trim(span(".")).len, 1);
}

static void
overlong_name_is_cut_when_printed(void **state)
{
	char name[400], out[DEST_TEXT_MAX];
	struct dest d = {.name = {name, sizeof(name)}, .port = 65535};

	(void)state;
	memset(name, 'n', sizeof(name));
	assert_int_equal(dest_print(&d, out), DEST_NAME_MAX + 6);
	assert_string_equal(out + DEST_NAME_MAX, ":65535");
}

static void
nothing_prints_as_nothing(void **state)
{
	struct dest d = {.port = DEST_PORT_UNKNOWN};
	char out[DEST_TEXT_MAX] = "x";

	(void)state;
	assert_int_equal(dest_print(&d, out), 0);
	assert_string_equal(out, "");
}

static bool
is_loopback(const char *text)
{
	struct dest d;

	assert_true(dest_parse(span(text), &d));
	return dest_is_loopback(&d);
}

static void
loopback_has_addresses_and_names(void **state)
{
	(void)state;
	assert_true(is_loopback("127.0.0.1"));
	assert_true(is_loopback("127.255.255.255:80"));
	assert_true(is_loopback("[::1]:80"));
	assert_true(is_loopback("::ffff:127.0.0.1"));
	assert_true(is_loopback("0.0.0.0"));
	assert_true(is_loopback("::"));
	assert_true(is_loopback("LOCALHOST:80"));
	assert_true(is_loopback("localhost."));
	assert_true(is_loopback("tool.localhost"));
	assert_false(is_loopback("126.255.255.255"));
	assert_false(is_loopback("128.0.0.0"));
	assert_false(is_loopback("0.0.0.1"));
	assert_false(is_loopback("::2"));
	assert_false(is_loopback("mylocalhost"));
	assert_false(is_loopback("localhost.example"));
}

static void
name_that_leads_to_loopback_is_loopback(void **state)
{
	struct dest d;

	(void)state;
	assert_true(dest_parse(span("api.example:443"), &d));
	assert_false(dest_is_loopback(&d));
	assert_true(dest_addr_parse(span("127.0.0.1"), &d.addr));
	assert_true(dest_is_loopback(&d));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dotted_quads_are_addresses),
		cmocka_unit_test(other_numbers_are_no_addresses),
		cmocka_unit_test(version_six_prints_in_its_shortest_form),
		cmocka_unit_test(malformed_version_six_is_no_address),
		cmocka_unit_test(mapped_addresses_are_version_four),
		cmocka_unit_test(destination_is_a_host_with_or_without_port),
		cmocka_unit_test(malformed_destinations_are_refused),
		cmocka_unit_test(names_may_have_253_characters),
		cmocka_unit_test(ports_are_plain_digits_from_1_to_65535),
		cmocka_unit_test(names_are_equal_without_regard_to_case),
		cmocka_unit_test(overlong_name_is_cut_when_printed),
		cmocka_unit_test(nothing_prints_as_nothing),
		cmocka_unit_test(loopback_has_addresses_and_names),
		cmocka_unit_test(name_that_leads_to_loopback_is_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
