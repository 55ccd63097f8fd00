#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <errno.h>

#include "shim/curl_outcome.h"

static const struct status_ranges server_errors = {1, {{500, 599}}};

static enum outcome
outcome_of(int code, unsigned status)
{
	const struct curl_end e = {.code = code, .status = status};

	return curl_outcome(&e, &server_errors);
}

static const char *
detail_of(int code, unsigned status)
{
	static char text[CURL_DETAIL_MAX];
	const struct curl_end e = {.code = code, .status = status};

	curl_detail(&e, &server_errors, text);
	return text;
}

static void
an_answer_is_ok(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(CURLE_OK, 0), OUTCOME_OK);
	assert_int_equal(outcome_of(CURLE_OK, 200), OUTCOME_OK);
	assert_int_equal(outcome_of(CURLE_OK, 404), OUTCOME_OK);
	assert_int_equal(outcome_of(CURLE_OK, 429), OUTCOME_OK);
	assert_int_equal(outcome_of(CURLE_HTTP_RETURNED_ERROR, 404), OUTCOME_OK);
	assert_int_equal(outcome_of(CURLE_REMOTE_FILE_NOT_FOUND, 0), OUTCOME_OK);
}

static void
a_status_that_fails_fails_whatever_came_after_it(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(CURLE_OK, 500), OUTCOME_FAIL);
	assert_int_equal(outcome_of(CURLE_HTTP_RETURNED_ERROR, 599), OUTCOME_FAIL);
	assert_int_equal(outcome_of(CURLE_WRITE_ERROR, 503), OUTCOME_FAIL);
	assert_int_equal(outcome_of(CURLE_ABORTED_BY_CALLBACK, 503), OUTCOME_FAIL);
}

static void
what_says_something_of_the_dependency_fails(void **state)
{
	static const int codes[] = {
		CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
		CURLE_SSL_CONNECT_ERROR,    CURLE_PEER_FAILED_VERIFICATION,
		CURLE_OPERATION_TIMEDOUT,   CURLE_SEND_ERROR,
		CURLE_RECV_ERROR,	    CURLE_GOT_NOTHING,
		CURLE_PARTIAL_FILE,	    CURLE_HTTP2,
		CURLE_HTTP2_STREAM,	    CURLE_HTTP3,
		CURLE_QUIC_CONNECT_ERROR,   CURLE_PROXY,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_int_equal(outcome_of(codes[i], 0), OUTCOME_FAIL);
	assert_int_equal(outcome_of(CURLE_PARTIAL_FILE, 200), OUTCOME_FAIL);
}

static void
what_is_local_is_neutral(void **state)
{
	static const int codes[] = {
		CURLE_UNSUPPORTED_PROTOCOL, CURLE_FAILED_INIT,
		CURLE_URL_MALFORMAT,	    CURLE_WRITE_ERROR,
		CURLE_READ_ERROR,	    CURLE_OUT_OF_MEMORY,
		CURLE_ABORTED_BY_CALLBACK,  CURLE_INTERFACE_FAILED,
		CURLE_TOO_MANY_REDIRECTS,   CURLE_SSL_CERTPROBLEM,
		CURLE_SSL_CACERT_BADFILE,   CURLE_RECURSIVE_API_CALL,
		CURLE_SSL_CLIENTCERT,	    CURLE_COULDNT_RESOLVE_PROXY,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_int_equal(outcome_of(codes[i], 200), OUTCOME_NEUTRAL);
}

static void
a_code_that_nobody_knows_is_neutral(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(102, 0), OUTCOME_NEUTRAL);
	assert_int_equal(outcome_of(4711, 200), OUTCOME_NEUTRAL);
	assert_int_equal(outcome_of(-1, 0), OUTCOME_NEUTRAL);
}

static void
no_connection_for_local_want_is_neutral(void **state)
{
	const struct curl_end want = {.code = CURLE_COULDNT_CONNECT, .local_errno = true};
	const struct curl_end missing = {.code = CURLE_COULDNT_RESOLVE_HOST, .name_missing = true};

	(void)state;
	assert_int_equal(curl_outcome(&want, &server_errors), OUTCOME_NEUTRAL);
	assert_int_equal(curl_outcome(&missing, &server_errors), OUTCOME_NEUTRAL);
	assert_true(curl_errno_is_local(EMFILE));
	assert_true(curl_errno_is_local(EADDRNOTAVAIL));
	assert_true(curl_errno_is_local(EACCES));
	assert_false(curl_errno_is_local(0));
	assert_false(curl_errno_is_local(ECONNREFUSED));
	assert_false(curl_errno_is_local(ENETUNREACH));
	assert_false(curl_errno_is_local(ETIMEDOUT));
}

static void
detail_is_what_decided(void **state)
{
	(void)state;
	assert_string_equal(detail_of(CURLE_OK, 200), "200");
	assert_string_equal(detail_of(CURLE_OK, 0), "curl-0");
	assert_string_equal(detail_of(CURLE_HTTP_RETURNED_ERROR, 404), "404");
	assert_string_equal(detail_of(CURLE_WRITE_ERROR, 503), "503");
	assert_string_equal(detail_of(CURLE_WRITE_ERROR, 200), "curl-23");
	assert_string_equal(detail_of(CURLE_OPERATION_TIMEDOUT, 0), "curl-28");
	assert_string_equal(detail_of(CURLE_PARTIAL_FILE, 200), "curl-18");
	assert_string_equal(detail_of(-2147483647 - 1, 0), "curl--214748364");
}

static void
a_time_out_that_was_mostly_spent_in_the_queue_is_neutral(void **state)
{
	struct curl_end e = {.code = CURLE_OPERATION_TIMEDOUT, .was_held = true};

	(void)state;
	assert_int_equal(curl_outcome(&e, &server_errors), OUTCOME_NEUTRAL);
	e.status = 503;
	assert_int_equal(curl_outcome(&e, &server_errors), OUTCOME_FAIL);
}

static void
the_end_of_a_kept_connection_is_neutral(void **state)
{
	const int ends[] = {CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING};
	struct curl_end e = {.is_stale = true};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		e.code = ends[i];
		assert_int_equal(curl_outcome(&e, &server_errors), OUTCOME_NEUTRAL);
	}
	e.code = CURLE_OPERATION_TIMEDOUT;
	assert_int_equal(curl_outcome(&e, &server_errors), OUTCOME_FAIL);
}

