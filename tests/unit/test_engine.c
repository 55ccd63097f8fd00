#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/engine.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define T0 (100 * S)
#define MEMORY 65536

static struct state shared;
static struct engine engine;
static struct helper_command command; /* no path: no helper can be run */
static struct ruleset rules;
static char memory[MEMORY] __attribute__((aligned(16)));
static char text[4096];
static uint32_t breaker;
static struct sockaddr_in there;

static void
no_error(void *context, unsigned line, const char *error)
{
	(void)context;
	fail_msg("line %u: %s", line, error);
}

/* A breaker of section svc with these settings, tripped at T0. */
static void
begin(const char *settings)
{
	int len = snprintf(text, sizeof(text),
			   "[svc]\nmatch = 127.0.0.1\nconsecutive = 1\ncooldown = 10s\n"
			   "cooldown_jitter = 0%%\nramp = 0s\n%s\n",
			   settings);

	memset(&shared, 0, sizeof(shared));
	memset(&engine, 0, sizeof(engine));
	assert_true(rules_memory(text, (size_t)len) <= sizeof(memory));
	assert_true(rules_parse(&rules, text, (size_t)len, memory, no_error, NULL));
	assert_int_equal(
		state_breaker(&shared, "svc", settings_hash(&rules.sections[0].settings), &breaker),
		STATE_FOUND);
	engine_init(&engine, &rules, &command);
	engine_serve(&engine, &shared, false);
}

static struct breaker_ref
ref(void)
{
	return state_ref(&shared, breaker, &rules.sections[0].settings.breaker);
}

static void
trip(void)
{
	struct transitions tr = {.n = 0};
	struct breaker_ref r = ref();
	struct ticket t;

	assert_true(breaker_admit(&r, T0, 0, &t, &tr));
	breaker_end(&r, &t, T0, 0, OUTCOME_FAIL, 0, &tr);
	assert_int_equal(tr.v[0].to, BREAKER_OPEN);
}

static struct breaker_snapshot
look(uint64_t now_ns)
{
	struct breaker_snapshot out;
	struct breaker_ref r = ref();

	breaker_look(&r, now_ns, &out);
	return out;
}

/* A loopback port; listens says whether somebody is there. */
static int
port(int listens)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(there);

	there = (struct sockaddr_in){.sin_family = AF_INET};
	there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&there, sizeof(there)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&there, &len), 0);
	if (listens)
		assert_int_equal(listen(fd, 16), 0);
	return fd;
}

static void
failed_there(void)
{
	struct state_where w = {.port = ntohs(there.sin_port), .count = 1};

	dest_addr_set(&w.addr[0], 4, (const uint8_t *)&there.sin_addr);
	state_put_where(&shared, breaker, &w);
}

/* Rounds at one and the same time until the sockets have no more news. */
static uint64_t
step(uint64_t now_ns)
{
	uint64_t wait_ns = engine_step(&engine, now_ns);

	for (int i = 0; i < 5; i++) {
		engine_wait(&engine, 10 * MS, NULL, -1);
		wait_ns = engine_step(&engine, now_ns);
	}
	return wait_ns;
}

static void
nothing_is_probed_before_the_cooldown_is_over(void **state)
{
	int fd = port(1);

	(void)state;
	begin("");
	failed_there();
	trip();
	assert_int_equal(engine_step(&engine, T0), 100 * MS);
	assert_false(engine_is_idle(&engine));
	assert_int_equal(engine_step(&engine, T0 + 10 * S - 5 * MS), 5 * MS);
	assert_int_equal(look(T0).state, BREAKER_OPEN);
	close(fd);
}

static void
probes_that_connect_close(void **state)
{
	int fd = port(1);

	(void)state;
	begin("probe_successes = 2\nprobe_interval = 1s\n");
	failed_there();
	trip();
	step(T0 + 10 * S);
	assert_int_equal(look(T0 + 10 * S).state, BREAKER_HALF_OPEN);
	step(T0 + 11 * S - MS);
	assert_int_equal(look(T0 + 11 * S).state, BREAKER_HALF_OPEN);
	assert_int_equal(step(T0 + 11 * S), S);
	assert_int_equal(look(T0 + 11 * S).state, BREAKER_CLOSED);
	assert_true(engine_is_idle(&engine));
	assert_int_equal(shared.reports[breaker].probes, 2);
	close(fd);
}

