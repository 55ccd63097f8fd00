/*
 * The first write or read that succeeds tells that a connect succeeded, one that
 * fails how it failed.  A descriptor without a connect under way costs one load.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/fds.h"
#include "shim/hook_curl.h"
#include "shim/hooks.h"
#include "shim/pending.h"

static void
settle(int fd, ssize_t result)
{
	if (result > 0)
		pending_settle(fd, 0);
	else
		pending_settle_checked(fd, result == 0 ? 0 : errno);
}

static inline ssize_t
sent(int fd, ssize_t result)
{
	if (__builtin_expect(fds_is_pending(fd), 0))
		settle(fd, result);
	return result;
}

static inline ssize_t
received(int fd, ssize_t result)
{
	curl_transfer_progress();
	return sent(fd, result);
}

EXPORT ssize_t
write(int fd, const void *data, size_t size)
{
	return sent(fd, REAL(write)(fd, data, size));
}

EXPORT ssize_t
writev(int fd, const struct iovec *parts, int count)
{
	return sent(fd, REAL(writev)(fd, parts, count));
}

EXPORT ssize_t
send(int fd, const void *data, size_t size, int flags)
{
	return sent(fd, REAL(send)(fd, data, size, flags));
}

EXPORT ssize_t
sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t len)
{
	return sent(fd, REAL(sendto)(fd, data, size, flags, to, len));
}

EXPORT ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
	return sent(fd, REAL(sendmsg)(fd, message, flags));
}

EXPORT ssize_t
read(int fd, void *data, size_t size)
{
	return received(fd, REAL(read)(fd, data, size));
}

EXPORT ssize_t
readv(int fd, const struct iovec *parts, int count)
{
	return received(fd, REAL(readv)(fd, parts, count));
}

EXPORT ssize_t
recv(int fd, void *data, size_t size, int flags)
{
	return received(fd, REAL(recv)(fd, data, size, flags));
}

EXPORT ssize_t
recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *len)
{
	return received(fd, REAL(recvfrom)(fd, data, size, flags, from, len));
}

EXPORT ssize_t
recvmsg(int fd, struct msghdr *message, int flags)
{
	return received(fd, REAL(recvmsg)(fd, message, flags));
}

EXPORT int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	curl_transfer_progress();
	return REAL(poll)(fds, count, timeout_ms);
}

EXPORT int
getsockopt(int fd, int level, int option, void *value, socklen_t *len)
{
	int result = REAL(getsockopt)(fd, level, option, value, len);

	if (__builtin_expect(fds_is_pending(fd), 0) && result == 0 && level == SOL_SOCKET &&
	    option == SO_ERROR && *len >= sizeof(int))
		pending_settle_checked(fd, *(const int *)value);
	return result;
}
