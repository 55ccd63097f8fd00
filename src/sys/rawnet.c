#include "sys/rawnet.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define LONG_OF(pointer) ((long)(uintptr_t)(pointer))

int
raw_socket(int domain, int type, int protocol)
{
	return (int)raw_call(SYS_socket, domain, type, protocol, 0, 0, 0);
}

int
raw_connect(int fd, const void *address, socklen_t len)
{
	return (int)raw_call(SYS_connect, fd, LONG_OF(address), (long)len, 0, 0, 0);
}

int
raw_socket_error(int fd)
{
	return raw_get_option(fd, SOL_SOCKET, SO_ERROR);
}

int
raw_getpeername(int fd, struct sockaddr *address, socklen_t *len)
{
	return (int)raw_call(SYS_getpeername, fd, LONG_OF(address), LONG_OF(len), 0, 0, 0);
}

int
raw_getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
	return (int)raw_call(SYS_getsockname, fd, LONG_OF(address), LONG_OF(len), 0, 0, 0);
}

int
raw_disconnect(int fd)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};

	return raw_connect(fd, &none, sizeof(none));
}

int
raw_reset_at_close(int fd)
{
	struct linger none = {.l_onoff = 1, .l_linger = 0};

	return (int)raw_call(SYS_setsockopt, fd, SOL_SOCKET, SO_LINGER, LONG_OF(&none),
			     sizeof(none), 0);
}

int
raw_bind(int fd, const void *address, socklen_t len)
{
	return (int)raw_call(SYS_bind, fd, LONG_OF(address), (long)len, 0, 0, 0);
}

int
raw_listen(int fd, int backlog)
{
	return (int)raw_call(SYS_listen, fd, backlog, 0, 0, 0, 0);
}

int
raw_accept(int fd, void *address, socklen_t *len)
{
	return (int)raw_call(SYS_accept4, fd, LONG_OF(address), LONG_OF(len),
			     SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0);
}

int
raw_set_option(int fd, int level, int option, int value)
{
	return (int)raw_call(SYS_setsockopt, fd, level, option, LONG_OF(&value), sizeof(value), 0);
}

int
raw_get_option(int fd, int level, int option)
{
	int value = 0;
	socklen_t len = sizeof(value);
	long result =
		raw_call(SYS_getsockopt, fd, level, option, LONG_OF(&value), LONG_OF(&len), 0);

	return result < 0 ? (int)result : value;
}

ssize_t
raw_send(int fd, const void *data, size_t size)
{
	return raw_call(SYS_sendto, fd, LONG_OF(data), (long)size, MSG_DONTWAIT | MSG_NOSIGNAL, 0,
			0);
}

ssize_t
raw_recv(int fd, void *data, size_t size)
{
	return raw_call(SYS_recvfrom, fd, LONG_OF(data), (long)size, MSG_DONTWAIT, 0, 0);
}

int
raw_shutdown(int fd, int how)
{
	return (int)raw_call(SYS_shutdown, fd, how, 0, 0, 0, 0);
}

int
raw_bytes_waiting(int fd)
{
	int waiting = 0;
	long result = raw_call(SYS_ioctl, fd, FIONREAD, LONG_OF(&waiting), 0, 0, 0);

	return result < 0 ? (int)result : waiting;
}

int
raw_pipe(int ends[2])
{
	return (int)raw_call(SYS_pipe2, LONG_OF(ends), O_CLOEXEC, 0, 0, 0, 0);
}

int
raw_socketpair(int domain, int type, int protocol, int ends[2])
{
	return (int)raw_call(SYS_socketpair, domain, type, protocol, LONG_OF(ends), 0, 0);
}

int
raw_poll(struct pollfd *fds, unsigned n, uint64_t wait_ns, const raw_sigset *mask)
{
#ifdef SYS_ppoll
	struct {
		long s, ns;
	} wait = {(long)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
	const long number = SYS_ppoll;
#else
	struct {
		int64_t s, ns;
	} wait = {(int64_t)(wait_ns / 1000000000), (int64_t)(wait_ns % 1000000000)};
	const long number = SYS_ppoll_time64;
#endif
	return (int)raw_call(number, LONG_OF(fds), (long)n, LONG_OF(&wait), LONG_OF(mask),
			     sizeof(*mask), 0);
}
