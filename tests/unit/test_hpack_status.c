#include "tests/unit/http2_support.h"

/* The whole of a block, and what it tells: -1 nothing, -2 that it is none. */
static int
told_by(struct hpack_status *h, const char *bytes, size_t size)
{
	int result = -1;
	enum hpack_told told;

	hpack_status_begin(h);
	for (size_t n = 0; n < size && result != -2;) {
		n += hpack_status_read(h, bytes + n, size - n, &told);
		if (told == HPACK_STATUS)
			result = h->told;
		else if (told == HPACK_BAD)
			result = -2;
	}
	return result != -2 && !hpack_status_is_whole(h) ? -2 : result;
}

/* After the block in digits, in one connection with those before. */
static void
assert_told(struct hpack_status *h, const char *digits, int status)
{
	struct hpack_status bytewise = *h;
	char bytes[400];
	size_t size = from_digits(digits, bytes, sizeof(bytes));
	enum hpack_told told;
	int result = -1;

	hpack_status_begin(&bytewise);
	for (size_t n = 0; n < size && result != -2; n++) {
		assert_int_equal(hpack_status_read(&bytewise, bytes + n, 1, &told), 1);
		if (told != HPACK_NOTHING)
			result = told == HPACK_STATUS ? bytewise.told : -2;
	}
	if (status != -2)
		assert_int_equal(result, status);
	assert_int_equal(told_by(h, bytes, size), status);
}

static void
assert_tells(const char *digits, int status)
{
	struct hpack_status h = {0};

	assert_told(&h, digits, status);
}

static void
static_statuses_are_known(void **state)
{
	(void)state;
	assert_tells("88", 200);
	assert_tells("89", 204);
	assert_tells("8a", 206);
	assert_tells("8b", 304);
	assert_tells("8c", 400);
	assert_tells("8d", 404);
	assert_tells("8e", 500);
	assert_tells("87", -1);
	assert_tells("8f", -1);
}

static void
every_status_is_read_in_digits(void **state)
{
	static const char *const kinds[] = {"48", "08", "18", "4e", "09"};
	char digits[40];

	(void)state;
	for (int status = 100; status <= 999; status++)
		for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			sprintf(digits, "%s 03 3%d3%d3%d", kinds[i], status / 100, status / 10 % 10,
				status % 10);
			assert_tells(digits, status);
		}
}

static void
every_status_is_read_in_huffmans_code(void **state)
{
	char digits[40];

	(void)state;
	for (int status = 100; status <= 999; status++) {
		const int each[] = {status / 100, status / 10 % 10, status % 10};
		uint32_t text = 0;
		unsigned bits = 0;

		for (unsigned i = 0; i < 3; i++) {
			unsigned len = each[i] < 3 ? 5 : 6;

			text = text << len | (uint32_t)(each[i] < 3 ? each[i] : 0x19 + each[i] - 3);
			bits += len;
		}
		for (; bits % 8 != 0; bits++)
			text = text << 1 | 1;
		sprintf(digits, "48 %02x %0*x", 0x80 | bits / 8, (int)(bits / 4), text);
		assert_tells(digits, status);
	}
}

static void
what_is_no_three_digits_is_a_status_that_cannot_be_told(void **state)
{
	(void)state;
	assert_tells("48 00", 0);
	assert_tells("48 02 3230", 0);
	assert_tells("48 04 32303020", 0);
	assert_tells("48 03 326f30", 0);
	assert_tells("48 03 303939", 0);
	assert_tells("48 80", 0);
	assert_tells("48 81 10", 0);
	assert_tells("48 82 1000", 0);
	assert_tells("48 83 1001ff", 0);
	assert_tells("48 84 10010101", 0);
	assert_tells("48 83 ffffff", 0);
}

static void
status_may_be_spelled_out(void **state)
{
	(void)state;
	assert_tells("00 07 3a737461747573 03 323031", 201);
	assert_tells("40 07 3a737461747573 82 1003", 201);
	assert_tells("10 85 b884 8d36 a3 03 343239", 429);
	assert_tells("00 04 64617465 03 323031", -1);
	assert_tells("00 81 8f 03 323031", -1);
	assert_tells("00 00 00", -1);
}

static void
status_is_the_first_field_or_none(void **state)
{
	(void)state;
	assert_tells("20 3fe11f 88", 200);
	assert_tells("40 01 78 00 88", -1);
	assert_tells("88 8e", 200);
	assert_tells("", -1);
	assert_tells("20", -1);
}

