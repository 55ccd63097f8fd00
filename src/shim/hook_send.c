/*
 * What the program sends.  A question that begins here may be refused, so the connection
 * hears of the bytes first and of what became of them afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "shim/stand_ins.h"

/* What the kernel will refuse is not looked at. */
static bool
may_all_be_read(const struct conn_bytes *b)
{
	if (b->parts == NULL)
		return true;
	if (b->count > IOV_MAX || !may_be_read(b->parts))
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (b->parts[i].iov_len > 0 && !may_be_read(b->parts[i].iov_base))
			return false;
	return true;
}

static size_t
size_of(const struct iovec *parts, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += parts[i].iov_len;
	return size;
}

static ssize_t
as_libc(ssize_t result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

/* False: the hook is to return *result at once. */
static bool
sends(int fd, const struct conn_bytes *bytes, struct conn_sending *s, ssize_t *result)
{
	s->ref = (struct conn_ref){0, 0};
	*result = -ECONNRESET;
	if (fds_is_pending(fd))
		pending_look(fd);
	if (!fds_is_followed(fd) || !may_all_be_read(bytes))
		return true;
	if (!(stand_ins_has(fd) && stand_ins_take(fd, bytes, result)) &&
	    conn_sends(conn_at(fd), bytes, s))
		return true;
	*result = as_libc(*result);
	return false;
}

static ssize_t
sent(int fd, const struct conn_sending *s, ssize_t result)
{
	int error = errno;

	if (s->ref.place != 0)
		conn_sent(s, result, error);
	else if (fds_is_pending(fd))
		pending_settle(fd, result >= 0 ? 0 : error);
	errno = error;
	return result;
}

EXPORT ssize_t
write(int fd, const void *data, size_t size)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(fd), 1))
		return REAL(write)(fd, data, size);
	if (!sends(fd, &(struct conn_bytes){&part, 1, size}, &s, &result))
		return result;
	return sent(fd, &s, REAL(write)(fd, data, size));
}

EXPORT ssize_t
writev(int fd, const struct iovec *parts, int count)
{
	struct conn_bytes bytes = {parts, (size_t)count, 0};
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(fd), 1))
		return REAL(writev)(fd, parts, count);
	if (may_all_be_read(&bytes))
		bytes.size = size_of(parts, bytes.count);
	if (!sends(fd, &bytes, &s, &result))
		return result;
	return sent(fd, &s, REAL(writev)(fd, parts, count));
}

EXPORT ssize_t
send(int fd, const void *data, size_t size, int flags)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(fd), 1))
		return REAL(send)(fd, data, size, flags);
	if (!sends(fd, &(struct conn_bytes){&part, 1, size}, &s, &result))
		return result;
	return sent(fd, &s, REAL(send)(fd, data, size, flags));
}

EXPORT ssize_t
sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t len)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(fd), 1))
		return REAL(sendto)(fd, data, size, flags, to, len);
	if (!sends(fd, &(struct conn_bytes){&part, 1, size}, &s, &result))
		return result;
	return sent(fd, &s, REAL(sendto)(fd, data, size, flags, to, len));
}

EXPORT ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct conn_bytes bytes;
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(fd) || !may_be_read(message), 1))
		return REAL(sendmsg)(fd, message, flags);
	bytes = (struct conn_bytes){message->msg_iov, message->msg_iovlen, 0};
	if (may_all_be_read(&bytes))
		bytes.size = size_of(bytes.parts, bytes.count);
	if (!sends(fd, &bytes, &s, &result))
		return result;
	return sent(fd, &s, REAL(sendmsg)(fd, message, flags));
}

/* On a stream they are sent one after the other in any case. */
EXPORT int
sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	unsigned done = 0;

	if (__builtin_expect(!fds_is_ours(fd) || !may_be_read(messages), 1))
		return REAL(sendmmsg)(fd, messages, count, flags);
	for (; done < count && done < IOV_MAX; done++) {
		ssize_t result = sendmsg(fd, &messages[done].msg_hdr, flags);

		if (result < 0)
			return done > 0 ? (int)done : -1;
		messages[done].msg_len = (unsigned)result;
	}
	return (int)done;
}

EXPORT ssize_t
sendfile(int to, int from, off_t *offset, size_t size)
{
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(to), 1))
		return REAL(sendfile)(to, from, offset, size);
	if (stand_ins_take_file(to, from, offset, size, &result))
		return as_libc(result);
	if (!sends(to, &(struct conn_bytes){NULL, 0, size}, &s, &result))
		return result;
	return sent(to, &s, REAL(sendfile)(to, from, offset, size));
}

/* The same function where off_t has 64 bits. */
EXPORT ssize_t
sendfile64(int to, int from, off_t *offset, size_t size)
{
	return sendfile(to, from, offset, size);
}

EXPORT ssize_t
splice(int from, loff_t *from_offset, int to, loff_t *to_offset, size_t size, unsigned flags)
{
	struct conn_bytes bytes = {NULL, 0, size};
	struct conn_ref source = conn_at(from);
	struct conn_sending s;
	ssize_t result;

	if (__builtin_expect(!fds_is_ours(to) && source.place == 0, 1))
		return REAL(splice)(from, from_offset, to, to_offset, size, flags);
	if (stand_ins_take_pipe(to, from, size, &result))
		return as_libc(result);
	if (!sends(to, &bytes, &s, &result))
		return result;

	result = sent(to, &s, REAL(splice)(from, from_offset, to, to_offset, size, flags));

	if (source.place != 0)
		conn_received(source, &bytes, result, errno, false);
	return result;
}
