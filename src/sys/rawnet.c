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
	int error = 0;
	socklen_t len = sizeof(error);
	long result = raw_call(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, LONG_OF(&error),
			       LONG_OF(&len), 0);

	return result < 0 ? (int)result : error;
}

int
raw_getpeername(int fd, struct sockaddr *address, socklen_t *len)
{
	return (int)raw_call(SYS_getpeername, fd, LONG_OF(address), LONG_OF(len), 0, 0, 0);
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
