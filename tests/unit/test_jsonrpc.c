#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/jsonrpc.h"

/* Behind version, so that a row is about the rest. */
#define V "\"jsonrpc\":\"2.0\","

static void
read_text(struct jsonrpc *j, const char *text)
{
	jsonrpc_read(j, text, strlen(text));
}

/* "KIND t ID m ID ..." of a body that is read in two pieces. */
static const char *
calls_of(const char *body, size_t size, size_t cut)
{
	static const char *const kinds[] = {"not", "quiet", "calls"};
	static char out[4096];
	struct jsonrpc j = {.state = 0};
	struct jsonrpc_call call;
	size_t at = 0;

	jsonrpc_read(&j, body, cut);
	jsonrpc_read(&j, body + cut, size - cut);
	int len = snprintf(out, sizeof(out), "%s", kinds[jsonrpc_kind(&j)]);

	while (jsonrpc_kind(&j) == JSONRPC_CALLS && jsonrpc_next(&j, &at, &call))
		len += snprintf(out + len, sizeof(out) - (size_t)len, " %c %.*s",
				call.is_tool ? 't' : 'm', (int)call.id.len, call.id.at);
	return out;
}

static void
is_read_as(const char *body, const char *calls)
{
	size_t size = strlen(body);

	for (size_t cut = 0; cut <= size; cut++)
		assert_string_equal(calls_of(body, size, cut), calls);
}

static void
id_and_method_are_found_in_any_order(void **state)
{
	(void)state;
	is_read_as("{" V "\"id\":7,\"method\":\"tools/call\"}", "calls t 7");
	is_read_as("{\"method\":\"tools/call\",\"id\":7,\"jsonrpc\":\"2.0\"}", "calls t 7");
	is_read_as(" {\n" V "\t\"id\" : 7 , \"method\" : \"ping\" } \r\n", "calls m 7");
}

static void
ids_are_kept_as_they_are_written(void **state)
{
	static const char *const ids[] = {"0",
					  "-1",
					  "12345678901234567890",
					  "1.50",
					  "-0.5e+10",
					  "1E-7",
					  "null",
					  "\"\"",
					  "\"a b\"",
					  "\"\\\"\\\\\\/\\b\"",
					  "\"\\u00e4\\uD83d\\ude00\"",
					  "\"\xc3\xa4\xf0\x9f\x98\x80\"",
					  "\"},{\""};
	char body[256], calls[256];

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(body, sizeof(body), "{" V "\"id\":%s,\"method\":\"x\"}", ids[i]);
		snprintf(calls, sizeof(calls), "calls m %s", ids[i]);
		is_read_as(body, calls);
		snprintf(body, sizeof(body), "{" V "\"method\":\"x\",\"id\": %s }", ids[i]);
		is_read_as(body, calls);
	}
}

static void
what_cannot_be_an_id_makes_it_something_else(void **state)
{
	static const char *const ids[] = {
		"true",	    "false",	"[1]",	  "{}",	 "01",	"1.",  "-",	  "1e",
		"nul",	    "nulls",	"1x",	  ".5",	 "+1",	"0x1", "\"\\x\"", "\"\\u12g4\"",
		"\"\xff\"", "\"\xc3\"", "\"\t\"", "'a'", "\"a", ""};
	char body[256];

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(body, sizeof(body), "{" V "\"id\":%s,\"method\":\"x\"}", ids[i]);
		is_read_as(body, "not");
	}
}

static void
call_without_an_id_wants_no_answer(void **state)
{
	(void)state;
	is_read_as("{" V "\"method\":\"notifications/initialized\"}", "quiet");
	is_read_as("{" V "\"method\":\"tools/call\",\"params\":{\"id\":3}}", "quiet");
	is_read_as("{" V "\"method\":\"x\",\"id\":null}", "calls m null");
}

static void
answer_to_the_other_side_wants_no_answer(void **state)
{
	(void)state;
	is_read_as("{" V "\"id\":1,\"result\":{}}", "quiet");
	is_read_as("{" V "\"error\":{\"code\":1},\"id\":null}", "quiet");
	is_read_as("{" V "\"result\":{\"id\":1}}", "not");
	is_read_as("{" V "\"id\":1}", "not");
}

