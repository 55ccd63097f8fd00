/*
 * socket_cases CASE OPEN FULL [REFUSED]: ends and asks after connects in ways that a shim
 * could take for something else.  At 127.0.0.1 port OPEN somebody answers; a connect to
 * port FULL stays under way; at port REFUSED nobody listens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connects.h"

static int refused_port;

static int
is_connected(int fd)
{
	return connect_fd(fd, open_port) == -1 && errno == EISCONN;
}

/* The error is there for who has a copy. */
static int
fails_unasked(void)
{
	int fd = begin(refused_port), copy = fcntl(fd, F_DUPFD, 100);

	return await(fd, POLLOUT) || close(fd) != 0 || error_of(copy) != ECONNREFUSED;
}

static int
asks_early(void)
{
	int fd = under_way();
	char byte;

	return error_of(fd) != 0 || read(fd, &byte, 0) != 0 || recv(fd, &byte, 0, 0) > 0 ||
	       write(fd, &byte, 0) > 0 || close(fd) != 0;
}

static int
cancels(void)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	int fd = under_way();

	return connect(fd, &none, sizeof(none)) != 0 || connect_fd(fd, open_port) != -1 ||
	       errno != EINPROGRESS || await(fd, POLLOUT) || write(fd, "x", 1) != 1 ||
	       close(fd) != 0;
}

/* Before and after the destination has become one that is refused. */
static int
connects_again(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), other = begin(open_port), last = under_way();

	if (connect_fd(fd, open_port) != 0 || !is_connected(fd) || await(other, POLLOUT) ||
	    error_of(other) != 0)
		return 1;
	usleep(1100000);
	return close(last) != 0 || !is_connected(fd) || connect_fd(other, open_port) != 0 ||
	       !is_connected(other);
}

static int
connects_accepted(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at;
	socklen_t len = sizeof(at);

	if (listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
	    connect(client, (struct sockaddr *)&at, len) != 0)
		return 1;
	int fd = accept(listener, NULL, NULL);

	return !is_connected(fd) || !is_connected(fd);
}

static int
reuses_late(void)
{
	int fd = under_way();

	usleep(1100000);
	close_unseen(fd);
	return socket(AF_INET, SOCK_STREAM, 0) != fd || close(fd) != 0;
}

static int
closes_stream(void)
{
	return fclose(fdopen(under_way(), "r+")) != 0;
}

/* libc reads and writes without calling read() and write(). */
static int
talks_by_stream(void)
{
	FILE *stream = fdopen(begin(open_port), "r+");

	usleep(1100000);
	return fputs("x", stream) < 0 || fclose(stream) != 0 || visit(open_port) != 0;
}

/* A stream without a descriptor; errno is as libc leaves it. */
static int
closes_memory(void)
{
	char text[8] = "";
	FILE *stream = fmemopen(text, sizeof(text), "r");

	errno = 0;
	return fclose(stream) != 0 || errno != 0 || visit(open_port) != 0;
}

/* A number that came back has nothing of the socket that was closed there unseen. */
static int
copies(void)
{
	int datagram = socket(AF_INET, SOCK_DGRAM, 0), stream = socket(AF_INET, SOCK_STREAM, 0);
	int gone = socket(AF_INET, SOCK_STREAM, 0), copy;

	close_unseen(gone);
	copy = dup(datagram);
	if (copy != gone || connect_fd(copy, open_port) != 0)
		return 1;
	close_unseen(copy);
	copy = dup(stream);
	return copy != gone || connect_fd(copy, open_port) != 0 || dup2(copy, 100) != 100 ||
	       !is_connected(100) || !is_connected(dup(copy));
}

static int
dups_badly(void)
{
	int fd = under_way();

	if (dup2(-1, fd) != -1 || errno != EBADF || dup2(1000, fd) != -1 || errno != EBADF ||
	    dup3(0, fd, 1) != -1 || errno != EINVAL)
		return 1;
	usleep(1100000);
	return close(fd) != 0;
}

/* The kernel says so of what cannot be read. */
static int
points_nowhere(void)
{
	void *nowhere[] = {(void *)8, (void *)-1, (void *)((uintptr_t)1 << 63)};
	int fresh = socket(AF_INET, SOCK_STREAM, 0), fd = under_way();
	char *words[] = {"true", NULL};

	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		char *broken[] = {"A=1", nowhere[i], NULL};

		if (connect(fresh, nowhere[i], 16) != -1 || errno != EFAULT ||
		    execve("/bin/true", nowhere[i], environ) != -1 || errno != EFAULT ||
		    execve("/bin/true", words, nowhere[i]) != -1 || errno != EFAULT ||
		    execve("/bin/true", words, broken) != -1 || errno != EFAULT ||
		    connect(fd, nowhere[i], 16) != -1 || errno != EFAULT)
			return 1;
	}
	return connect_fd(fresh, open_port) != 0 || close(fd) != 0;
}

static int
shuts_down(void)
{
	int fd = under_way();

	return shutdown(fd, SHUT_WR) != 0 || close(fd) != 0;
}

/* Both ends have said that they are done, and the kernel forgets what there was. */
static int
shuts_connected(void)
{
	int fd = begin(open_port);

	return await(fd, POLLOUT) || shutdown(fd, SHUT_RDWR) != 0 || await(fd, POLLRDHUP) ||
	       close(fd) != 0;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(void);
	} cases[] = {
		{"fails-unasked", fails_unasked},
		{"asks-early", asks_early},
		{"cancels", cancels},
		{"connects-again", connects_again},
		{"connects-accepted", connects_accepted},
		{"reuses-late", reuses_late},
		{"closes-stream", closes_stream},
		{"talks-by-stream", talks_by_stream},
		{"closes-memory", closes_memory},
		{"dups-badly", dups_badly},
		{"copies", copies},
		{"points-nowhere", points_nowhere},
		{"shuts-down", shuts_down},
		{"shuts-connected", shuts_connected},
	};

	open_port = argc > 2 ? atoi(argv[2]) : 0;
	full_port = argc > 3 ? atoi(argv[3]) : 0;
	refused_port = argc > 4 ? atoi(argv[4]) : 0;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0)
			return cases[i].function();
	return 2;
}
