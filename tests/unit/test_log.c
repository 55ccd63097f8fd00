#include "logfile_support.h"

#include "sys/log.h"

#define HEAD_MAX 64

/* The last line of the log behind what changes from run to run. */
static const char *
last_line(void)
{
	static char line[4096];
	char head[HEAD_MAX];
	const char *text = content(file);
	size_t len = strlen(text);

	if (len == 0)
		return "";
	while (len > 1 && text[len - 2] != '\n')
		len--;
	snprintf(line, sizeof(line), "%s", text + len - 1);
	snprintf(head, sizeof(head), "cutout[%d] ", (int)getpid());
	if (strncmp(line, head, strlen(head)) == 0)
		return line + strlen(head);
	assert_memory_equal(line, "{\"ts\":\"2", 8);
	snprintf(head, sizeof(head), "\"pid\":%d,", (int)getpid());
	char *from = strstr(line, head);

	assert_non_null(from);
	return from + strlen(head);
}

static void
open_log(const char *level, const char *format)
{
	char spec[128];

	unlink(file);
	snprintf(spec, sizeof(spec), "%s:%s", level, file);
	assert_true(log_open(spec, format));
}

static const struct transition trip = {
	.from = BREAKER_CLOSED,
	.to = BREAKER_OPEN,
	.reason = REASON_FAILURE_RATE,
	.total = 20,
	.failed = 12,
	.slow = 3,
	.p50_ms = 40,
	.p99_ms = 5100,
	.cooldown_ms = 30000,
};

static struct log_call
failed_call(void)
{
	return (struct log_call){
		.breaker = "carrier/eu",
		.edge = "connect",
		.dest = "api.carrier.example:443",
		.outcome = OUTCOME_FAIL,
		.slow = true,
		.detail = "ETIMEDOUT",
		.latency_ns = UINT64_C(5000250000),
	};
}

static void
transition_has_its_fields(void **state)
{
	(void)state;
	open_log("warn", NULL);
	log_transition("carrier/eu", &trip);
	assert_string_equal(last_line(),
			    "warn transition carrier/eu from=closed to=open reason=failure-rate "
			    "total=20 failed=12 slow=3 p50_ms=40 p99_ms=5100 cooldown_ms=30000\n");
	open_log("warn", "json");
	log_transition("carrier/eu", &trip);
	assert_string_equal(
		last_line(),
		"\"level\":\"warn\",\"event\":\"transition\",\"breaker\":\"carrier/eu\","
		"\"from\":\"closed\",\"to\":\"open\",\"reason\":\"failure-rate\","
		"\"total\":20,\"failed\":12,\"slow\":3,\"p50_ms\":40,\"p99_ms\":5100,"
		"\"cooldown_ms\":30000}\n");
}

static void
restart_of_a_cooldown_is_info(void **state)
{
	struct transition restart = trip;

	(void)state;
	restart.from = BREAKER_OPEN;
	restart.reason = REASON_LATE_FAILURE;
	open_log("warn", NULL);
	log_transition("c", &restart);
	assert_string_equal(content(file), "");
	open_log("info", NULL);
	log_transition("c", &restart);
	assert_memory_equal(last_line(), "info transition c from=open to=open", 35);
}

static void
call_has_its_fields(void **state)
{
	struct log_call call = failed_call();

	(void)state;
	open_log("debug", "text");
	log_call(&call);
	assert_string_equal(last_line(), "debug call carrier/eu edge=connect "
					 "dest=api.carrier.example:443 outcome=fail slow=true "
					 "detail=ETIMEDOUT ms=5000.25\n");
	open_log("debug", "json");
	call.outcome = OUTCOME_OK;
	call.slow = false;
	call.detail = NULL;
	log_call(&call);
	assert_string_equal(last_line(),
			    "\"level\":\"debug\",\"event\":\"call\",\"breaker\":\"carrier/eu\","
			    "\"edge\":\"connect\",\"dest\":\"api.carrier.example:443\","
			    "\"outcome\":\"ok\",\"slow\":false,\"detail\":null,\"ms\":5000.25}\n");
}

static void
refuse_has_its_fields(void **state)
{
	(void)state;
	open_log("info", NULL);
	log_refuse("carrier", "curl", "api.carrier.example:443", UINT64_C(29000000001));
	assert_string_equal(last_line(), "info refuse carrier edge=curl "
					 "dest=api.carrier.example:443 retry_in_ms=29001\n");
	open_log("info", "json");
	log_refuse("carrier", "curl", "api.carrier.example:443", 0);
	assert_string_equal(last_line(),
			    "\"level\":\"info\",\"event\":\"refuse\",\"breaker\":\"carrier\","
			    "\"edge\":\"curl\",\"dest\":\"api.carrier.example:443\","
			    "\"retry_in_ms\":0}\n");
}

