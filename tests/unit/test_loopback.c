#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim/loopback.h"
#include "sys/highfd.h"

struct asked {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} as;
};

static struct asked
ipv4(void)
{
	struct asked a = {.as.v4 = {.sin_family = AF_INET, .sin_port = htons(80)}};

	a.as.v4.sin_addr.s_addr = inet_addr("192.0.2.1");
	return a;
}

static struct asked
ipv6(const char *text)
{
	struct asked a = {.as.v6 = {.sin6_family = AF_INET6, .sin6_port = htons(80)}};

	assert_int_equal(inet_pton(AF_INET6, text, &a.as.v6.sin6_addr), 1);
	return a;
}

/* What goes in at one end comes out at the other, both ways; then both are closed. */
static void
talk_and_close(int fd, const struct loopback *l)
{
	char byte = 0;

	fcntl(fd, F_SETFL, 0);
	fcntl(l->peer, F_SETFL, 0);
	assert_int_equal(write(fd, "a", 1), 1);
	assert_int_equal(read(l->peer, &byte, 1), 1);
	assert_int_equal(byte, 'a');
	assert_int_equal(write(l->peer, "b", 1), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'b');
	close(fd);
	close(l->peer);
}

static void
blocking_socket_is_connected_and_blocks_as_before(void **state)
{
	struct asked a = ipv4();
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct loopback l;

	(void)state;
	assert_int_equal(loopback_connect(fd, &a.as.any, &l), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(connect(fd, &a.as.any, sizeof(a.as.v4)), -1);
	assert_int_equal(errno, EISCONN);
	talk_and_close(fd, &l);
}

static void
socket_that_does_not_block_is_told_what_any_other_is(void **state)
{
	struct asked a = ipv4();
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct loopback l;
	int result = loopback_connect(fd, &a.as.any, &l);

	(void)state;
	assert_true(result == 0 || result == -EINPROGRESS);
	assert_int_not_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(connect(fd, &a.as.any, sizeof(a.as.v4)), 0);
	talk_and_close(fd, &l);
}

static void
sockets_of_ipv6_reach_either_family(void **state)
{
	static const char *const addresses[] = {"::1", "2001:db8::1", "::ffff:192.0.2.1"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct asked a = ipv6(addresses[i]);
		int fd = socket(AF_INET6, SOCK_STREAM, 0);
		struct loopback l;

		assert_int_equal(loopback_connect(fd, &a.as.any, &l), 0);
		talk_and_close(fd, &l);
	}
}

static void
end_of_the_shim_is_high_and_closed_on_exec(void **state)
{
	struct asked a = ipv4();
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct loopback l;

	(void)state;
	assert_int_equal(loopback_connect(fd, &a.as.any, &l), 0);
	assert_true(l.peer >= highfd_first());
	assert_int_not_equal(fcntl(l.peer, F_GETFD) & FD_CLOEXEC, 0);
	assert_true(l.own_file != 0 && l.peer_file != 0 && l.own_file != l.peer_file);
	assert_true(loopback_file(fd) == l.own_file);
	close(fd);
	close(l.peer);
	assert_true(loopback_file(fd) == 0);
}

static void
socket_that_cannot_be_connected_is_left_as_it_was(void **state)
{
	struct rlimit limit, few;
	struct asked a = ipv4();
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct loopback l;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){(rlim_t)fd + 1, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(loopback_connect(fd, &a.as.any, &l), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(loopback_connect(fd, &a.as.any, &l), 0);
	talk_and_close(fd, &l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocking_socket_is_connected_and_blocks_as_before),
		cmocka_unit_test(socket_that_does_not_block_is_told_what_any_other_is),
		cmocka_unit_test(sockets_of_ipv6_reach_either_family),
		cmocka_unit_test(end_of_the_shim_is_high_and_closed_on_exec),
		cmocka_unit_test(socket_that_cannot_be_connected_is_left_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
