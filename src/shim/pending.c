#include "shim/pending.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/hooks.h"

/* Errors that leave the end of a connect open. */
static bool
leaves_open(int error)
{
	return error == EAGAIN || error == EINPROGRESS || error == EALREADY || error == EINTR ||
	       error == ENOTCONN;
}

void
pending_settle(int fd, int error)
{
	struct attempt a;

	if (leaves_open(error) || !fds_take(fd, &a))
		return;
	attempt_end(&a, attempt_result_of(error), error, gate_now_ns());
}

/* Whether the connect has come to an end that the program did not ask for. */
static bool
has_ended(int fd, int *error)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	int saved = errno;
	bool known = REAL(getsockopt)(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0;

	len = sizeof(*error);
	if (REAL(getsockopt)(fd, SOL_SOCKET, SO_ERROR, error, &len) != 0)
		*error = 0;
	errno = saved;
	return *error != 0 || (known && info.tcpi_state != TCP_SYN_SENT);
}

void
pending_close(int fd)
{
	uint64_t now_ns;
	struct attempt a;
	int error = 0;

	/* In a vfork child the books are the parent's, whose descriptor stays open. */
	if (!fds_is_pending(fd) || !guard_owns_books())
		return;
	bool ended = has_ended(fd, &error);

	if (!fds_take(fd, &a))
		return;
	now_ns = gate_now_ns();
	if (ended)
		attempt_end(&a, attempt_result_of(error), error, now_ns);
	else
		attempt_end(&a, attempt_given_up(&a, now_ns), 0, now_ns);
}

bool
pending_lose(int fd)
{
	struct attempt a;

	if (!guard_owns_books())
		return false;
	if (fds_take(fd, &a))
		attempt_end(&a, ATTEMPT_GAVE_UP, 0, gate_now_ns());
	return true;
}

void
pending_move(int fd, int to)
{
	struct attempt a;

	if (fd != to && guard_owns_books() && fds_take(fd, &a))
		fds_put(to, &a);
}
