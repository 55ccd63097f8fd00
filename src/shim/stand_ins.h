/*
 * What the hooks tell of connections that stand in for a dependency, see stand_in.h.
 * Whatever the descriptor is, it may be asked for; errno is kept.
 */
#ifndef SHIM_STAND_INS_H
#define SHIM_STAND_INS_H

#include "shim/conn.h"
#include "shim/stand_in.h"

/* Whether fd is such a connection: a few loads. */
static inline bool
stand_ins_has(int fd)
{
	return conn_stands_in(conn_at(fd)) != 0;
}

/*
 * The program sends bytes, or up to size bytes of what from is open on: a file, at *offset
 * where offset is not NULL (and moved on), or a pipe.  True: *result is what the hook
 * returns, or -errno.  False: it is no such connection, the kernel is to be called.
 */
bool stand_ins_take(int fd, const struct conn_bytes *bytes, ssize_t *result);
bool stand_ins_take_file(int fd, int from, int64_t *offset, size_t size, ssize_t *result);
bool stand_ins_take_pipe(int fd, int from, size_t size, ssize_t *result);

/*
 * The program is about to read; waits: until there is something, and for nothing else.
 * Who waits before it has asked will never be answered: the connection is reset.
 */
void stand_ins_await(int fd, bool waits);

/* The same for a read with these flags, of recv(). */
void stand_ins_await_read(int fd, int flags);

/* The program was told of that error: it reads the message where it asks for its text. */
void stand_ins_tell(int fd, int error);

/* The program has shut fd down. */
void stand_ins_shutdown(int fd, int how);

/* From now on libc may write to fd, and read from it, unseen. */
void stand_ins_lend(int fd);

/* Puts the address that the program asked for in place of the kernel's, in size bytes. */
void stand_ins_name(int fd, struct sockaddr *address, socklen_t size);

/* A child is about to be forked; a program about to be executed in this process. */
void stand_ins_before_fork(void);
void stand_ins_before_exec(void);

/*
 * A wait for events that cannot be told to be for a connection: it is cut into slices,
 * so that one that goes on without a request can be reset after a second.
 */
struct stand_ins_wait {
	uint64_t end_ns; /* UINT64_MAX: none */
	bool is_last;	 /* slice */
};

/* timeout_ns is UINT64_MAX for ever.  The first slice follows, as each does, in ns. */
uint64_t stand_ins_wait(struct stand_ins_wait *w, uint64_t timeout_ns);

/* After a slice in which nothing came.  0: the wait is over. */
uint64_t stand_ins_wait_on(struct stand_ins_wait *w);

#endif
