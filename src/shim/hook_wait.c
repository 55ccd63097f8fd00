/*
 * What the program waits for.  A wait for bytes of a connection is what tells a client
 * that was left without an answer from one that wants none.
 */
#include <poll.h>
#include <sys/socket.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/hook_curl.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "shim/stand_ins.h"
#include "shim/waits.h"
#include "sys/clock.h"

static bool
is_waited_for(const struct pollfd *p)
{
	return (p->events & (POLLIN | POLLRDNORM)) != 0 && fds_is_followed(p->fd);
}

/* The moment at which the wait begins; 0: for nothing of ours. */
static uint64_t
wait_begin(struct pollfd *fds, nfds_t count, bool waits)
{
	uint64_t since_ns = 0;

	for (nfds_t i = 0; may_be_read(fds) && i < count; i++) {
		if (!is_waited_for(&fds[i]))
			continue;
		if (since_ns == 0)
			since_ns = clock_coarse_ns();
		conn_waits(conn_at(fds[i].fd), since_ns);
		if (stand_ins_has(fds[i].fd))
			stand_ins_await(fds[i].fd,
					waits && count == 1 && (fds[i].events & POLLOUT) == 0);
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

static int
poll_on(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct stand_ins_wait w;
	int result;

	if (__builtin_expect(load_relaxed(&stand_ins_awaited) == 0, 1))
		return REAL(poll)(fds, count, timeout_ms);
	uint64_t slice_ns = stand_ins_wait(&w, waits_ns_of_ms(timeout_ms));

	do
		result = REAL(poll)(fds, count, waits_ms_of_ns(slice_ns));
	while (result == 0 && (slice_ns = stand_ins_wait_on(&w)) > 0);
	return result;
}

EXPORT int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	curl_transfer_progress();
	uint64_t since_ns = timeout_ms != 0 ? wait_begin(fds, count, true) : 0;

	return wait_end(fds, count, since_ns, poll_on(fds, count, timeout_ms));
}

static int
ppoll_on(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	struct stand_ins_wait w;
	struct timespec slice;
	int result;

	if (__builtin_expect(load_relaxed(&stand_ins_awaited) == 0, 1) ||
	    !waits_can_be_cut(timeout))
		return REAL(ppoll)(fds, count, timeout, mask);
	uint64_t slice_ns = stand_ins_wait(&w, waits_ns_of(timeout));

	do
		result = REAL(ppoll)(fds, count, waits_timespec(slice_ns, &slice), mask);
	while (result == 0 && (slice_ns = stand_ins_wait_on(&w)) > 0);
	return result;
}

EXPORT int
ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	bool waits = waits_can_be_cut(timeout) && waits_ns_of(timeout) > 0;
	uint64_t since_ns = wait_begin(fds, count, waits);

	return wait_end(fds, count, since_ns, ppoll_on(fds, count, timeout, mask));
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

/* How a connect under way ended, or what became of a connection. */
EXPORT int
getsockopt(int fd, int level, int option, void *value, socklen_t *len)
{
	int result = REAL(getsockopt)(fd, level, option, value, len);

	if (__builtin_expect(!fds_is_ours(fd), 1) || result != 0 || level != SOL_SOCKET ||
	    option != SO_ERROR || *len < sizeof(int))
		return result;
	if (fds_is_pending(fd)) {
		pending_settle_checked(fd, *(const int *)value);
	} else {
		stand_ins_tell(fd, *(const int *)value);
		conn_failed(conn_at(fd), *(const int *)value);
	}
	return result;
}
