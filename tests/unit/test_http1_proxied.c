#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/http1.h"

/* The request names this host and port, but no beginning of its first line does. */
static void
assert_proxied(const char *request, const char *host, unsigned port, bool is_connect)
{
	size_t line = (size_t)(strrchr(request, '\n') - request) + 1;
	struct span found;
	uint16_t found_port;
	bool found_connect;

	assert_true(http1_proxied(request, strlen(request), &found, &found_port, &found_connect));
	assert_int_equal(found.len, strlen(host));
	assert_memory_equal(found.at, host, found.len);
	assert_int_equal(found_port, port);
	assert_int_equal(found_connect, is_connect);
	for (size_t size = 0; size < line; size++)
		assert_false(http1_proxied(request, size, &found, &found_port, &found_connect));
}

static void
connect_names_host_and_port(void **state)
{
	(void)state;
	assert_proxied("CONNECT api.example:443 HTTP/1.1\r\n", "api.example", 443, true);
	assert_proxied("\r\nCONNECT 192.0.2.1:8443 HTTP/1.0\n", "192.0.2.1", 8443, true);
	assert_proxied("CONNECT [2001:db8::1]:443 HTTP/1.1\r\n", "2001:db8::1", 443, true);
}

static void
absolute_target_names_a_host(void **state)
{
	(void)state;
	assert_proxied("GET http://api.example/ HTTP/1.1\r\n", "api.example", 0, false);
	assert_proxied("GET HTTP://api.example HTTP/1.1\r\n", "api.example", 0, false);
	assert_proxied("POST http://api.example:8080/a:b@c HTTP/1.1\r\n", "api.example", 8080,
		       false);
	assert_proxied("GET http://[::1]:81?q HTTP/1.1\r\n", "::1", 81, false);
	assert_proxied("GET http://[::1]/ HTTP/1.1\r\n", "::1", 0, false);
	assert_proxied("GET http://user:pa@ss@api.example:81#f HTTP/1.1\r\n", "api.example", 81,
		       false);
	assert_proxied("GET http://api.example:/ HTTP/1.1\r\n", "api.example", 0, false);
}

static void
other_requests_name_none(void **state)
{
	static const char *const requests[] = {
		"GET / HTTP/1.1\r\n",
		"GET ftp://api.example/ HTTP/1.1\r\n",
		"GET http:/api.example HTTP/1.1\r\n",
		"GET http:// HTTP/1.1\r\n",
		"GET http://:80/ HTTP/1.1\r\n",
		"GET http://a:b/ HTTP/1.1\r\n",
		"GET http://a:65536/ HTTP/1.1\r\n",
		"GET http://[::1/ HTTP/1.1\r\n",
		"GET http://[::1]x/ HTTP/1.1\r\n",
		"GET http://user@/ HTTP/1.1\r\n",
		"GET http://a/\r\n",
		"GET http://a/ HTTP/2.0\r\n",
		"CONNECT api.example HTTP/1.1\r\n",
		"CONNECT :443 HTTP/1.1\r\n",
		"CONNECTED a:443 HTTP/1.1\r\n",
		"CONNECT\r\n",
		"",
		"\r\n\r\n",
		"\x16\x03\x01\x02\n",
	};
	struct span host;
	uint16_t port;
	bool is_connect;

	(void)state;
	for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (http1_proxied(requests[i], strlen(requests[i]), &host, &port, &is_connect))
			fail_msg("%s is taken for a request for a proxy", requests[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connect_names_host_and_port),
		cmocka_unit_test(absolute_target_names_a_host),
		cmocka_unit_test(other_requests_name_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
