/*
 * One call of a TLS library's function as its connection sees it: what the hooks of all
 * such libraries share.
 *
 * A session finds its connection by the random of its ClientHello, which passed the
 * socket in the clear and which every library tells: so it does not matter how the library
 * writes, to a descriptor, through a program's callbacks or into memory.  Ends and errors
 * are the socket's to tell.
 *
 * errno is kept.
 */
#ifndef SHIM_TLS_CALL_H
#define SHIM_TLS_CALL_H

#include "shim/conn.h"

/* function: the library's own that is called, so that others of it can be found. */
struct tls_library {
	const char *edge; /* for the log */
	/* The first eight bytes of the random; 0: not known yet. */
	uint64_t (*hello)(void *session, const void *function);
	bool (*is_client)(void *session, const void *function);
};

struct tls_call {
	const struct tls_library *library;
	const void *function;
	void *session;
	struct conn_ref ref; /* place 0: of no connection that is followed */
	uint64_t hello;
};

/* Before the library's function: which is about to send, to receive, or to say goodbye. */
void tls_call_sends(struct tls_call *c, const void *data, size_t size, struct conn_sending *s);
void tls_call_receives(struct tls_call *c);
void tls_call_leaves(struct tls_call *c);

/* After the first two: how many bytes it took, or gave; 0 or less: none, and nothing follows from
 * that. */
void tls_call_sent(const struct tls_call *c, const struct conn_sending *s, ssize_t taken);
void tls_call_received(const struct tls_call *c, const void *data, ssize_t size);

#endif