static enum outcome
left_outcome(struct curl_left l)
{
	return curl_left_outcome(&l, &server_errors);
}

static void
who_gives_up_after_a_second_tells_of_a_failure(void **state)
{
	(void)state;
	assert_int_equal(left_outcome((struct curl_left){.waited_ns = 1000000000}), OUTCOME_FAIL);
	assert_int_equal(left_outcome((struct curl_left){.waited_ns = 999999999}), OUTCOME_NEUTRAL);
}

static void
who_leaves_for_reasons_of_his_own_says_nothing(void **state)
{
	const uint64_t long_ns = UINT64_C(60000000000);

	(void)state;
	assert_int_equal(left_outcome((struct curl_left){.waited_ns = long_ns, .has_answer = true}),
			 OUTCOME_NEUTRAL);
	assert_int_equal(left_outcome((struct curl_left){.waited_ns = long_ns, .is_sending = true}),
			 OUTCOME_NEUTRAL);
	assert_int_equal(left_outcome((struct curl_left){.waited_ns = long_ns, .was_held = true}),
			 OUTCOME_NEUTRAL);
}

static void
who_leaves_an_answer_that_fails_tells_of_its_status(void **state)
{
	const struct curl_left bad = {.has_answer = true, .status = 503};
	const struct curl_left good = {.has_answer = true, .status = 200};
	const struct curl_left none = {.waited_ns = 5};
	char text[CURL_DETAIL_MAX];

	(void)state;
	assert_int_equal(curl_left_outcome(&bad, &server_errors), OUTCOME_FAIL);
	curl_left_detail(&bad, &server_errors, text);
	assert_string_equal(text, "503");
	curl_left_detail(&good, &server_errors, text);
	assert_string_equal(text, "left");
	curl_left_detail(&none, &server_errors, text);
	assert_string_equal(text, "gave-up");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_ok),
		cmocka_unit_test(a_status_that_fails_fails_whatever_came_after_it),
		cmocka_unit_test(what_says_something_of_the_dependency_fails),
		cmocka_unit_test(what_is_local_is_neutral),
		cmocka_unit_test(a_code_that_nobody_knows_is_neutral),
		cmocka_unit_test(no_connection_for_local_want_is_neutral),
		cmocka_unit_test(detail_is_what_decided),
		cmocka_unit_test(a_time_out_that_was_mostly_spent_in_the_queue_is_neutral),
		cmocka_unit_test(the_end_of_a_kept_connection_is_neutral),
		cmocka_unit_test(who_gives_up_after_a_second_tells_of_a_failure),
		cmocka_unit_test(who_leaves_for_reasons_of_his_own_says_nothing),
		cmocka_unit_test(who_leaves_an_answer_that_fails_tells_of_its_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
