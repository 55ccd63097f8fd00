#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/chunked.h"

struct read {
	struct chunked c;
	char data[64];
	size_t len;
	size_t taken;
};

static void
feed(struct read *r, const char *bytes, size_t size)
{
	while (size > 0 && r->c.state < CHUNKED_ENDED) {
		size_t data_size;
		size_t n = chunked_read(&r->c, bytes, size, &data_size);

		assert_true(n > 0 && n <= size);
		assert_true(data_size == 0 || data_size == n);
		assert_true(r->len + data_size <= sizeof(r->data));
		memcpy(r->data + r->len, bytes, data_size);
		r->len += data_size;
		r->taken += n;
		bytes += n;
		size -= n;
	}
}

static void
body_is_found_wherever_it_is_split(void **state)
{
	static const char text[] = "5\r\nhello\r\n00A ;x=\"1\"\r\n, my world\r\n"
				   "1\n!\n0;last\r\nSum: 1\r\nOther: x\r\n\r\nGET /";
	const size_t whole = sizeof(text) - 1 - strlen("GET /");

	(void)state;
	for (size_t cut = 0; cut < sizeof(text) - 1; cut++) {
		struct read r = {.len = 0};

		feed(&r, text, cut);
		feed(&r, text + cut, sizeof(text) - 1 - cut);
		assert_int_equal(r.c.state, CHUNKED_ENDED);
		assert_int_equal(r.taken, whole);
		assert_int_equal(r.len, 16);
		assert_memory_equal(r.data, "hello, my world!", 16);
	}
}

static void
what_is_no_chunk_is_bad(void **state)
{
	static const char *const texts[] = {
		"x",	  "\r\n",    "-1\r\n",	      "1x", "10000000000000000\r\n",
		";a\r\n", "1\r\nab", "1\r\na\r\n\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct read r = {.len = 0};

		feed(&r, texts[i], strlen(texts[i]));
		assert_int_equal(r.c.state, CHUNKED_BAD);
	}
}

static void
largest_size_is_read_whole(void **state)
{
	struct read r = {.len = 0};

	(void)state;
	feed(&r, "7fffffffffffffff\r\n", 18);
	assert_int_equal(r.c.state, CHUNKED_DATA);
	assert_true(r.c.left == INT64_MAX);
}

static void
bytes_that_were_not_seen_may_be_data_only(void **state)
{
	struct read r = {.len = 0};
	size_t data_size;

	(void)state;
	feed(&r, "5\r\n", 3);
	assert_int_equal(chunked_read(&r.c, NULL, 7, &data_size), 5);
	assert_int_equal(data_size, 5);
	assert_int_equal(r.c.state, CHUNKED_DATA_END);
	assert_int_equal(chunked_read(&r.c, NULL, 2, &data_size), 0);
	assert_int_equal(r.c.state, CHUNKED_BAD);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_is_found_wherever_it_is_split),
		cmocka_unit_test(what_is_no_chunk_is_bad),
		cmocka_unit_test(largest_size_is_read_whole),
		cmocka_unit_test(bytes_that_were_not_seen_may_be_data_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
