#include "probe/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "sys/neterr.h"
#include "sys/raw.h"
#include "sys/rawnet.h"

static int
connect_to(int fd, const struct dest_addr *a, uint16_t port)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (a->family == 4) {
		memcpy(&four.sin_addr, a->bytes, sizeof(four.sin_addr));
		return raw_connect(fd, &four, sizeof(four));
	}
	memcpy(&six.sin6_addr, a->bytes, sizeof(six.sin6_addr));
	return raw_connect(fd, &six, sizeof(six));
}

static void
note_end(struct dial *d, int fd, int error)
{
	d->connected |= error == 0;
	d->failed |= neterr_blames_peer(error);
	raw_close(fd);
}

void
dial_start(struct dial *d, const struct dest_addr *addr, unsigned n, uint16_t port)
{
	memset(d, 0, sizeof(*d));
	for (unsigned i = 0; i < n && i < DIAL_ADDRESSES && !d->connected; i++) {
		int family = addr[i].family == 4 ? AF_INET : AF_INET6;
		int fd = raw_socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (fd < 0)
			continue;
		int result = connect_to(fd, &addr[i], port);

		if (result == -EINPROGRESS)
			d->fd[d->count++] = fd;
		else
			note_end(d, fd, -result);
	}
}

bool
dial_is_over(struct dial *d, enum outcome *outcome)
{
	struct pollfd fds[DIAL_ADDRESSES];
	unsigned n = dial_waits_for(d, fds);

	if (n > 0 && raw_poll(fds, n, 0, NULL) > 0) {
		d->count = 0;
		for (unsigned i = 0; i < n; i++) {
			if (fds[i].revents != 0)
				note_end(d, fds[i].fd, raw_socket_error(fds[i].fd));
			else
				d->fd[d->count++] = fds[i].fd;
		}
	}
	if (d->count > 0 && !d->connected)
		return false;
	*outcome = d->connected ? OUTCOME_OK : d->failed ? OUTCOME_FAIL : OUTCOME_NEUTRAL;
	dial_stop(d);
	return true;
}

unsigned
dial_waits_for(const struct dial *d, struct pollfd *out)
{
	for (unsigned i = 0; i < d->count; i++)
		out[i] = (struct pollfd){.fd = d->fd[i], .events = POLLOUT};
	return d->count;
}

void
dial_stop(struct dial *d)
{
	while (d->count > 0)
		raw_close(d->fd[--d->count]);
}
