/* Where libcutout.so is, and what LD_PRELOAD becomes with it. */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/*
 * Looks beside the running command, in .libs/ there, and where libraries are
 * installed; out is an absolute path.  False: it is in none of these.
 */
bool preload_find(char out[PATH_MAX]);

/* Whether LD_PRELOAD can hold this path, whose separators nothing can escape. */
bool preload_can_hold(const char *path);

/*
 * The new LD_PRELOAD: library before what is there (NULL: nothing), but behind the
 * runtimes of sanitizers, which end a program that loads them later.  Unchanged
 * where library is in it already.  The caller frees it; NULL: out of memory.
 */
char *preload_join(const char *library, const char *there);

#endif
