/*
 * What the hooks tell of a connection that is followed: what the program sends, receives
 * and waits for, and how it ends.
 *
 * A hook takes the connection with conn_at() before the system call, since another thread
 * may close the descriptor meanwhile.  errno is kept.
 */
#ifndef SHIM_CONN_H
#define SHIM_CONN_H

#include <sys/uio.h>

#include "shim/attempt.h"
#include "shim/conn_table.h"

/*
 * The connect on fd succeeded; call goes on with the connection, NULL: it has none.
 * False: it cannot be followed, and the call is still the caller's.
 */
bool conn_open(int fd, const struct attempt *a, const struct gate_call *call, uint64_t now_ns);

/* Bytes in memory, or in a file: then parts is NULL. */
struct conn_bytes {
	const struct iovec *parts;
	size_t count;
	size_t size; /* at most that many of them */
};

/* From before a system call that sends to after it. */
struct conn_sending {
	struct conn_ref ref; /* place 0: not followed */
	struct conn_bytes bytes;
	struct iovec inside; /* what bytes points at, for a TLS library */
	struct talk_sent before;
	uint16_t restarts;
	uint16_t questions;
	uint8_t side; /* CONN_OUTSIDE or CONN_INSIDE */
};

/*
 * The program is about to send.  False: refused; the connection is shut down, and the
 * hook fails with ECONNRESET.  True: conn_sent() must follow, with what the call
 * returned and its errno.
 */
bool conn_sends(struct conn_ref ref, const struct conn_bytes *bytes, struct conn_sending *s);
void conn_sent(const struct conn_sending *s, ssize_t result, int error);

/* What a call that receives returned; peeked: the bytes will come again. */
void conn_received(struct conn_ref ref, const struct conn_bytes *bytes, ssize_t result, int error,
		   bool peeked);

/* conn_wait_begin() and conn_wait_end(), and what follows for a call that may time out. */
void conn_waits(struct conn_ref ref, uint64_t now_ns);
void conn_waited(struct conn_ref ref, uint64_t since_ns, uint64_t now_ns);

/* SO_ERROR told of a connection's error. */
void conn_failed(struct conn_ref ref, int error);

/* The program is about to shut fd down, or to close it. */
void conn_shutdown(int fd, int how);
void conn_close(int fd);

/* fd is a new descriptor: the connection that it stood for was closed unseen. */
void conn_lose(int fd);

/* to is now a copy of fd. */
void conn_copy(int fd, int to);

/* The program ends: so does all that waits. */
void conn_at_exit(void);

/* A child that shares the connections is about to be, and is there. */
void conn_before_fork(void);
void conn_after_fork(void);

/*
 * The same from within a TLS library: the connection on which the ClientHello with that
 * random passed (its first eight bytes), and what is said inside it.  edge: a constant.
 */
struct conn_ref conn_inside(uint64_t hello, const char *edge);

/* Its session was negotiated anew, out of sight, with this random. */
void conn_inside_anew(struct conn_ref ref, uint64_t hello);

bool conn_sends_inside(struct conn_ref ref, const void *data, size_t size, struct conn_sending *s);
void conn_received_inside(struct conn_ref ref, const void *data, size_t size);

/*
 * The program says goodbye, and may wait for the other side's.  Where it has waited for an
 * answer before, it gave up; else it may just have no more questions.
 */
void conn_leaves_inside(struct conn_ref ref);

#endif
