/*
 * A program that closes a connect under way has given up; a copy made over it goes on
 * under another number.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/fds.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "sys/raw.h"

static inline void
closing(int fd)
{
	if (fds_is_pending(fd))
		pending_close(fd);
	/* Still pending in a vfork child: the books are the parent's. */
	if (fds_get_kind(fd) != FDS_UNKNOWN && !fds_is_pending(fd))
		fds_set_kind(fd, FDS_UNKNOWN);
}

static void
closing_range(unsigned first, unsigned last, unsigned flags)
{
	unsigned end = fds_end();

	if ((flags & CLOSE_RANGE_CLOEXEC) != 0)
		return;
	for (unsigned fd = first; fd < end && fd <= last; fd++)
		closing((int)fd);
}

EXPORT int
close(int fd)
{
	closing(fd);
	return REAL(close)(fd);
}

/* libc closes what is below without calling close(). */
EXPORT int
fclose(FILE *stream)
{
	int saved = errno, fd = fileno_unlocked(stream);

	errno = saved;
	closing(fd);
	return REAL(fclose)(stream);
}

EXPORT int
shutdown(int fd, int how)
{
	/* Of another one the kernel takes no notice. */
	if (__builtin_expect(fds_is_pending(fd), 0) && how >= SHUT_RD && how <= SHUT_RDWR)
		pending_shutdown(fd);
	return REAL(shutdown)(fd, how);
}

EXPORT int
close_range(unsigned first, unsigned last, int flags)
{
	closing_range(first, last, (unsigned)flags);
	if (REAL(close_range) != NULL)
		return REAL(close_range)(first, last, flags);
	return (int)REAL(syscall)(SYS_close_range, first, last, flags);
}

/* to is about to be a copy of fd, where that can be: else its connect goes on. */
static bool
replaces(int fd, int to, int flags)
{
	if (fd == to)
		return false;
	if (fds_is_pending(to) && ((flags & ~O_CLOEXEC) != 0 || raw_fcntl(fd, F_GETFD, 0) < 0))
		return false;
	closing(to);
	return true;
}

EXPORT int
dup(int fd)
{
	int to = REAL(dup)(fd);

	if (to >= 0 && (!fds_is_pending(to) || pending_lose(to)))
		pending_copy(fd, to);
	return to;
}

EXPORT int
dup2(int fd, int to)
{
	bool other = replaces(fd, to, 0);
	int result = REAL(dup2)(fd, to);

	if (other && result >= 0)
		pending_move(fd, to);
	return result;
}

EXPORT int
dup3(int fd, int to, int flags)
{
	bool other = replaces(fd, to, flags);
	int result = REAL(dup3)(fd, to, flags);

	if (other && result >= 0)
		pending_move(fd, to);
	return result;
}

static long
as_libc(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/*
 * syscall() takes up to six arguments; which are there depends on the number, and
 * reading more than were passed is harmless in the calling conventions served here.
 */
EXPORT long
syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_close)
		closing((int)a[0]);
	else if (number == SYS_close_range)
		closing_range((unsigned)a[0], (unsigned)a[1], (unsigned)a[2]);
	/* The linker may be at work below us, finding this very function. */
	if (REAL(syscall) == NULL)
		return as_libc(raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
