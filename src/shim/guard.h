/*
 * What this thread is in the middle of, and what process this is.
 *
 * A transfer of libcurl is one call: the connects and look-ups that libcurl makes
 * inside it, on this thread, are not counted again.
 */
#ifndef SHIM_GUARD_H
#define SHIM_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* A small number of this thread's own, for spreading threads over shards. */
unsigned guard_thread(void);

/* Whether this thread is inside a transfer and the caller is libcurl itself. */
bool guard_in_transfer(const void *caller);

/* Transfers nest when a callback makes another one. */
void guard_enter_transfer(void);
void guard_leave_transfer(void);

/*
 * Whether this is the process that the books belong to.  False in a vfork child,
 * whose memory is its parent's.  One system call, once one was ever to be expected.
 */
bool guard_owns_books(void);
void guard_expect_vfork(void);

/* Takes over the books: at start, and in a forked child. */
void guard_take_books(void);

#endif
