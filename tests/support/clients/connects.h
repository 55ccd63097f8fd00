/* Connects to the two ports that the cases get: one is answered, one stays under way. */
#ifndef CONNECTS_H
#define CONNECTS_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_port, full_port;

static inline int
connect_fd(int fd, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(fd, (struct sockaddr *)&to, sizeof(to));
}

/* Connects and closes; 0 where all went well. */
static inline int
visit(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect_fd(fd, port) != 0 || close(fd) != 0;
}

static inline int
begin(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (connect_fd(fd, port) == 0 || errno != EINPROGRESS)
		puts("the connect is not under way");
	return fd;
}

static inline int
under_way(void)
{
	return begin(full_port);
}

/* Until the socket has one of these events. */
static inline int
await(int fd, short events)
{
	struct pollfd p = {fd, events, 0};

	return poll(&p, 1, -1) != 1;
}

static inline int
error_of(int fd)
{
	int error = -1;
	socklen_t len = sizeof(error);

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error;
}

/* By a way that no library sees. */
static inline void
close_unseen(int fd)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_close), "D"((long)fd)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_close;
	register long first __asm__("x0") = fd;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number) : "memory");
#endif
}

#endif
