/*
 * System calls for threads and processes that libc must not know of, as sys/raw.h
 * has them for files.
 */
#ifndef SYS_RAWPROC_H
#define SYS_RAWPROC_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/raw.h"

/*
 * Starts fn(arg) on its own stack: the thread's or process's id, or -errno.  What fn
 * returns is its exit status.  tid: where the flags want the id put; tls: the thread
 * pointer that they want set.
 */
struct raw_clone {
	unsigned long flags;
	void *stack_top; /* aligned to 16 bytes */
	int *parent_tid, *child_tid;
	void *tls;
};

int raw_clone(const struct raw_clone *how, int (*fn)(void *), void *arg);

/* A child's id, 0 with WNOHANG where it has not ended, or -errno. */
int raw_wait(pid_t pid, int *status, int options);

int raw_kill(pid_t pid, int signal);

/* False: there is no such process, or it has ended and waits for its parent. */
bool raw_process_lives(pid_t pid);

/* The child dies with the thread that made it; call it first thing in the child. */
int raw_die_with_parent(void);

/* The signal's action becomes the default one. */
int raw_sigdefault(int signal);

/* Waits for one signal of the set, all of which are blocked: its number, or -errno. */
int raw_sigwait(raw_sigset set);

/* Sends SIGALRM after wait_ns, also to the program that this process becomes. */
int raw_alarm(uint64_t wait_ns);

/* Closes first to last; false where the kernel does not know how. */
bool raw_close_range(unsigned first, unsigned last, unsigned flags);

/* Leaves the table of descriptors that this thread shares for an empty one of its own. */
int raw_leave_descriptors(void);

/* A copy of another process's (or thread group's) descriptor, or -errno. */
int raw_take_descriptor(pid_t pid, int fd);

int raw_exec(const char *path, char *const *argv, char *const *envp);
int raw_setsid(void);
int raw_dup3(int fd, int to, int flags);
void raw_yield(void);

/* Whether the file can be executed. */
bool raw_can_run(const char *path);

#endif
