#include "sys/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_OF(pointer) ((long)(uintptr_t)(pointer))

#if defined(__x86_64__) && defined(__LP64__)

long
raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	register long sixth __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

#elif defined(__aarch64__) && defined(__LP64__)

long
raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

#else

long
raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	int saved = errno;
	long result = syscall(number, a, b, c, d, e, f);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}

#define RAW_IS_LIBC 1

#endif

ssize_t
raw_write(int fd, const void *data, size_t len)
{
	return raw_call(SYS_write, fd, LONG_OF(data), (long)len, 0, 0, 0);
}

ssize_t
raw_read(int fd, void *data, size_t size)
{
	return raw_call(SYS_read, fd, LONG_OF(data), (long)size, 0, 0, 0);
}

ssize_t
raw_pread(int fd, void *data, size_t size, int64_t offset)
{
	return raw_call(SYS_pread64, fd, LONG_OF(data), (long)size, (long)offset, 0, 0);
}

int
raw_open(const char *path, int flags, mode_t mode)
{
	return (int)raw_call(SYS_openat, AT_FDCWD, LONG_OF(path), flags, (long)mode, 0, 0);
}

int
raw_close(int fd)
{
	return (int)raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

#ifdef RAW_IS_LIBC

/* The kernel's struct stat need not be libc's here. */
int
raw_fstat(int fd, struct stat *out)
{
	int saved = errno;
	int result = fstat(fd, out) == 0 ? 0 : -errno;

	errno = saved;
	return result;
}

#else

int
raw_fstat(int fd, struct stat *out)
{
	return (int)raw_call(SYS_fstat, fd, LONG_OF(out), 0, 0, 0, 0);
}

#endif

int
raw_fcntl(int fd, int command, long argument)
{
#ifdef SYS_fcntl
	return (int)raw_call(SYS_fcntl, fd, command, argument, 0, 0, 0);
#else
	return (int)raw_call(SYS_fcntl64, fd, command, argument, 0, 0, 0);
#endif
}

pid_t
raw_getpid(void)
{
	return (pid_t)raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

pid_t
raw_gettid(void)
{
	return (pid_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

int
raw_sigprocmask(int how, raw_sigset set, raw_sigset *old)
{
	return (int)raw_call(SYS_rt_sigprocmask, how, LONG_OF(&set), LONG_OF(old), sizeof(set), 0,
			     0);
}

int
raw_sigpending(raw_sigset *out)
{
	return (int)raw_call(SYS_rt_sigpending, LONG_OF(out), sizeof(*out), 0, 0, 0, 0);
}

int
raw_sigtake(raw_sigset set)
{
	struct timespec no_time = {0, 0};

#ifdef SYS_rt_sigtimedwait
	return (int)raw_call(SYS_rt_sigtimedwait, LONG_OF(&set), 0, LONG_OF(&no_time), sizeof(set),
			     0, 0);
#else
	struct {
		int64_t s, ns;
	} no_time64 = {no_time.tv_sec, no_time.tv_nsec};

	return (int)raw_call(SYS_rt_sigtimedwait_time64, LONG_OF(&set), 0, LONG_OF(&no_time64),
			     sizeof(set), 0, 0);
#endif
}
