#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/accept.h"

static struct accept
accept_of(const char *line)
{
	struct accept a = {0, 0, 0, 0, 0};

	accept_read(&a, (struct span){line, (uint32_t)strlen(line)});
	return a;
}

static void
text_is_preferred_where_it_weighs_more(void **state)
{
	static const char *const lines[] = {
		"text/plain",
		"text/*",
		"TEXT/Plain; Charset=utf-8",
		/* Browsers, Java, jQuery, wget of old. */
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
		"text/plain, */*; q=0.01",
		"text/html, */*",
		"application/json;q=0.5, text/plain",
		"text/plain;q=0.9, application/*;q=0.8",
		"application/problem+json;q=0.1, text/markdown;q=0.2",
		"application/json;q=0, */*",
		"text/plain;q=0.001",
		"a/b;x=\"text/plain, application/json\\\", c/d\", text/plain",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct accept a = accept_of(lines[i]);

		assert_true(accept_prefers_text(&a));
	}
}

static void
json_is_the_answer_otherwise(void **state)
{
	static const char *const lines[] = {
		"",
		",,;,",
		"*/*",
		"*/*;q=0.1",
		"application/json",
		"application/json, text/plain, */*",
		"text/plain, application/json",
		"application/json, text/plain;q=0.9",
		"text/plain;q=0.5, application/json;q=0.51",
		"text/plain;q=0.3, */*",
		"application/*, text/plain",
		"application/vnd.api+json, text/plain",
		"application/json, text/event-stream",
		"text/event-stream",
		"application/json ; q=0.5 , text/plain ; q=0.500",
		"image/png",
		"text/plain;q=0",
		"text/plain;q=0, application/json;q=0",
		"texts/plain",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct accept a = accept_of(lines[i]);

		assert_false(accept_prefers_text(&a));
	}
}

static void
lines_are_read_as_one(void **state)
{
	struct accept a = accept_of("text/plain;q=0.5");

	(void)state;
	assert_true(accept_prefers_text(&a));
	accept_read(&a, (struct span){"application/json", 16});
	assert_false(accept_prefers_text(&a));
}

static void
weights_are_thousandths(void **state)
{
	static const struct {
		const char *line;
		int weight;
	} rows[] = {{"*/*", 1000},	  {"*/*;q=1", 1000},	  {"*/*;q=1.000", 1000},
		    {"*/*;q=0", 0},	  {"*/*;q=0.", 0},	  {"*/*;q=0.000", 0},
		    {"*/*;q=0.123", 123}, {"*/*;Q=0.1239", 123},  {"*/*;q=.7", 700},
		    {"*/*;q=1.9", 1000},  {"*/*;q=x", 1000},	  {"*/*;q=", 1000},
		    {"*/*;q=-1", 1000},	  {"*/*;v=1;q=0.5", 500}, {"*/*;q=0.x", 1000}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(accept_of(rows[i].line).any, rows[i].weight + 1);
}

static void
event_streams_are_wanted_by_name_alone(void **state)
{
	struct accept a = accept_of("application/json, text/event-stream");

	(void)state;
	assert_true(accept_wants_events(&a));
	a = accept_of("text/*, */*, text/event-stream;q=0");
	assert_false(accept_wants_events(&a));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_preferred_where_it_weighs_more),
		cmocka_unit_test(json_is_the_answer_otherwise),
		cmocka_unit_test(lines_are_read_as_one),
		cmocka_unit_test(weights_are_thousandths),
		cmocka_unit_test(event_streams_are_wanted_by_name_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
