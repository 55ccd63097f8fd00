/*
 * The library in front of a program.
 *
 * The program runs itself again under the library and compares libc's own functions,
 * found by hand, with what it is linked to, call by call in one process.  Floors:
 *
 *   refused connect   one bare system call (getppid)
 *   the others        the same calls made to libc directly
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

#define SAMPLES 4000
#define BATCH 50
#define INSIDE "BENCH_SHIM_INSIDE"

static const char rules[] = "[alive]\nmatch = 127.0.0.1\n"
			    "[dead]\nmatch = 127.0.0.2\nconsecutive = 1\ncooldown = 1h\n"
			    "cooldown_max = 1h\nprobe = call\n"
			    "[limited]\nmatch = 127.0.0.3\np99 = 5s\n";

struct calls {
	int (*socket)(int, int, int);
	int (*connect)(int, const struct sockaddr *, socklen_t);
	int (*close)(int);
	int (*getsockopt)(int, int, int, void *, socklen_t *);
	ssize_t (*send)(int, const void *, size_t, int);
	ssize_t (*recv)(int, void *, size_t, int);
	ssize_t (*write)(int, const void *, size_t);
	ssize_t (*read)(int, void *, size_t);
	long (*syscall)(long, ...);
};

static const struct calls ours = {socket, connect, close, getsockopt, send,
				  recv,	  write,   read,  syscall};
static struct calls libc;

static int listener, ends[2], talk[2];
static struct sockaddr_in server;

static void
check(bool fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "bench_shim: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void
find_libc(void)
{
	static const char *const names[] = {"socket", "connect", "close", "getsockopt", "send",
					    "recv",   "write",	 "read",  "syscall"};
	void *handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	check(handle != NULL, "libc.so.6");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = dlsym(handle, names[i]);

		memcpy((char *)&libc + i * sizeof(found), &found, sizeof(found));
	}
	check((const void *)(size_t)libc.connect != (const void *)(size_t)ours.connect,
	      "the library is not preloaded");
}

static struct sockaddr_in
at(const char *address)
{
	struct sockaddr_in a = server;

	inet_pton(AF_INET, address, &a.sin_addr);
	return a;
}

static void
listen_anywhere(void)
{
	socklen_t len = sizeof(server);

	server = (struct sockaddr_in){.sin_family = AF_INET};
	listener = libc.socket(AF_INET, SOCK_STREAM, 0);
	check(bind(listener, (struct sockaddr *)&server, len) == 0 && listen(listener, 16) == 0 &&
		      getsockname(listener, (struct sockaddr *)&server, &len) == 0,
	      "listen");
}

static struct sockaddr_in target;

/* No connection stays behind to wait for its end. */
static void
drop(const struct calls *c, int fd)
{
	struct linger now = {1, 0};
	int other = accept(listener, NULL, NULL);

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	c->close(fd);
	libc.close(other);
}

static double
connect_blocking(const struct calls *c)
{
	int fd = c->socket(AF_INET, SOCK_STREAM, 0);
	uint64_t begin_ns = bench_now_ns();
	int result = c->connect(fd, (struct sockaddr *)&target, sizeof(target));
	uint64_t end_ns = bench_now_ns();

	check(result == 0, "connect");
	drop(c, fd);
	return (double)(end_ns - begin_ns);
}

static double
connect_and_ask(const struct calls *c)
{
	int fd = c->socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	uint64_t begin_ns = bench_now_ns();
	socklen_t len = sizeof(int);
	int error = 0;

	c->connect(fd, (struct sockaddr *)&target, sizeof(target));
	c->getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	uint64_t end_ns = bench_now_ns();

	check(error == 0, "connect");
	drop(c, fd);
	return (double)(end_ns - begin_ns);
}

static double
whole_life(const struct calls *c)
{
	uint64_t begin_ns = bench_now_ns();
	int fd = c->socket(AF_INET, SOCK_STREAM, 0);

	c->connect(fd, (struct sockaddr *)&target, sizeof(target));
	drop(c, fd);
	return (double)(bench_now_ns() - begin_ns);
}

static double
through_pipe(const struct calls *c)
{
	uint64_t begin_ns = bench_now_ns();
	char byte = 0;

	for (unsigned i = 0; i < BATCH; i++)
		check(c->write(ends[1], &byte, 1) == 1 && c->read(ends[0], &byte, 1) == 1, "pipe");
	return (double)(bench_now_ns() - begin_ns) / BATCH;
}