static void
probe_has_its_fields(void **state)
{
	(void)state;
	open_log("info", NULL);
	log_probe("carrier", "tcp", "192.0.2.1:443", OUTCOME_NEUTRAL, 1250000);
	assert_string_equal(last_line(), "info probe carrier kind=tcp target=192.0.2.1:443 "
					 "outcome=neutral ms=1.25\n");
	open_log("info", "json");
	log_probe("carrier", "url", "https://api.carrier.example/v1?a=b", OUTCOME_OK, 0);
	assert_string_equal(last_line(),
			    "\"level\":\"info\",\"event\":\"probe\",\"breaker\":\"carrier\","
			    "\"kind\":\"url\",\"target\":\"https://api.carrier.example/v1?a=b\","
			    "\"outcome\":\"ok\",\"ms\":0}\n");
}

static void
config_has_its_fields(void **state)
{
	(void)state;
	open_log("debug", NULL);
	log_config("/etc/cutout/rules", 3);
	assert_string_equal(last_line(), "debug config - file=/etc/cutout/rules breakers=3\n");
	open_log("error", "json");
	log_config_error("my rules", 7, "unknown key 'cooldwn'");
	assert_string_equal(
		last_line(),
		"\"level\":\"error\",\"event\":\"config\",\"breaker\":null,"
		"\"file\":\"my rules\",\"error\":\"unknown key 'cooldwn'\",\"line\":7}\n");
}

static void
level_decides_what_is_written(void **state)
{
	static const char *const levels[] = {"off", "error", "warn", "info", "debug"};
	const struct log_call call = failed_call();

	(void)state;
	for (unsigned level = LOG_OFF; level <= LOG_DEBUG; level++) {
		unsigned lines = 0;

		open_log(levels[level], NULL);
		log_config_error("f", 1, "e");
		log_transition("c", &trip);
		log_refuse("c", "connect", "d", 1);
		log_call(&call);
		for (const char *s = content(file); level != LOG_OFF && *s; s++)
			lines += *s == '\n';
		assert_int_equal(lines, level);
		for (unsigned asked = LOG_ERROR; asked <= LOG_DEBUG; asked++)
			assert_int_equal(log_wants((enum log_level)asked), asked <= level);
	}
}

static void
off_opens_no_file(void **state)
{
	(void)state;
	open_log("off", NULL);
	assert_string_equal(content(file), "(no file)");
}

static void
malformed_spec_is_told_and_means_the_default(void **state)
{
	static const char *const bad[] = {"warning", "debug:", ":/tmp/x", "DEBUG", "debug ", "0"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(log_open(bad[i], NULL));
		assert_true(log_wants(LOG_ERROR));
		assert_false(log_wants(LOG_WARN));
	}
	assert_false(log_open("debug", "xml"));
	assert_true(log_wants(LOG_DEBUG));
}

static void
unset_and_empty_mean_the_default(void **state)
{
	(void)state;
	assert_true(log_open(NULL, NULL));
	assert_true(log_wants(LOG_ERROR));
	assert_false(log_wants(LOG_WARN));
	assert_true(log_open("", ""));
	assert_true(log_wants(LOG_ERROR));
	assert_false(log_wants(LOG_WARN));
}

static void
names_of_numbers(void **state)
{
	char buf[24];

	(void)state;
	assert_string_equal(errno_name(ECONNREFUSED, buf), "ECONNREFUSED");
	assert_string_equal(errno_name(EAGAIN, buf), "EAGAIN");
	assert_string_equal(errno_name(EHWPOISON, buf), "EHWPOISON");
	assert_string_equal(errno_name(0, buf), "errno 0");
	assert_string_equal(errno_name(4711, buf), "errno 4711");
	assert_string_equal(errno_name(INT32_MIN, buf), "errno -2147483648");
	assert_string_equal(outcome_name(OUTCOME_NEUTRAL), "neutral");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(transition_has_its_fields),
		TEST(restart_of_a_cooldown_is_info),
		TEST(call_has_its_fields),
		TEST(refuse_has_its_fields),
		TEST(probe_has_its_fields),
		TEST(config_has_its_fields),
		TEST(level_decides_what_is_written),
		TEST(off_opens_no_file),
		TEST(malformed_spec_is_told_and_means_the_default),
		TEST(unset_and_empty_mean_the_default),
		TEST(names_of_numbers),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