static void
what_is_nested_is_not_looked_at(void **state)
{
	(void)state;
	is_read_as("{" V "\"params\":{\"id\":1,\"method\":\"tools/call\",\"a\":[{\"id\":2}]},"
		   "\"id\":3,\"method\":\"x\"}",
		   "calls m 3");
	is_read_as("{" V
		   "\"id\":3,\"method\":\"tools/call\",\"params\":[\"}]\\\"]\",{\"b\":\"\\\\\"},"
		   "[[]]],\"meta\":\"{\\\"id\\\":9\",\"x\":-1.5e3,\"y\":true,\"z\":null}",
		   "calls t 3");
	is_read_as("{\"params\":{" V "\"id\":1,\"method\":\"tools/call\"}}", "not");
}

static void
names_and_methods_may_be_escaped(void **state)
{
	(void)state;
	is_read_as("{" V "\"id\":1,\"method\":\"tools\\/call\"}", "calls t 1");
	is_read_as("{\"json\\u0072pc\":\"\\u0032.0\",\"i\\u0064\":1,"
		   "\"m\\u0065thod\":\"\\u0074ools\\u002Fcall\"}",
		   "calls t 1");
	is_read_as("{" V "\"id\":1,\"method\":\"tools/call\\u0000\"}", "calls m 1");
	is_read_as("{" V "\"id\":1,\"method\":\"tools/call/and/more/of/it\"}", "calls m 1");
	is_read_as("{" V "\"id\":1,\"method\":\"tools/cal\\u016c\"}", "calls m 1");
	is_read_as("{" V "\"id\":1,\"method\":\"tools\\xcall\"}", "not");
}

static void
of_names_that_stand_twice_the_last_counts(void **state)
{
	(void)state;
	is_read_as("{" V "\"id\":\"longer\",\"method\":\"tools/call\",\"id\":2,\"method\":\"x\"}",
		   "calls m 2");
	is_read_as("{" V "\"id\":1,\"method\":\"x\",\"jsonrpc\":\"1.0\"}", "not");
	is_read_as("{" V "\"id\":1,\"method\":\"x\",\"method\":{}}", "not");
}

