/*
 * What the shim knows of descriptors: whether one is a stream socket, the connect whose
 * end is still to be learned, and that one stands for a connection that is followed.
 *
 * One word per descriptor; descriptors at or above FDS_MAX are not followed.  No lock,
 * no allocation; a descriptor that is closed or used anew by another thread meanwhile
 * is noticed.
 */
#ifndef SHIM_FDS_H
#define SHIM_FDS_H

#include "core/atomics.h"
#include "shim/attempt.h"

#define FDS_MAX 65536

/*
 * Connects on FDS_OTHER tell nothing: it is no stream, or is connected.  FDS_FOLLOWED is
 * a connection of conn_table.h.
 */
enum fds_kind { FDS_UNKNOWN, FDS_STREAM, FDS_OTHER, FDS_FOLLOWED };

extern atomic_u32 fds_words[FDS_MAX];

/* Bits 0-1 the kind, bit 2 a pending connect, bit 3 being written, above a sequence. */
#define FDS_PENDING UINT32_C(4)

/* The question that every hook asks first: one load and a branch. */
static inline bool
fds_is_ours(int fd)
{
	return (unsigned)fd < FDS_MAX && (load_relaxed(&fds_words[fd]) & 7) >= FDS_FOLLOWED;
}

static inline bool
fds_is_pending(int fd)
{
	return (unsigned)fd < FDS_MAX && (load_relaxed(&fds_words[fd]) & FDS_PENDING) != 0;
}

static inline bool
fds_is_followed(int fd)
{
	return (unsigned)fd < FDS_MAX && (load_relaxed(&fds_words[fd]) & 7) == FDS_FOLLOWED;
}

/* A new socket: whatever was known of that number is over. */
void fds_set_kind(int fd, enum fds_kind kind);
enum fds_kind fds_get_kind(int fd);

/* It is FDS_UNKNOWN from now on.  False: it was not followed, or another thread was first. */
bool fds_unfollow(int fd);

/* Remembers a connect under way.  False: not followed. */
bool fds_put(int fd, const struct attempt *a);

/* Takes it out again, once.  False: there is none, or another thread was first. */
bool fds_take(int fd, struct attempt *out);

/* The same; the descriptor is FDS_OTHER from now on. */
bool fds_take_connected(int fd, struct attempt *out);

/* In a forked child: the connects under way are the parent's. */
void fds_after_fork(void);

/* No descriptor at or above this was ever noted. */
unsigned fds_end(void);

#endif
