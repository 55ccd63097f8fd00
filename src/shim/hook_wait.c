/*
 * What the program waits for.  A wait for bytes of a connection is what tells a client
 * that was left without an answer from one that wants none.
 */
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/hook_curl.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "sys/clock.h"

static bool
is_waited_for(const struct pollfd *p)
{
	return (p->events & (POLLIN | POLLRDNORM)) != 0 && fds_is_followed(p->fd);
}

/* The moment at which the wait begins; 0: for nothing of ours. */
static uint64_t
wait_begin(struct pollfd *fds, nfds_t count)
{
	uint64_t since_ns = 0;

	for (nfds_t i = 0; may_be_read(fds) && i < count; i++) {
		if (!is_waited_for(&fds[i]))
			continue;
		if (since_ns == 0)
			since_ns = clock_coarse_ns();
		conn_waits(conn_at(fds[i].fd), since_ns);
	}
	return since_ns;
}

static int
wait_end(const struct pollfd *fds, nfds_t count, uint64_t since_ns, int result)
{
	if (__builtin_expect(since_ns == 0, 1))
		return result;
	uint64_t now_ns = clock_coarse_ns();

	for (nfds_t i = 0; i < count; i++)
		if (is_waited_for(&fds[i]))
			conn_waited(conn_at(fds[i].fd), since_ns, now_ns);
	return result;
}

EXPORT int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	curl_transfer_progress();
	uint64_t since_ns = timeout_ms != 0 ? wait_begin(fds, count) : 0;

	return wait_end(fds, count, since_ns, REAL(poll)(fds, count, timeout_ms));
}

EXPORT int
ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t since_ns = wait_begin(fds, count);

	return wait_end(fds, count, since_ns, REAL(ppoll)(fds, count, timeout, mask));
}

/* What a program compiled with _FORTIFY_SOURCE calls, see hook_receive.c. */
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);

EXPORT int
__poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room)
{
	return room / sizeof(*fds) < count ? REAL(__poll_chk)(fds, count, timeout_ms, room)
					   : poll(fds, count, timeout_ms);
}

EXPORT int
__ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
	    size_t room)
{
	return room / sizeof(*fds) < count ? REAL(__ppoll_chk)(fds, count, timeout, mask, room)
					   : ppoll(fds, count, timeout, mask);
}

/* A set may be longer than its type says. */
static bool
is_in(const fd_set *set, int fd)
{
	const unsigned long *words = (const unsigned long *)set;
	unsigned bits = 8 * sizeof(*words);

	return (words[(unsigned)fd / bits] >> ((unsigned)fd % bits) & 1) != 0;
}

static uint64_t
select_begin(int end, const fd_set *set)
{
	uint64_t since_ns = 0;

	for (int fd = 0; may_be_read(set) && fd < end; fd++) {
		if (!fds_is_followed(fd) || !is_in(set, fd))
			continue;
		if (since_ns == 0)
			since_ns = clock_coarse_ns();
		conn_waits(conn_at(fd), since_ns);
	}
	return since_ns;
}

/* The set says now what can be read, so any descriptor that began at that moment is meant. */
static int
select_end(int end, uint64_t since_ns, int result)
{
	if (__builtin_expect(since_ns == 0, 1))
		return result;
	uint64_t now_ns = clock_coarse_ns();

	for (int fd = 0; fd < end; fd++)
		if (fds_is_followed(fd))
			conn_waited(conn_at(fd), since_ns, now_ns);
	return result;
}

EXPORT int
select(int end, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	uint64_t since_ns = select_begin(end, in);

	return select_end(end, since_ns, REAL(select)(end, in, out, other, timeout));
}

EXPORT int
pselect(int end, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
	const sigset_t *mask)
{
	uint64_t since_ns = select_begin(end, in);

	return select_end(end, since_ns, REAL(pselect)(end, in, out, other, timeout, mask));
}

/* How a connect under way ended, or what became of a connection. */
EXPORT int
getsockopt(int fd, int level, int option, void *value, socklen_t *len)
{
	int result = REAL(getsockopt)(fd, level, option, value, len);

	if (__builtin_expect(!fds_is_ours(fd), 1) || result != 0 || level != SOL_SOCKET ||
	    option != SO_ERROR || *len < sizeof(int))
		return result;
	if (fds_is_pending(fd))
		pending_settle_checked(fd, *(const int *)value);
	else
		conn_failed(conn_at(fd), *(const int *)value);
	return result;
}
