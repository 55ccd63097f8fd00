/*
 * The cutout command as a helper process: what needs look-ups, TLS or libcurl runs
 * there, never in the program.
 *
 * A helper is the child of a keeper, a process on this one's memory that is no child
 * for the program's wait(): it ends without a signal, and alone __WALL and __WCLONE
 * show it.  (A helper as a direct child would be one that wait() sees, since exec gives
 * every process SIGCHLD for its end.)  All by raw system calls.
 */
#ifndef PROBE_HELPER_H
#define PROBE_HELPER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define HELPERS_MAX 16

/* How to start one: prepared once, then only read. */
struct helper_command {
	char path[PATH_MAX];
	char *environment[32];
	char text[4096]; /* of the environment */
};

/*
 * library is the shim's own path, beside which the command is looked for, NULL: this
 * process is the command.  Keeps a copy of what of the environment matters.
 */
void helper_prepare(struct helper_command *c, const char *library);

enum helper_end {
	HELPER_RUNS,
	HELPER_PASSED,	   /* exit status 0 */
	HELPER_FAILED,	   /* 1, or its time was over */
	HELPER_UNDECIDED,  /* 3, or killed */
	HELPER_UNAVAILABLE /* it cannot be run here, or lacks what it needs */
};

/* The exit statuses of `cutout probe` beside 0. */
enum { HELPER_EXIT_FAILED = 1, HELPER_EXIT_UNDECIDED = 3, HELPER_EXIT_LACKS = 4 };

/*
 * Starts the command with these arguments (NULL ends them), which are copied, to be
 * killed after limit_ns.  Returns its number, or -errno; -EAGAIN: too many run.
 */
int helper_start(const struct helper_command *c, const char *const *argv, uint64_t limit_ns);

/* Looks, without waiting; after anything but HELPER_RUNS the number is free again. */
enum helper_end helper_look(int number);

/* The descriptor that becomes readable when the helper ends. */
int helper_fd(int number);

/* Lets it be killed; nothing more is heard of it. */
void helper_drop(int number);

/* Frees the places of those dropped that have ended; whether none is left. */
bool helper_sweep(void);

/* In a forked child: those of the parent are not ours. */
void helper_forget_all(void);

#endif
