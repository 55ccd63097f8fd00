#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/ports.h"

static void
ports_of_tls_mail_shells_and_databases_speak_other(void **state)
{
	static const int32_t ports[] = {22, 25, 443, 465, 3306, 5432, 6379, 8443, 27017, 33060};

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		assert_true(ports_speak_other(ports[i]));
}

static void
ports_of_http_and_those_without_a_service_do_not(void **state)
{
	static const int32_t ports[] = {-1, 0, 1, 80, 3000, 5000, 8000, 8080, 9000, 11434, 65535};

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		assert_false(ports_speak_other(ports[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_of_tls_mail_shells_and_databases_speak_other),
		cmocka_unit_test(ports_of_http_and_those_without_a_service_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
