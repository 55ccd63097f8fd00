#include "tests/unit/tls_support.h"

static const struct tls_words plain = {.version = TLS_1_3, .cipher = 0x1302};

static struct tls_hello
read_in_parts(bool is_client, const struct tls_words *w, size_t part)
{
	struct tls_hello h = {.is_server = !is_client};
	struct tls_bytes b;
	enum tls_hello_progress progress = TLS_HELLO_MORE;

	tls_put_hello(&b, is_client, w);
	for (size_t at = 0; at < b.size; at += part) {
		assert_int_equal(progress, TLS_HELLO_MORE);
		progress = tls_hello_read(&h, (const char *)b.at + at,
					  b.size - at < part ? b.size - at : part);
	}
	assert_int_equal(progress, TLS_HELLO_DONE);
	assert_true(tls_hello_is_done(&h));
	return h;
}

static struct tls_hello
read_whole(bool is_client, const struct tls_words *w)
{
	struct tls_hello whole = read_in_parts(is_client, w, 1024);

	for (size_t part = 1; part < 50; part++) {
		struct tls_hello again = read_in_parts(is_client, w, part);

		assert_memory_equal(&again, &whole, sizeof(again));
	}
	return whole;
}

static void
client_hello_tells_its_random(void **state)
{
	(void)state;
	static const uint8_t random[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct tls_hello h = read_whole(true, &plain);

	assert_memory_equal(&h.random, random, sizeof(random));
	assert_int_equal(h.names, 0);
	assert_false(h.has_h2 || h.has_psk);
}

static void
client_hello_tells_what_it_offers(void **state)
{
	(void)state;
	struct tls_words w = plain;

	w.alpn = "\x02h2\x08http/1.1";
	assert_true(read_whole(true, &w).has_h2);
	w.alpn = "\x08http/1.1\x02h2";
	assert_true(read_whole(true, &w).has_h2);
	w.alpn = "\x08http/1.1";
	assert_false(read_whole(true, &w).has_h2);
	w.is_resumed = true;
	assert_true(read_whole(true, &w).has_psk);
}

static void
names_differ_with_what_is_asked_for(void **state)
{
	(void)state;
	struct tls_words a = plain, b = plain, c = plain, d = plain;

	a.name = "api.carrier.example";
	b.name = "api.courier.example";
	c.name = a.name;
	c.alpn = "\x08http/1.1";
	d.name = b.name;
	d.alpn = c.alpn;
	uint32_t names[] = {read_whole(true, &a).names, read_whole(true, &b).names,
			    read_whole(true, &c).names, read_whole(true, &d).names};

	assert_true(names[0] != 0 && names[0] != names[1] && names[0] != names[2]);
	assert_true(names[3] != names[1] && names[3] != names[2]);
	assert_int_equal(read_whole(true, &a).names, names[0]);
}

static void
server_hello_tells_what_it_chose(void **state)
{
	(void)state;
	struct tls_words w = plain;
	struct tls_hello h = read_whole(false, &w);

	assert_int_equal(h.version, TLS_1_3);
	assert_int_equal(h.cipher, 0x1302);
	assert_false(h.has_psk || tls_hello_is_retry(&h));
	w.is_resumed = true;
	assert_true(read_whole(false, &w).has_psk);
	w.is_retry = true;
	h = read_whole(false, &w);
	assert_true(tls_hello_is_retry(&h));
	w = (struct tls_words){.version = 0x0303, .cipher = 0xc02f, .alpn = "\x02h2"};
	h = read_whole(false, &w);
	assert_int_equal(h.version, 0x0303);
	assert_int_equal(h.cipher, 0xc02f);
	assert_true(h.has_h2);
}

static void
another_message_is_no_hello(void **state)
{
	(void)state;
	struct tls_hello client = {0}, server = {.is_server = true};

	assert_int_equal(tls_hello_read(&client, "\x02", 1), TLS_HELLO_BAD);
	assert_int_equal(tls_hello_read(&server, "\x01", 1), TLS_HELLO_BAD);
}

static void
what_was_not_seen_cannot_be_read(void **state)
{
	(void)state;
	struct tls_hello h = {0};

	assert_int_equal(tls_hello_read(&h, "\x01", 1), TLS_HELLO_MORE);
	assert_int_equal(tls_hello_read(&h, NULL, 10), TLS_HELLO_BAD);
}

/* The server's certificate may follow in the same record. */
static void
what_follows_a_hello_is_left_alone(void **state)
{
	(void)state;
	struct tls_hello h = read_whole(false, &plain), before = h;

	assert_int_equal(tls_hello_read(&h, "\x0b\x00\x10", 3), TLS_HELLO_DONE);
	assert_memory_equal(&h, &before, sizeof(h));
}

static void
hello_without_extensions_is_whole(void **state)
{
	(void)state;
	struct tls_words old = {.version = 0x0303, .cipher = 0x002f};

	assert_int_equal(read_whole(false, &old).cipher, 0x002f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_hello_tells_its_random),
		cmocka_unit_test(client_hello_tells_what_it_offers),
		cmocka_unit_test(names_differ_with_what_is_asked_for),
		cmocka_unit_test(server_hello_tells_what_it_chose),
		cmocka_unit_test(another_message_is_no_hello),
		cmocka_unit_test(what_was_not_seen_cannot_be_read),
		cmocka_unit_test(what_follows_a_hello_is_left_alone),
		cmocka_unit_test(hello_without_extensions_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
