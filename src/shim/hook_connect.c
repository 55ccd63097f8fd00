#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "shim/address.h"
#include "shim/conn.h"
#include "shim/curl_detour.h"
#include "shim/fallback.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/hooks.h"
#include "shim/init.h"
#include "shim/pending.h"
#include "shim/real.h"
#include "shim/refusal.h"
#include "shim/stand_ins.h"

EXPORT int
socket(int domain, int type, int protocol)
{
	int fd = REAL(socket)(domain, type, protocol);
	bool stream = (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_STREAM;

	if (!fds_is_ours(fd) || pending_lose(fd))
		fds_set_kind(fd, stream && protocol != IPPROTO_MPTCP ? FDS_STREAM : FDS_OTHER);
	return fd;
}

/* Only the connect of a stream that has none tells whether somebody is there. */
static bool
is_free_stream(int fd)
{
	enum fds_kind kind = fds_get_kind(fd);
	socklen_t len = sizeof(int);
	int type = 0, saved = errno;

	if (kind != FDS_UNKNOWN)
		return kind == FDS_STREAM;
	REAL(getsockopt)(fd, SOL_SOCKET, SO_TYPE, &type, &len);
	errno = saved;
	return type == SOCK_STREAM;
}

/* The gate for a connect; GATE_PASS also for what is none of ours. */
static enum gate_answer
ask(int fd, const struct sockaddr *sa, socklen_t len, const void *caller, struct attempt *a)
{
	struct dest_addr addr;
	int32_t port;

	a->is_moved = false;
	if (gate_rules() == NULL || !names_sockaddr(sa, len, &addr, &port) ||
	    guard_in_transfer(caller) || !is_free_stream(fd))
		return GATE_PASS;

	uint64_t now_ns = gate_now_ns();
	enum gate_answer answer = attempt_begin(&addr, port, now_ns, a);

	if (answer != GATE_REFUSE || fallback_take(fd, sa, now_ns, a, &answer))
		return answer;
	if (a->is_stray && gate_would_admit(&a->call.target, now_ns))
		return GATE_PASS;
	attempt_refused(a, now_ns);
	return GATE_REFUSE;
}

static int
call_on(int fd, const struct sockaddr *sa, socklen_t len)
{
	int result = REAL(connect)(fd, sa, len);

	if (result == 0 || errno == EINPROGRESS)
		refusal_clear(REFUSAL_CONNECT);
	else
		refusal_outdate(REFUSAL_CONNECT, errno);
	return result;
}

/* A connect to no address ends the one under way. */
static bool
is_cancel(const struct sockaddr *sa, socklen_t len)
{
	return may_be_read(sa) && len >= sizeof(sa->sa_family) && sa->sa_family == AF_UNSPEC;
}

/* The socket of a connection is free for another one: who stands in must not go on. */
static void
cancel(int fd)
{
	if (stand_ins_has(fd))
		conn_lose(fd);
	else
		conn_close(fd);
}

/* A second connect asks how the first one ended. */
static int
connect_again(int fd, const struct sockaddr *sa, socklen_t len)
{
	bool cancels = is_cancel(sa, len);

	if (cancels)
		pending_close(fd);
	int result = REAL(connect)(fd, sa, len);

	if (!cancels)
		pending_settle(fd, result == 0 || errno == EISCONN ? 0 : errno);
	return result;
}

/* Where the answer is HTTP, the connect goes to one who gives it. */
static int
refuse(int fd, const struct sockaddr *sa, const struct attempt *a)
{
	int error;

	if (stand_in_open(fd, sa, a, &error)) {
		refusal_clear(REFUSAL_CONNECT);
		if (error == 0)
			return 0;
	} else {
		error = a->call.target.section->settings.refuse_errno;
		refusal_set(REFUSAL_CONNECT, error, &a->call.target);
	}
	errno = error;
	return -1;
}

/* The socket is connected, which some versions of libcurl do not believe. */
static bool
is_detour(const struct sockaddr *sa, socklen_t len)
{
	return may_be_read(sa) && len > sizeof(sa->sa_family) && sa->sa_family == AF_UNIX &&
	       curl_detour_leads_to(sa, len);
}

EXPORT int
connect(int fd, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_storage elsewhere;
	struct attempt a;

	init_now();
	if (fds_is_pending(fd))
		return connect_again(fd, sa, len);
	if (__builtin_expect(fds_is_followed(fd), 0) && is_cancel(sa, len))
		cancel(fd);

	enum gate_answer answer = ask(fd, sa, len, __builtin_return_address(0), &a);

	if (answer != GATE_REFUSE && a.is_moved) {
		len = address_make(&a.addr, a.port, sa->sa_family, &elsewhere);
		sa = (const struct sockaddr *)&elsewhere;
	}
	switch (answer) {
	case GATE_REFUSE:
		return refuse(fd, sa, &a);
	case GATE_PASS:
		return is_detour(sa, len) ? 0 : call_on(fd, sa, len);
	case GATE_ADMIT:
		break;
	}
	/* Before the call: a signal handler may jump out of it and close the descriptor. */
	bool followed = fds_put(fd, &a);
	int result = call_on(fd, sa, len), error = result == 0 ? 0 : errno;

	if (followed)
		pending_settle(fd, error);
	else
		attempt_end(&a, attempt_result_of(error), error, gate_now_ns());
	return result;
}

/* Who stands in for another bears its address. */
EXPORT int
getpeername(int fd, struct sockaddr *sa, socklen_t *len)
{
	socklen_t room = may_be_read(len) ? *len : 0;
	int result = REAL(getpeername)(fd, sa, len);

	if (__builtin_expect(fds_is_followed(fd), 0) && result == 0)
		stand_ins_name(fd, sa, room);
	return result;
}
