#include "shim/conn_kernel.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "shim/hooks.h"
#include "sys/rawnet.h"

/* As the kernel counts them; <netinet/tcp.h> has them but not all of struct tcp_info. */
enum {
	STATE_ESTABLISHED = 1,
	STATE_TIME_WAIT = 6,
	STATE_CLOSE = 7,
	STATE_CLOSE_WAIT = 8,
	STATE_LAST_ACK = 9,
	STATE_CLOSING = 11
};

/* One that was reset has no peer any more. */
static bool
is_still(int fd, const struct conn *c)
{
	struct sockaddr_storage sa = {0};
	socklen_t len = sizeof(sa);
	struct dest_addr addr;
	int32_t port;
	int error = raw_getpeername(fd, (struct sockaddr *)&sa, &len);

	if (error != 0)
		return error == -ENOTCONN;
	if (!names_sockaddr((struct sockaddr *)&sa, len, &addr, &port) || port != c->port)
		return false;
	/* A connect to 0.0.0.0 is one to 127.0.0.1. */
	return dest_addr_equal(&addr, &c->addr) ||
	       (dest_is_loopback(&(struct dest){.addr = addr}) &&
		dest_is_loopback(&(struct dest){.addr = c->addr}));
}

static bool
has_ended(int state)
{
	return state == STATE_TIME_WAIT || state == STATE_CLOSE || state == STATE_CLOSE_WAIT ||
	       state == STATE_LAST_ACK || state == STATE_CLOSING;
}

bool
conn_ask_kernel(int fd, const struct conn *c, struct conn_kernel *out)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);
	int saved = errno;
	bool known =
		REAL(getsockopt)(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 && is_still(fd, c);

	errno = saved;
	*out = (struct conn_kernel){
		.is_reset = info.tcpi_state == STATE_CLOSE && !c->is_half_closed,
		.has_ended = has_ended(info.tcpi_state),
		.has_unread = known && raw_bytes_waiting(fd) > 0,
		.is_sending = info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0,
		.sent_ns = (uint64_t)info.tcpi_last_data_sent * 1000000,
	};
	/* Older kernels do not count. */
	if (!known || c->is_shared || len < offsetof(struct tcp_info, tcpi_bytes_retrans) + 8)
		return known;
	out->was_asked = info.tcpi_bytes_sent - info.tcpi_bytes_retrans > c->wrote_bytes;
	/* The end of the stream counts as a byte. */
	out->has_unread |= info.tcpi_bytes_received > c->read_bytes + out->has_ended;
	return true;
}