/* Appendix C.5 and C.6 of RFC 7541. */
static void
examples_of_the_rfc_are_read(void **state)
{
	struct hpack_status h = {0};

	(void)state;
	assert_told(&h,
		    "4803333032580770726976617465611d4d6f6e2c203231204f63742032303133203230"
		    "3a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d",
		    302);
	assert_told(&h, "4803333037c1c0bf", 307);
	assert_told(&h, "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c0",
		    200);
	h = (struct hpack_status){0};
	assert_told(&h,
		    "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff"
		    "6e919d29ad171863c78f0b97c8e9ae82ae43d3",
		    302);
	assert_told(&h, "4883640effc1c0bf", 307);
	assert_told(&h, "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc0", 200);
}

static void
table_is_counted_however_old_a_status_is(void **state)
{
	struct hpack_status h = {0};
	char digits[20];

	(void)state;
	assert_told(&h, "48 03 353033", 503);
	for (unsigned ago = 1; ago < 65; ago++) {
		assert_told(&h, "40 01 78 01 79", -1);
		sprintf(digits, "%02x", 0x80 | (62 + ago));
		assert_told(&h, digits, 503);
	}
	assert_told(&h, "7f 3f 03 353032", 502);
	assert_told(&h, "be", 502);
	assert_told(&h, "ff 00", 503);
	assert_told(&h, "bf", -1);
	assert_told(&h, "ff 80 80 80 08", -1);
}

static void
fields_that_are_not_put_there_do_not_count(void **state)
{
	struct hpack_status h = {0};

	(void)state;
	assert_told(&h, "48 03 353033 00 01 78 01 79 10 01 78 01 79 0f 2f 01 79 82", 503);
	assert_told(&h, "be", 503);
	assert_told(&h, "08 03 353032", 502);
	assert_told(&h, "be", 503);
}

static void
status_that_was_forgotten_cannot_be_told(void **state)
{
	struct hpack_status h = {0};
	char digits[20];

	(void)state;
	for (unsigned i = 0; i < HPACK_STATUSES; i++) {
		sprintf(digits, "48 03 35303%u", i);
		assert_told(&h, digits, 500 + (int)i);
	}
	assert_told(&h, "c5", 500);
	assert_told(&h, "40 01 78 00", -1);
	assert_told(&h, "be", -1);
	assert_told(&h, "48 03 353039", 509);
	assert_told(&h, "c6", 501);
	assert_told(&h, "c7", 0);
	assert_told(&h, "bf", 0);
}

static void
number_of_an_old_status_is_not_taken_for_a_new_field(void **state)
{
	struct hpack_status h = {0};

	(void)state;
	assert_told(&h, "48 03 353033", 503);
	for (unsigned i = 0; i <= UINT16_MAX; i++)
		assert_int_equal(told_by(&h, "\x40\x01x\0", 4), -1);
	assert_told(&h, "be", -1);
	assert_told(&h, "48 03 353032", 502);
	assert_told(&h, "be", 502);
}

static void
malformed_blocks_are_noticed(void **state)
{
	(void)state;
	assert_tells("80", -2);
	assert_tells("48", -2);
	assert_tells("48 03 3230", -2);
	assert_tells("40 05 78", -2);
	assert_tells("ff", -2);
	assert_tells("ff ffffffffff", -2);
	assert_tells("40 7f ffffffffff 01", -2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(static_statuses_are_known),
		cmocka_unit_test(every_status_is_read_in_digits),
		cmocka_unit_test(every_status_is_read_in_huffmans_code),
		cmocka_unit_test(what_is_no_three_digits_is_a_status_that_cannot_be_told),
		cmocka_unit_test(status_may_be_spelled_out),
		cmocka_unit_test(status_is_the_first_field_or_none),
		cmocka_unit_test(examples_of_the_rfc_are_read),
		cmocka_unit_test(table_is_counted_however_old_a_status_is),
		cmocka_unit_test(fields_that_are_not_put_there_do_not_count),
		cmocka_unit_test(status_that_was_forgotten_cannot_be_told),
		cmocka_unit_test(number_of_an_old_status_is_not_taken_for_a_new_field),
		cmocka_unit_test(malformed_blocks_are_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
