/*
 * A program that closes a connect under way has given up; a copy made over it goes on
 * under another number.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/hooks.h"
#include "shim/pending.h"
#include "shim/stand_ins.h"
#include "shim/syscall_names.h"
#include "sys/raw.h"

static inline void
closing(int fd)
{
	if (fds_is_pending(fd))
		pending_close(fd);
	else if (fds_is_followed(fd))
		conn_close(fd);
	/* Still ours in a vfork child: the books are the parent's. */
	if (fds_get_kind(fd) != FDS_UNKNOWN && !fds_is_ours(fd))
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

/* libc writes to the stream, and reads from it, without calling write() or read(). */
EXPORT FILE *
fdopen(int fd, const char *mode)
{
	if (__builtin_expect(fds_is_followed(fd), 0))
		stand_ins_lend(fd);
	return REAL(fdopen)(fd, mode);
}

EXPORT int
shutdown(int fd, int how)
{
	/* Of another one the kernel takes no notice. */
	bool is_ours = fds_is_ours(fd) && how >= SHUT_RD && how <= SHUT_RDWR;

	if (__builtin_expect(is_ours, 0)) {
		pending_shutdown(fd);
		conn_shutdown(fd, how);
	}
	int result = REAL(shutdown)(fd, how);

	if (__builtin_expect(is_ours, 0))
		stand_ins_shutdown(fd, how);
	return result;
}

/* libc goes on to the kernel by itself. */
EXPORT void
closefrom(int first)
{
	closing_range(first > 0 ? (unsigned)first : 0, UINT_MAX, 0);
	REAL(closefrom)(first);
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
	if (fds_is_ours(to) && ((flags & ~O_CLOEXEC) != 0 || raw_fcntl(fd, F_GETFD, 0) < 0))
		return false;
	closing(to);
	return true;
}

static int
copied(int fd, int to)
{
	if (to >= 0 && (!fds_is_ours(to) || pending_lose(to)))
		pending_copy(fd, to);
	return to;
}

EXPORT int
dup(int fd)
{
	return copied(fd, REAL(dup)(fd));
}

/* Whatever its argument, it fills one register; see syscall(). */
EXPORT int
fcntl(int fd, int command, ...)
{
	va_list list;

	va_start(list, command);
	void *argument = va_arg(list, void *);
	va_end(list);

	int result = REAL(fcntl)(fd, command, argument);

	return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}

/* The same function where off_t has 64 bits. */
EXPORT int
fcntl64(int fd, int command, ...)
{
	va_list list;

	va_start(list, command);
	void *argument = va_arg(list, void *);
	va_end(list);
	return fcntl(fd, command, argument);
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
	long result;

	if (number == SYS_clone || number == SYS_clone3)
		guard_expect_vfork();
#ifdef SYS_vfork
	if (number == SYS_vfork)
		guard_expect_vfork();
#endif
	if (number == SYS_close)
		closing((int)a[0]);
	else if (number == SYS_close_range)
		closing_range((unsigned)a[0], (unsigned)a[1], (unsigned)a[2]);
	else if (syscall_by_name(number, a, &result))
		return result;
	/* The linker may be at work below us, finding this very function. */
	if (REAL(syscall) == NULL)
		return as_libc(raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
