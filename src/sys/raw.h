/*
 * System calls that pass by libc, so that neither the shim's own hooks nor those
 * of another preloaded library see them.
 *
 * They return what the kernel does: a value, or -errno.  errno itself is never
 * touched.  Safe everywhere, also in signal handlers and after vfork.  On machines
 * other than x86_64 and aarch64 they go through libc, hooks included.
 */
#ifndef SYS_RAW_H
#define SYS_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Any of them. */
long raw_call(long number, long a, long b, long c, long d, long e, long f);

ssize_t raw_write(int fd, const void *data, size_t len);
ssize_t raw_read(int fd, void *data, size_t size);
ssize_t raw_pread(int fd, void *data, size_t size, int64_t offset);
int raw_open(const char *path, int flags, mode_t mode);
int raw_close(int fd);
int raw_fstat(int fd, struct stat *out);
int raw_fcntl(int fd, int command, long argument);
pid_t raw_getpid(void);
pid_t raw_gettid(void);

/* A set of signals as the kernel has it: signal n is bit n - 1. */
typedef uint64_t raw_sigset;

#define RAW_SIGNAL(n) (UINT64_C(1) << ((n)-1))

/* how is SIG_BLOCK, SIG_UNBLOCK or SIG_SETMASK; old may be NULL. */
int raw_sigprocmask(int how, raw_sigset set, raw_sigset *old);
int raw_sigpending(raw_sigset *out);

/* Takes one pending signal of the set, without waiting: its number, or -EAGAIN. */
int raw_sigtake(raw_sigset set);

#endif
