#include "shim/pending.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/hooks.h"

/* Errors that leave the end of a connect open. */
static bool
leaves_open(int error)
{
	return error == EAGAIN || error == EINPROGRESS || error == EALREADY || error == EINTR ||
	       error == ENOTCONN || error == EFAULT;
}

/* The call goes on with the connection, where that can be followed. */
static void
connected(int fd, const struct attempt *a, uint64_t now_ns)
{
	struct gate_call call;
	bool has_call = attempt_connected(a, now_ns, &call);

	if (!conn_open(fd, a, has_call ? &call : NULL, now_ns) && has_call)
		attempt_count_connected(a, &call, now_ns);
}

void
pending_settle(int fd, int error)
{
	bool is_connected = error == 0 || error == EISCONN;
	struct attempt a;

	if (leaves_open(error) || !(is_connected ? fds_take_connected(fd, &a) : fds_take(fd, &a)))
		return;
	if (error == 0)
		connected(fd, &a, gate_now_ns());
	else
		attempt_end(&a, attempt_result_of(error), error, gate_now_ns());
}

/*
 * Where TCP stands.  SO_ERROR would tell more, but once only, and the program may have
 * a copy of the descriptor to ask.
 */
static int
tcp_state(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	int saved = errno;
	bool known = REAL(getsockopt)(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0;

	errno = saved;
	return known ? info.tcpi_state : TCP_SYN_SENT;
}

void
pending_settle_checked(int fd, int error)
{
	int state = error == 0 ? tcp_state(fd) : TCP_CLOSE;

	if (error != 0 || (state != TCP_SYN_SENT && state != TCP_CLOSE))
		pending_settle(fd, error);
}

void
pending_look(int fd)
{
	int state = tcp_state(fd);

	if (state != TCP_SYN_SENT && state != TCP_CLOSE)
		pending_settle(fd, 0);
}

static enum attempt_result
result_at(int state, const struct attempt *a, uint64_t now_ns)
{
	switch (state) {
	case TCP_SYN_SENT:
		return attempt_given_up(a, now_ns);
	case TCP_CLOSE:
		return ATTEMPT_FAILED;
	default:
		return ATTEMPT_CONNECTED;
	}
}

void
pending_close(int fd)
{
	struct attempt a;

	/* In a vfork child the books are the parent's, whose descriptor stays open. */
	if (!fds_is_pending(fd) || !guard_owns_books())
		return;
	int state = tcp_state(fd);

	if (!fds_take(fd, &a))
		return;
	uint64_t now_ns = gate_now_ns();

	attempt_end(&a, result_at(state, &a, now_ns), 0, now_ns);
}

void
pending_shutdown(int fd)
{
	/* Of one that has failed the program can still learn how. */
	if (fds_is_pending(fd) && tcp_state(fd) != TCP_CLOSE)
		pending_close(fd);
}

bool
pending_lose(int fd)
{
	struct attempt a;

	if (!guard_owns_books())
		return false;
	uint64_t now_ns = gate_now_ns();

	if (fds_take(fd, &a))
		attempt_end(&a, attempt_given_up(&a, now_ns), 0, now_ns);
	conn_lose(fd);
	return true;
}

void
pending_copy(int fd, int to)
{
	if (fds_is_followed(fd))
		conn_copy(fd, to);
	else if (fds_get_kind(to) != fds_get_kind(fd) && guard_owns_books())
		fds_set_kind(to, fds_get_kind(fd));
}

void
pending_move(int fd, int to)
{
	struct attempt a;

	pending_copy(fd, to);
	if (fds_is_pending(fd) && guard_owns_books() && fds_take(fd, &a))
		fds_put(to, &a);
}
