#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <errno.h>

#include "shim/curl_refusal.h"

static const struct curl_refusal refusal = {EHOSTUNREACH, "http://carrier.example/"};

static long
number(CURLINFO info)
{
	long value = 4711;

	assert_true(curl_refusal_info(&refusal, (int)info, &value));
	return value;
}

static const char *
text(CURLINFO info)
{
	const char *value = "stale";

	assert_true(curl_refusal_info(&refusal, (int)info, &value));
	return value;
}

static void
nothing_of_the_transfer_before_is_told(void **state)
{
	double real = 1.5;

	(void)state;
	assert_int_equal(number(CURLINFO_RESPONSE_CODE), 0);
	assert_int_equal(number(CURLINFO_TOTAL_TIME_T), 0);
	assert_int_equal(number(CURLINFO_SIZE_DOWNLOAD_T), 0);
	assert_int_equal(number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), -1);
	assert_int_equal(number(CURLINFO_FILETIME_T), -1);
	assert_int_equal(number(CURLINFO_PRIMARY_PORT), 0);
	assert_true(curl_refusal_info(&refusal, CURLINFO_TOTAL_TIME, &real));
	assert_true(real == 0.0);
	assert_null(text(CURLINFO_CONTENT_TYPE));
	assert_null(text(CURLINFO_REDIRECT_URL));
	assert_string_equal(text(CURLINFO_PRIMARY_IP), "");
}

static void
url_and_errno_are_those_of_the_refusal(void **state)
{
	(void)state;
	assert_string_equal(text(CURLINFO_EFFECTIVE_URL), "http://carrier.example/");
	assert_int_equal(number(CURLINFO_OS_ERRNO), EHOSTUNREACH);
}

static void
there_is_no_socket_and_no_certificate(void **state)
{
	struct curl_certinfo *certificates = NULL;
	curl_socket_t socket = 3;

	(void)state;
	assert_true(curl_refusal_info(&refusal, CURLINFO_ACTIVESOCKET, &socket));
	assert_int_equal(socket, CURL_SOCKET_BAD);
	assert_true(curl_refusal_info(&refusal, CURLINFO_CERTINFO, &certificates));
	assert_int_equal(certificates->num_of_certs, 0);
}

static void
what_is_of_the_handle_is_left_to_libcurl(void **state)
{
	static const CURLINFO infos[] = {CURLINFO_PRIVATE,	    CURLINFO_COOKIELIST,
					 CURLINFO_SSL_ENGINES,	    CURLINFO_CAINFO,
					 CURLINFO_EFFECTIVE_METHOD, CURLINFO_TLS_SSL_PTR};
	void *value = &value;

	(void)state;
	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++)
		assert_false(curl_refusal_info(&refusal, (int)infos[i], &value));
	assert_ptr_equal(value, &value);
}

static void
infos_that_nobody_knows_are_zero_or_left_alone(void **state)
{
	long value = 1;

	(void)state;
	assert_int_equal(number((CURLINFO)(CURLINFO_LONG + 999)), 0);
	assert_false(curl_refusal_info(&refusal, CURLINFO_SLIST + 999, &value));
	assert_false(curl_refusal_info(&refusal, 0, &value));
	assert_false(curl_refusal_info(&refusal, CURLINFO_RESPONSE_CODE, NULL));
}

static const struct curl_refusal over_tls = {0, "HTTPS://carrier.example/a"};
static const struct curl_refusal over_tcp = {0, "http://carrier.example/a"};

static void
an_answer_is_told_as_one_that_took_the_programs_own_way(void **state)
{
	const char *url = "http://carrier.example/a", *scheme = "HTTP", *address = "/a/socket";
	long protocol = CURLPROTO_HTTP;

	(void)state;
	curl_answer_info(&over_tls, CURLINFO_EFFECTIVE_URL, &url);
	curl_answer_info(&over_tls, CURLINFO_PRIMARY_IP, &address);
	curl_answer_info(&over_tls, CURLINFO_PROTOCOL, &protocol);
	curl_answer_info(&over_tls, CURLINFO_SCHEME, &scheme);
	assert_string_equal(url, over_tls.url);
	assert_string_equal(address, "");
	assert_int_equal(protocol, CURLPROTO_HTTPS);
	assert_string_equal(scheme, "HTTPS");
	scheme = "http";
	curl_answer_info(&over_tls, CURLINFO_SCHEME, &scheme);
	assert_string_equal(scheme, "https");
}

static void
of_an_answer_the_rest_is_libcurls_own(void **state)
{
	const char *scheme = "HTTP", *none = NULL;
	long protocol = CURLPROTO_HTTP, status = 424;

	(void)state;
	curl_answer_info(&over_tcp, CURLINFO_SCHEME, &scheme);
	curl_answer_info(&over_tcp, CURLINFO_PROTOCOL, &protocol);
	curl_answer_info(&over_tls, CURLINFO_RESPONSE_CODE, &status);
	curl_answer_info(&over_tls, CURLINFO_SCHEME, &none);
	curl_answer_info(&over_tls, CURLINFO_EFFECTIVE_URL, NULL);
	assert_string_equal(scheme, "HTTP");
	assert_int_equal(protocol, CURLPROTO_HTTP);
	assert_int_equal(status, 424);
	assert_null(none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_the_transfer_before_is_told),
		cmocka_unit_test(url_and_errno_are_those_of_the_refusal),
		cmocka_unit_test(there_is_no_socket_and_no_certificate),
		cmocka_unit_test(what_is_of_the_handle_is_left_to_libcurl),
		cmocka_unit_test(infos_that_nobody_knows_are_zero_or_left_alone),
		cmocka_unit_test(an_answer_is_told_as_one_that_took_the_programs_own_way),
		cmocka_unit_test(of_an_answer_the_rest_is_libcurls_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