static void
other_versions_and_other_json_are_something_else(void **state)
{
	static const char *const bodies[] = {
		"",
		" ",
		"{}",
		"[]",
		"1",
		"null",
		"\"x\"",
		"{\"id\":1,\"method\":\"x\"}",
		"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}",
		"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"x\"}",
		"{" V "\"id\":1,\"method\":5}",
		"{" V "\"id\":1,\"method\":\"x\"",
		"{" V "\"id\":1,\"method\":\"x\"}}",
		"{" V "\"id\":1,\"method\":\"x\"}{}",
		"{" V "\"id\":1,\"method\":\"x\",}",
		"{" V "\"id\" 1,\"method\":\"x\"}",
		"{" V "\"id\":1 \"method\":\"x\"}",
		"{" V "\"id\":1,\"method\":\"x\",\"params\":[}",
		"{" V "id:1}",
		"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
		"name=value&jsonrpc=2.0",
		"[{" V "\"id\":1,\"method\":\"x\"}",
		"[{" V "\"id\":1,\"method\":\"x\"},]",
		"[{" V "\"id\":1,\"method\":\"x\"} {" V "\"method\":\"x\"}]",
		"[{" V "\"id\":1,\"method\":\"x\"},1]",
		"[{" V "\"id\":1,\"method\":\"x\"},{}]",
		"[[{" V "\"id\":1,\"method\":\"x\"}]]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		is_read_as(bodies[i], "not");
	assert_string_equal(calls_of("{\0}", 3, 0), "not");
}

static void
batch_keeps_the_order_of_its_calls(void **state)
{
	(void)state;
	is_read_as("[{" V "\"id\":1,\"method\":\"x\"}, {" V "\"method\":\"y\"},\n{" V
		   "\"id\":\"2\",\"method\":\"tools/call\"},{" V "\"id\":1,\"result\":3}]",
		   "calls m 1 t \"2\"");
	is_read_as("[{" V "\"method\":\"x\"},{" V "\"id\":1,\"error\":{}}]", "quiet");
	is_read_as("[{" V "\"id\":5,\"method\":\"tools/call\"}]", "calls t 5");
}

static void
members_of_one_message_do_not_count_for_the_next(void **state)
{
	(void)state;
	is_read_as("[{" V "\"id\":1,\"method\":\"tools/call\"},{\"id\":2,\"method\":\"x\"}]",
		   "not");
	is_read_as("[{" V "\"id\":1,\"method\":\"tools/call\"},{" V "\"id\":2}]", "not");
	is_read_as("[{" V "\"id\":1,\"method\":\"tools/call\"},{" V "\"method\":\"x\"}]",
		   "calls t 1");
}

static enum jsonrpc_kind
kind_with_id_of(unsigned digits)
{
	struct jsonrpc j = {.state = 0};

	read_text(&j, "{" V "\"method\":\"x\",\"id\":");
	for (unsigned i = 0; i < digits; i++)
		read_text(&j, "7");
	read_text(&j, "}");
	return jsonrpc_kind(&j);
}

static void
longest_id_fits(void **state)
{
	(void)state;
	assert_int_equal(kind_with_id_of(JSONRPC_ID_MAX), JSONRPC_CALLS);
	assert_int_equal(kind_with_id_of(JSONRPC_ID_MAX + 1), JSONRPC_NOT);
}

/* A batch of n calls with ids of so many bytes. */
static enum jsonrpc_kind
kind_of_batch(unsigned n, int id_len)
{
	struct jsonrpc j = {.state = 0};
	char message[512];

	for (unsigned i = 0; i < n; i++) {
		snprintf(message, sizeof(message), "%c{" V "\"id\":\"%0*u\",\"method\":\"x\"}",
			 i == 0 ? '[' : ',', id_len - 2, i);
		read_text(&j, message);
	}
	read_text(&j, "]");
	return jsonrpc_kind(&j);
}

static void
largest_batch_fits(void **state)
{
	(void)state;
	assert_int_equal(kind_of_batch(JSONRPC_MESSAGES_MAX, 38), JSONRPC_CALLS);
	assert_int_equal(kind_of_batch(JSONRPC_MESSAGES_MAX + 1, 38), JSONRPC_NOT);
	assert_int_equal(kind_of_batch(JSONRPC_MESSAGES_MAX, 39), JSONRPC_NOT);
	for (int len = 3; len <= JSONRPC_ID_MAX; len++)
		for (unsigned n = 1; n <= JSONRPC_MESSAGES_MAX; n++)
			assert_int_equal(kind_of_batch(n, len),
					 n * (unsigned)(len + 2) <= JSONRPC_IDS_MAX ? JSONRPC_CALLS
										    : JSONRPC_NOT);
}

static void
deep_nesting_costs_nothing(void **state)
{
	struct jsonrpc j = {.state = 0};

	(void)state;
	read_text(&j, "{" V "\"id\":1,\"params\":");
	for (unsigned i = 0; i < 1000000; i++)
		read_text(&j, "[");
	for (unsigned i = 0; i < 1000000; i++)
		read_text(&j, "]");
	read_text(&j, ",\"method\":\"tools/call\"}");
	assert_int_equal(jsonrpc_kind(&j), JSONRPC_CALLS);
}

static void
bytes_that_were_not_seen_make_it_something_else(void **state)
{
	struct jsonrpc j = {.state = 0};

	(void)state;
	jsonrpc_read(&j, NULL, 0);
	read_text(&j, "{" V "\"id\":1,\"method\":\"x\"}");
	assert_int_equal(jsonrpc_kind(&j), JSONRPC_CALLS);
	jsonrpc_read(&j, NULL, 1);
	assert_int_equal(jsonrpc_kind(&j), JSONRPC_NOT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_and_method_are_found_in_any_order),
		cmocka_unit_test(ids_are_kept_as_they_are_written),
		cmocka_unit_test(what_cannot_be_an_id_makes_it_something_else),
		cmocka_unit_test(call_without_an_id_wants_no_answer),
		cmocka_unit_test(answer_to_the_other_side_wants_no_answer),
		cmocka_unit_test(what_is_nested_is_not_looked_at),
		cmocka_unit_test(names_and_methods_may_be_escaped),
		cmocka_unit_test(of_names_that_stand_twice_the_last_counts),
		cmocka_unit_test(other_versions_and_other_json_are_something_else),
		cmocka_unit_test(batch_keeps_the_order_of_its_calls),
		cmocka_unit_test(members_of_one_message_do_not_count_for_the_next),
		cmocka_unit_test(longest_id_fits),
		cmocka_unit_test(largest_batch_fits),
		cmocka_unit_test(deep_nesting_costs_nothing),
		cmocka_unit_test(bytes_that_were_not_seen_make_it_something_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
