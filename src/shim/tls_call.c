#include "shim/tls_call.h"

#include <errno.h>

/*
 * The other end of a connection within this process has the same random, and is left
 * alone.
 */
static void
find(struct tls_call *c)
{
	c->ref = (struct conn_ref){0, 0};
	if (!conn_has_hellos())
		return;
	c->hello = c->library->hello(c->session, c->function);
	if (c->hello != 0 && conn_by_hello(c->hello).place != 0 &&
	    c->library->is_client(c->session, c->function))
		c->ref = conn_inside(c->hello, c->library->edge);
}

/* A server may ask within a session for a new handshake, which nobody sees at the socket. */
static void
find_again(const struct tls_call *c)
{
	uint64_t hello = c->library->hello(c->session, c->function);

	if (__builtin_expect(hello != c->hello && hello != 0, 0))
		conn_inside_anew(c->ref, hello);
}

/* Refused or not, the function is called: where it is, the socket refuses what it writes. */
void
tls_call_sends(struct tls_call *c, const void *data, size_t size, struct conn_sending *s)
{
	find(c);
	if (c->ref.place == 0)
		return;
	int saved = errno;

	conn_sends_inside(c->ref, data, size, s);
	errno = saved;
}

void
tls_call_sent(const struct tls_call *c, const struct conn_sending *s, ssize_t taken)
{
	if (c->ref.place == 0)
		return;
	int saved = errno;

	find_again(c);
	conn_sent(s, taken > 0 ? taken : -1, EAGAIN);
	errno = saved;
}

void
tls_call_receives(struct tls_call *c)
{
	find(c);
}

void
tls_call_received(const struct tls_call *c, const void *data, ssize_t size)
{
	if (c->ref.place == 0)
		return;
	int saved = errno;

	find_again(c);
	if (size > 0)
		conn_received_inside(c->ref, data, (size_t)size);
	errno = saved;
}

void
tls_call_leaves(struct tls_call *c)
{
	find(c);
	if (c->ref.place == 0)
		return;
	int saved = errno;

	conn_leaves_inside(c->ref);
	errno = saved;
}
