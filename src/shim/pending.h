/*
 * How the end of a connect is learned, told by what the program did with the
 * descriptor.  Each settles the connect at most once and keeps errno.
 */
#ifndef SHIM_PENDING_H
#define SHIM_PENDING_H

#include <stdbool.h>

/* A system call on fd returned; error is its errno, 0 when it did not fail. */
void pending_settle(int fd, int error);

/* The same for one that also succeeds while the connect is still under way. */
void pending_settle_checked(int fd, int error);

/* Whether it has succeeded by now, as far as the kernel tells. */
void pending_look(int fd);

/* The program is about to close fd, or to put another file in its place. */
void pending_close(int fd);

/* The program is about to shut fd down, which makes an error of a connect under way. */
void pending_shutdown(int fd);

/*
 * fd is new, so what was under way there was closed unseen.  False: in a vfork child,
 * where the number is another descriptor than in the books.
 */
bool pending_lose(int fd);

/* to is now a copy of fd. */
void pending_copy(int fd, int to);

/* The same, and the copy is what the program goes on with. */
void pending_move(int fd, int to);

#endif
