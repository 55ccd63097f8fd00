/* What the program receives: the first bytes after a question are its answer. */
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/hook_curl.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "shim/stand_ins.h"
#include "sys/clock.h"

struct receiving {
	struct conn_ref ref;
	uint64_t since_ns;
};

static struct receiving
receives(int fd, int flags)
{
	struct receiving r = {conn_at(fd), clock_coarse_ns()};

	stand_ins_await_read(fd, flags);
	conn_waits(r.ref, r.since_ns);
	return r;
}

static void
settle(int fd, struct receiving *r, ssize_t result, int error)
{
	if (result > 0)
		pending_settle(fd, 0);
	else
		pending_settle_checked(fd, result == 0 ? 0 : error);
	r->ref = conn_at(fd);
}

static ssize_t
received(int fd, struct receiving *r, const struct conn_bytes *bytes, ssize_t result, bool peeked)
{
	int error = errno;

	curl_transfer_progress();
	if (fds_is_pending(fd))
		settle(fd, r, result, error);
	if (r->ref.place != 0) {
		if (result < 0) {
			conn_waited(r->ref, r->since_ns, clock_coarse_ns());
			stand_ins_tell(fd, error);
		}
		conn_received(r->ref, bytes, result, error, peeked);
	}
	errno = error;
	return result;
}

static inline bool
is_nothing(int fd)
{
	return !fds_is_ours(fd) && !curl_transfer_waits;
}

EXPORT ssize_t
read(int fd, void *data, size_t size)
{
	struct iovec part = {data, size};

	if (__builtin_expect(is_nothing(fd), 1))
		return REAL(read)(fd, data, size);
	struct receiving r = receives(fd, 0);

	return received(fd, &r, &(struct conn_bytes){&part, 1, size}, REAL(read)(fd, data, size),
			false);
}

static size_t
size_of(const struct iovec *parts, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count && count <= IOV_MAX; i++)
		size += parts[i].iov_len;
	return size;
}

EXPORT ssize_t
readv(int fd, const struct iovec *parts, int count)
{
	if (__builtin_expect(is_nothing(fd), 1))
		return REAL(readv)(fd, parts, count);
	struct receiving r = receives(fd, 0);
	ssize_t result = REAL(readv)(fd, parts, count);
	struct conn_bytes bytes = {parts, (size_t)count, 0};

	if (result >= 0)
		bytes.size = size_of(parts, bytes.count);
	return received(fd, &r, &bytes, result, false);
}

EXPORT ssize_t
recv(int fd, void *data, size_t size, int flags)
{
	struct iovec part = {data, size};

	if (__builtin_expect(is_nothing(fd) || (flags & (MSG_OOB | MSG_ERRQUEUE)) != 0, 1))
		return REAL(recv)(fd, data, size, flags);
	struct receiving r = receives(fd, flags);
	ssize_t result = REAL(recv)(fd, data, size, flags);

	return received(fd, &r, &(struct conn_bytes){&part, 1, size}, result,
			(flags & MSG_PEEK) != 0);
}

EXPORT ssize_t
recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *len)
{
	struct iovec part = {data, size};

	if (__builtin_expect(is_nothing(fd) || (flags & (MSG_OOB | MSG_ERRQUEUE)) != 0, 1))
		return REAL(recvfrom)(fd, data, size, flags, from, len);
	struct receiving r = receives(fd, flags);
	ssize_t result = REAL(recvfrom)(fd, data, size, flags, from, len);

	return received(fd, &r, &(struct conn_bytes){&part, 1, size}, result,
			(flags & MSG_PEEK) != 0);
}

EXPORT ssize_t
recvmsg(int fd, struct msghdr *message, int flags)
{
	struct conn_bytes bytes = {NULL, 0, 0};

	if (__builtin_expect(is_nothing(fd) || (flags & (MSG_OOB | MSG_ERRQUEUE)) != 0, 1))
		return REAL(recvmsg)(fd, message, flags);
	struct receiving r = receives(fd, flags);
	ssize_t result = REAL(recvmsg)(fd, message, flags);

	if (result >= 0)
		bytes = (struct conn_bytes){message->msg_iov, message->msg_iovlen,
					    size_of(message->msg_iov, message->msg_iovlen)};
	return received(fd, &r, &bytes, result, (flags & MSG_PEEK) != 0);
}

EXPORT int
recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	if (__builtin_expect(is_nothing(fd) || (flags & (MSG_OOB | MSG_ERRQUEUE)) != 0, 1))
		return REAL(recvmmsg)(fd, messages, count, flags, timeout);
	struct receiving r = receives(fd, flags);
	int result = REAL(recvmmsg)(fd, messages, count, flags, timeout);

	if (result < 0)
		received(fd, &r, &(struct conn_bytes){NULL, 0, 1}, result, false);
	for (int i = 0; i < result; i++) {
		const struct msghdr *m = &messages[i].msg_hdr;
		struct conn_bytes bytes = {m->msg_iov, m->msg_iovlen,
					   size_of(m->msg_iov, m->msg_iovlen)};

		received(fd, &r, &bytes, messages[i].msg_len, (flags & MSG_PEEK) != 0);
	}
	return result;
}

/*
 * What a program compiled with _FORTIFY_SOURCE calls.  Where its check fails, libc's own
 * says so.
 */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);

EXPORT ssize_t
__read_chk(int fd, void *data, size_t size, size_t room)
{
	return size > room ? REAL(__read_chk)(fd, data, size, room) : read(fd, data, size);
}

EXPORT ssize_t
__recv_chk(int fd, void *data, size_t size, size_t room, int flags)
{
	return size > room ? REAL(__recv_chk)(fd, data, size, room, flags)
			   : recv(fd, data, size, flags);
}

EXPORT ssize_t
__recvfrom_chk(int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from,
	       socklen_t *len)
{
	return size > room ? REAL(__recvfrom_chk)(fd, data, size, room, flags, from, len)
			   : recvfrom(fd, data, size, flags, from, len);
}