/* What the other end sent before, and what it reads after, is not timed. */
static double
talk_once(const struct calls *c)
{
	char bytes[BATCH] = {0};

	check(libc.send(talk[1], bytes, BATCH, 0) == BATCH, "send");
	uint64_t begin_ns = bench_now_ns();

	for (unsigned i = 0; i < BATCH; i++)
		check(c->send(talk[0], bytes, 1, 0) == 1 && c->recv(talk[0], bytes, 1, 0) == 1,
		      "send and recv");
	uint64_t end_ns = bench_now_ns();

	check(libc.recv(talk[1], bytes, BATCH, MSG_WAITALL) == BATCH, "recv");
	return (double)(end_ns - begin_ns) / BATCH;
}

static double
system_call(const struct calls *c)
{
	uint64_t begin_ns = bench_now_ns();

	for (unsigned i = 0; i < BATCH; i++)
		c->syscall(SYS_getppid);
	return (double)(bench_now_ns() - begin_ns) / BATCH;
}

static double
refused(const struct calls *c)
{
	static int fd = -1;
	uint64_t begin_ns;
	int result = -1;

	if (fd < 0)
		fd = c->socket(AF_INET, SOCK_STREAM, 0);
	begin_ns = bench_now_ns();
	for (unsigned i = 0; i < BATCH * 10; i++)
		result &= c->connect(fd, (struct sockaddr *)&target, sizeof(target));
	uint64_t end_ns = bench_now_ns();

	check(result == -1, "a connect that should have been refused");
	return (double)(end_ns - begin_ns) / (BATCH * 10);
}

typedef double timed_fn(const struct calls *c);

/* Which goes first takes turns as well. */
static struct bench_pair
compare(timed_fn *value, timed_fn *floor, unsigned count)
{
	static double values[SAMPLES], floors[SAMPLES];

	for (unsigned i = 0; i < count; i++) {
		if (i % 2 == 0)
			floors[i] = floor(&libc);
		values[i] = value(&ours);
		if (i % 2 != 0)
			floors[i] = floor(&libc);
	}
	return bench_pair_of(values, floors, count);
}

static struct bench_pair
same(timed_fn *what, unsigned count)
{
	return compare(what, what, count);
}

static void
rows_of_connects(void)
{
	target = at("127.0.0.2");
	target.sin_port = htons(1);
	connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&target, sizeof(target));
	check(errno == ECONNREFUSED, "a connect to a port where nobody listens");
	bench_title("refused (floor: one system call)");
	bench_row("connect", compare(refused, system_call, 400), 0.01);

	target = at("127.0.0.1");
	bench_title("allowed, over loopback (floor: libc's own)");
	bench_row("connect, blocking", same(connect_blocking, SAMPLES), 1.01);
	bench_row("connect, non-blocking, SO_ERROR", same(connect_and_ask, SAMPLES), 1.01);
	bench_row("socket, connect, close", same(whole_life, SAMPLES), 1.01);
	target = at("127.0.0.3");
	bench_row("connect, blocking, with pNN", same(connect_blocking, SAMPLES), 1.01);
	target = at("127.0.0.4");
	bench_row("connect, blocking, no section", same(connect_blocking, SAMPLES), 1.01);
}

static void
rows_of_traffic(void)
{
	target = at("127.0.0.1");
	talk[0] = socket(AF_INET, SOCK_STREAM, 0);
	check(connect(talk[0], (struct sockaddr *)&target, sizeof(target)) == 0, "connect");
	talk[1] = accept(listener, NULL, NULL);
	setsockopt(talk[0], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	check(pipe(ends) == 0, "pipe");
	bench_title("traffic (floor: libc's own)");
	bench_row("send and recv on a tracked connection", same(talk_once, 1000), 1.01);
	bench_row("write and read on a pipe", same(through_pipe, 1000), 1.01);
}

static int
again_inside(char *argv[])
{
	char path[] = "/tmp/bench-rules-XXXXXX";
	int fd = mkstemp(path);

	check(fd >= 0 && write(fd, rules, sizeof(rules) - 1) == (ssize_t)sizeof(rules) - 1, path);
	close(fd);
	setenv("CUTOUT_RULES", path, 1);
	setenv("LD_PRELOAD", bench_built("libcutout.so"), 1);
	setenv(INSIDE, path, 1);
	execv("/proc/self/exe", argv);
	check(false, "exec");
	return 1;
}

int
main(int argc, char *argv[])
{
	(void)argc;
	if (getenv(INSIDE) == NULL)
		return again_inside(argv);
	unlink(getenv(INSIDE));
	bench_pin(0);
	find_libc();
	listen_anywhere();
	rows_of_connects();
	rows_of_traffic();
	return 0;
}
