/*
 * A state that processes share: the memory of one tree, or a file on a tmpfs.
 *
 * The memory of a tree is a sealed memfd that nobody can cut short.  A file is made
 * whole before it gets its name.  What is opened is checked: kind, owner, size, version
 * and layout.  Nothing is allocated, nothing of it is a descriptor that stays open but
 * the one that state_make() returns.
 */
#ifndef STATE_STATE_MAP_H
#define STATE_STATE_MAP_H

#include "state/state.h"

#define STATE_ERROR_MAX 160

/* Makes the memory of a tree: a close-on-exec descriptor, or -errno. */
int state_make(void);

/*
 * Maps the state at path; where there is no file and create is set, makes one, for this
 * user alone.  NULL: error holds a sentence.
 */
struct state *state_open(const char *path, bool create, char error[STATE_ERROR_MAX]);

/* Whether this process sees the others of a shared state under the pids that they have. */
bool state_shares_pids(const struct state *s);

void state_close(struct state *s);

#endif
