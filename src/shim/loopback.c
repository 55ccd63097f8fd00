#include "shim/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "shim/names.h"
#include "sys/highfd.h"
#include "sys/rawnet.h"

#define PATIENCE_NS UINT64_C(50000000) /* the kernel may put loopback off when it is busy */
#define TRIES 4			       /* others may connect as well */
#define ROOM (256 * 1024)	       /* for any answer whole */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} as;
	socklen_t len;
};

static struct address
ipv4_loopback(void)
{
	struct address a = {.len = sizeof(a.as.v4)};

	a.as.v4.sin_family = AF_INET;
	a.as.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static struct address
ipv6_loopback(void)
{
	struct address a = {.len = sizeof(a.as.v6)};

	a.as.v6.sin6_family = AF_INET6;
	a.as.v6.sin6_addr = in6addr_loopback;
	return a;
}

/* An IPv4 address as a socket of IPv6 is told it. */
static struct address
mapped(const struct address *v4)
{
	struct address a = {.len = sizeof(a.as.v6)};

	a.as.v6.sin6_family = AF_INET6;
	a.as.v6.sin6_port = v4->as.v4.sin_port;
	a.as.v6.sin6_addr.s6_addr[10] = a.as.v6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&a.as.v6.sin6_addr.s6_addr[12], &v4->as.v4.sin_addr, 4);
	return a;
}

static bool
is_mapped(const struct sockaddr *sa)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)sa;

	return sa->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
}

/* Listens there and puts the port into *at: the descriptor, or -errno. */
static int
listen_at(struct address *at)
{
	int fd = raw_socket(at->as.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = fd;

	if (fd < 0)
		return fd;
	/* Those that it accepts inherit this. */
	raw_set_option(fd, SOL_SOCKET, SO_SNDBUF, ROOM);
	if ((error = raw_bind(fd, &at->as.any, at->len)) == 0 &&
	    (error = raw_listen(fd, TRIES)) == 0 &&
	    (error = raw_getsockname(fd, &at->as.any, &at->len)) == 0)
		return fd;
	raw_close(fd);
	return error;
}

static bool
is_same_end(const struct sockaddr_storage *a, socklen_t a_len, const struct sockaddr_storage *b,
	    socklen_t b_len)
{
	struct dest_addr a_addr, b_addr;
	int32_t a_port, b_port;

	return names_sockaddr((const struct sockaddr *)a, a_len, &a_addr, &a_port) &&
	       names_sockaddr((const struct sockaddr *)b, b_len, &b_addr, &b_port) &&
	       a_port == b_port && dest_addr_equal(&a_addr, &b_addr);
}

/* Accepts the connection of fd and no other's. */
static int
accept_from(int listener, int fd)
{
	struct sockaddr_storage own = {0}, from = {0};
	socklen_t own_len = sizeof(own);
	int error = raw_getsockname(fd, (struct sockaddr *)&own, &own_len);

	for (int i = 0; error == 0 && i < TRIES; i++) {
		struct pollfd comes = {.fd = listener, .events = POLLIN};
		socklen_t len = sizeof(from);
		int peer = raw_accept(listener, &from, &len);

		if (peer == -EAGAIN) {
			if (raw_poll(&comes, 1, PATIENCE_NS / TRIES, NULL) < 0)
				break;
			peer = raw_accept(listener, &from, &len);
		}
		if (peer < 0)
			continue;
		if (is_same_end(&from, len, &own, own_len))
			return peer;
		raw_close(peer);
	}
	return error != 0 ? error : -ETIMEDOUT;
}

/* Out of the program's way; where there is no room, it is left alone. */
static int
move_high(int fd)
{
	int first = highfd_first();
	int high = first > 3 ? raw_fcntl(fd, F_DUPFD_CLOEXEC, first) : -EMFILE;

	raw_close(fd);
	return high;
}

uint64_t
loopback_file(int fd)
{
	struct stat st;

	if (raw_fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return 0;
	return (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 48;
}

/* The shim's end of a connection to at, where the listener is. */
static int
join(int fd, int listener, const struct address *at, int *peer)
{
	int result = raw_connect(fd, &at->as.any, at->len);

	if (result != 0 && result != -EINPROGRESS)
		return result;
	*peer = accept_from(listener, fd);
	if (*peer >= 0)
		*peer = move_high(*peer);
	return *peer < 0 ? *peer : result;
}

static int
connect_at(int fd, struct address at, bool maps, int *peer)
{
	int listener = listen_at(&at);
	struct address to = maps ? mapped(&at) : at;

	if (listener < 0)
		return listener;
	int result = join(fd, listener, &to, peer);

	raw_close(listener);
	return result;
}

/* Of a socket that blocks the connect is over when it returns. */
static int
finish(int fd, int flags, int result)
{
	struct address none = ipv4_loopback();

	if ((flags & O_NONBLOCK) != 0)
		return result;
	if (result == -EINPROGRESS)
		raw_connect(fd, &none.as.any, none.len);
	raw_fcntl(fd, F_SETFL, flags);
	return 0;
}

static int
connect_unheard(int fd, const struct sockaddr *asked, struct loopback *out)
{
	int flags = raw_fcntl(fd, F_GETFL, 0);
	bool maps = is_mapped(asked);
	int result;

	if (flags < 0)
		return flags;
	if ((flags & O_NONBLOCK) == 0)
		raw_fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (asked->sa_family == AF_INET6 && !maps)
		result = connect_at(fd, ipv6_loopback(), false, &out->peer);
	else
		result = connect_at(fd, ipv4_loopback(), maps, &out->peer);
	if (result == 0 || result == -EINPROGRESS)
		return finish(fd, flags, result);
	raw_disconnect(fd);
	raw_fcntl(fd, F_SETFL, flags);
	return result;
}

int
loopback_connect(int fd, const struct sockaddr *asked, struct loopback *out)
{
	raw_sigset before;
	int error = raw_sigprocmask(SIG_BLOCK, ~UINT64_C(0), &before);

	if (error != 0)
		return error;
	int result = connect_unheard(fd, asked, out);

	raw_sigprocmask(SIG_SETMASK, before, NULL);
	if (result == 0 || result == -EINPROGRESS) {
		out->own_file = loopback_file(fd);
		out->peer_file = loopback_file(out->peer);
	}
	return result;
}