static void
a_refused_probe_opens_again_for_twice_as_long(void **state)
{
	int fd = port(0);

	(void)state;
	begin("");
	failed_there();
	trip();
	step(T0 + 10 * S);
	assert_int_equal(look(T0).state, BREAKER_OPEN);
	assert_int_equal(look(T0).reason, REASON_PROBE_FAILED);
	assert_int_equal(look(T0).cooldown_ms, 20000);
	close(fd);
}

/* A listener whose queue is full neither accepts nor refuses. */
static void
a_probe_that_hangs_ends_with_its_lease(void **state)
{
	int fd = port(0), fillers[8];

	(void)state;
	assert_int_equal(listen(fd, 0), 0);
	for (int i = 0; i < 8; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(fillers[i], (struct sockaddr *)&there, sizeof(there));
	}
	begin("probe_timeout = 3s\n");
	failed_there();
	trip();
	step(T0 + 10 * S);
	assert_int_equal(look(T0).state, BREAKER_HALF_OPEN);
	step(T0 + 13 * S - MS);
	assert_int_equal(look(T0).state, BREAKER_HALF_OPEN);
	step(T0 + 13 * S + MS);
	assert_int_equal(look(T0).state, BREAKER_OPEN);
	assert_int_equal(look(T0).reason, REASON_LEASE_EXPIRED);
	/* The cooldown counts from the lease's end. */
	assert_int_equal(look(T0 + 13 * S).retry_in_ns, 20 * S);
	assert_false(engine.probe[0].is_used);
	for (int i = 0; i < 8; i++)
		close(fillers[i]);
	close(fd);
}

static void
one_address_that_connects_is_enough(void **state)
{
	int fd = port(1);
	struct state_where w = {.port = ntohs(there.sin_port), .count = 3};

	(void)state;
	begin("probe_successes = 1\n");
	dest_addr_parse((struct span){"127.0.0.2", 9}, &w.addr[0]);
	dest_addr_parse((struct span){"::1", 3}, &w.addr[1]);
	dest_addr_parse((struct span){"127.0.0.1", 9}, &w.addr[2]);
	state_put_where(&shared, breaker, &w);
	trip();
	step(T0 + 10 * S);
	assert_int_equal(look(T0).state, BREAKER_CLOSED);
	close(fd);
}

static void
what_cannot_be_probed_is_left_to_calls(void **state)
{
	(void)state;
	begin("probe_successes = 1\n");
	trip();
	step(T0 + 10 * S);
	assert_int_equal(look(T0).state, BREAKER_CLOSED);
}

static void
a_url_without_a_helper_is_a_connect(void **state)
{
	int fd = port(0);

	(void)state;
	begin("probe = http://127.0.0.1:1/\n");
	failed_there();
	trip();
	for (int i = 0; i < 100 && look(T0).reason != REASON_PROBE_FAILED; i++)
		step(T0 + 10 * S);
	assert_int_equal(look(T0).reason, REASON_PROBE_FAILED);
	close(fd);
}

static void
two_engines_make_one_probe(void **state)
{
	static struct engine other;
	int fd = port(1);

	(void)state;
	begin("probe_successes = 1\n");
	memset(&other, 0, sizeof(other));
	engine_init(&other, &rules, &command);
	engine_serve(&other, &shared, true);
	failed_there();
	trip();
	engine_step(&engine, T0 + 10 * S);
	engine_step(&other, T0 + 10 * S);
	assert_false(other.probe[0].is_used);
	step(T0 + 10 * S);
	assert_int_equal(shared.reports[breaker].probes, 1);
	assert_true(state_has_prober(&shared, T0 + 10 * S));
	close(fd);
}

