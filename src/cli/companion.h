/*
 * The companion of "cutout run": a process that holds the memory of a tree, makes its
 * probes, and ends when the program ends.
 *
 * It is nobody's child that the program could wait for, in a session of its own.
 */
#ifndef CLI_COMPANION_H
#define CLI_COMPANION_H

#include <sys/types.h>

#define COMPANION_PATH_MAX 64

/*
 * Starts one for the calling process, which will become the program.  rules is the
 * rules file or NULL for the built-in rules.  state becomes the path under which the
 * tree's memory is found.  0, or -errno.
 */
int companion_start(const char *rules, char state[COMPANION_PATH_MAX]);

#endif
