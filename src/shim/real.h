/*
 * The functions that the shim stands in front of.  This is the only place that asks
 * the dynamic linker.
 */
#ifndef SHIM_REAL_H
#define SHIM_REAL_H

#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef int real_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		       const posix_spawnattr_t *, char *const *, char *const *);

/*
 * libc's own.  NULL until it is found: see REAL() in hooks.h, which every hook uses,
 * also one that runs before any constructor (an allocator that calls syscall() while the
 * linker is still at work).
 */
struct real_libc {
	int (*socket)(int, int, int);
	int (*connect)(int, const struct sockaddr *, socklen_t);
	int (*getaddrinfo)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	int (*getsockopt)(int, int, int, void *, socklen_t *);
	int (*shutdown)(int, int);
	int (*close)(int);
	int (*fclose)(FILE *);
	void *(*dlopen)(const char *, int);
	int (*dlclose)(void *);
	int (*close_range)(unsigned, unsigned, int); /* NULL before glibc 2.34 */
	int (*dup)(int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	int (*fcntl)(int, int, ...);
	pid_t (*vfork)(void);
	int (*clone)(int (*)(void *), void *, int, void *, ...);
	void (*closefrom)(int); /* NULL before glibc 2.34 */
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int (*__poll_chk)(struct pollfd *, nfds_t, int, size_t);
	int (*__ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *,
			   size_t);
	int (*select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
	int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
		       const sigset_t *);
	int (*sendmmsg)(int, struct mmsghdr *, unsigned, int);
	ssize_t (*sendfile)(int, int, off_t *, size_t);
	ssize_t (*splice)(int, loff_t *, int, loff_t *, size_t, unsigned);
	int (*recvmmsg)(int, struct mmsghdr *, unsigned, int, struct timespec *);
	ssize_t (*__read_chk)(int, void *, size_t, size_t);
	ssize_t (*__recv_chk)(int, void *, size_t, size_t, int);
	ssize_t (*__recvfrom_chk)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*epoll_wait)(int, struct epoll_event *, int, int);
	int (*epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
	int (*getpeername)(int, struct sockaddr *, socklen_t *);
	FILE *(*fdopen)(int, const char *);
	ssize_t (*write)(int, const void *, size_t);
	ssize_t (*writev)(int, const struct iovec *, int);
	ssize_t (*send)(int, const void *, size_t, int);
	ssize_t (*sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
	ssize_t (*sendmsg)(int, const struct msghdr *, int);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*readv)(int, const struct iovec *, int);
	ssize_t (*recv)(int, void *, size_t, int);
	ssize_t (*recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
	ssize_t (*recvmsg)(int, struct msghdr *, int);
	long (*syscall)(long, ...);
	int (*execve)(const char *, char *const *, char *const *);
	int (*execvpe)(const char *, char *const *, char *const *);
	int (*fexecve)(int, char *const *, char *const *);
	int (*execveat)(int, const char *, char *const *, char *const *,
			int); /* NULL before glibc 2.34 */
	real_spawn *posix_spawn, *posix_spawnp;
	int (*system)(const char *);
	FILE *(*popen)(const char *, const char *);
	char *(*strerror)(int);
	char *(*strerror_l)(int, locale_t);
	char *(*strerror_r)(int, char *, size_t);
	int (*__xpg_strerror_r)(int, char *, size_t);
	const char *(*gai_strerror)(int);
};

extern struct real_libc real;

/* Finds those that may first be called where the linker had better be left alone. */
void real_init(void);

/* Finds the one at that offset of struct real_libc; it stays NULL where libc has none. */
void real_find(size_t offset);

/* Finds all of them. */
void real_find_all(void);

/*
 * Whether what stands behind the hooks for single system calls is libc's own, and no library
 * that was preloaded as well, which may come back by syscall().  Not known yet: false.
 */
bool real_calls_are_libcs(void);

/* Whether the function is one of glibc's. */
bool real_is_of_libc(const void *function);

/* Where the linker found the shim; NULL: it does not say. */
const char *real_own_name(void);

/*
 * The function of that name that the caller would have got without the shim: found
 * through the object that holds the address caller, since a library that was loaded
 * RTLD_LOCAL is out of RTLD_NEXT's sight, and two libcurls in one process differ.
 * NULL: none.
 */
void *real_for(const char *name, const void *caller);

/* The same; *is_inner: the caller is of the very library that has the function. */
void *real_for_whom(const char *name, const void *caller, bool *is_inner);

/* Something was unloaded: what was found for a caller may hold no longer. */
void real_unloaded(void);

/* Whether the address lies in the text of a libcurl that real_for() has met. */
int real_is_curl(const void *caller);

#endif