static void
a_stopped_engine_frees_its_probe(void **state)
{
	int fd = port(0), fillers[8];

	(void)state;
	assert_int_equal(listen(fd, 0), 0);
	for (int i = 0; i < 8; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(fillers[i], (struct sockaddr *)&there, sizeof(there));
	}
	begin("probe_timeout = 1m\nprobe_interval = 1s\n");
	failed_there();
	trip();
	step(T0 + 10 * S);
	engine_stop(&engine, T0 + 11 * S);
	assert_int_equal(look(T0).state, BREAKER_HALF_OPEN);
	assert_int_equal(look(T0 + 11 * S).retry_in_ns, S);
	for (int i = 0; i < 8; i++)
		close(fillers[i]);
	close(fd);
}

static void
a_forked_child_frees_the_probes_of_its_private_copy(void **state)
{
	int fd = port(1);

	(void)state;
	begin("probe_timeout = 0s\nprobe_interval = 1s\nprobe_successes = 9\n");
	failed_there();
	trip();
	engine_step(&engine, T0 + 10 * S);
	engine.probe[0].is_used = true; /* whether it had ended or not */
	engine_after_fork(&engine, T0 + 20 * S);
	assert_false(engine.probe[0].is_used);
	assert_true(look(T0 + 20 * S).retry_in_ns <= S);
	close(fd);
}

static void
a_breaker_under_other_rules_is_left_alone(void **state)
{
	struct breaker_ref r;
	struct breaker_snapshot out;
	struct transitions tr = {.n = 0};
	uint32_t index;
	struct ticket t;

	(void)state;
	begin("");
	assert_int_equal(state_breaker(&shared, "svc/eu", 4711, &index), STATE_FOUND);
	r = state_ref(&shared, index, &rules.sections[0].settings.breaker);
	assert_true(breaker_admit(&r, T0, 0, &t, &tr));
	breaker_end(&r, &t, T0, 0, OUTCOME_FAIL, 0, &tr);
	step(T0 + 60 * S);
	breaker_look(&r, T0 + 60 * S, &out);
	assert_int_equal(out.state, BREAKER_OPEN);
	assert_true(engine_is_idle(&engine));
}

static void
calls_that_probe_need_no_engine(void **state)
{
	(void)state;
	begin("probe = call\n");
	trip();
	step(T0 + 60 * S);
	assert_int_equal(look(T0).state, BREAKER_OPEN);
	assert_true(engine_is_idle(&engine));
	assert_false(engine_is_for(&rules.sections[0].settings));
}

static void
an_alert_is_claimed_once_and_a_failure_does_not_repeat_it(void **state)
{
	(void)state;
	begin("alert = http://127.0.0.1:1/\nprobe = call\n");
	engine_step(&engine, T0);
	assert_int_equal(state_told(&shared, breaker), 0);
	trip();
	step(T0);
	assert_int_equal(state_told(&shared, breaker), look(T0).generation + 1);
	for (int i = 0; i < 100 && engine.alert[0].is_used; i++)
		step(T0);
	assert_false(engine.alert[0].is_used);
	step(T0 + S);
	for (unsigned i = 0; i < ENGINE_ALERTS; i++)
		assert_false(engine.alert[i].is_used);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_probed_before_the_cooldown_is_over),
		cmocka_unit_test(probes_that_connect_close),
		cmocka_unit_test(a_refused_probe_opens_again_for_twice_as_long),
		cmocka_unit_test(a_probe_that_hangs_ends_with_its_lease),
		cmocka_unit_test(one_address_that_connects_is_enough),
		cmocka_unit_test(what_cannot_be_probed_is_left_to_calls),
		cmocka_unit_test(a_url_without_a_helper_is_a_connect),
		cmocka_unit_test(two_engines_make_one_probe),
		cmocka_unit_test(a_stopped_engine_frees_its_probe),
		cmocka_unit_test(a_forked_child_frees_the_probes_of_its_private_copy),
		cmocka_unit_test(a_breaker_under_other_rules_is_left_alone),
		cmocka_unit_test(calls_that_probe_need_no_engine),
		cmocka_unit_test(an_alert_is_claimed_once_and_a_failure_does_not_repeat_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
