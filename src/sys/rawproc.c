#include "sys/rawproc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sys/rawnet.h"

#define LONG_OF(pointer) ((long)(uintptr_t)(pointer))

/* Where the kernel has no close_range; more descriptors than that stay open. */
#define CLOSE_BY_ONE_MAX 65536

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

#if defined(__x86_64__) && defined(__LP64__)

int
raw_clone(const struct raw_clone *how, int (*fn)(void *), void *arg)
{
	register int *child_tid __asm__("r10") = how->child_tid;
	register void *tls __asm__("r8") = how->tls;
	register int (*function)(void *) __asm__("r12") = fn;
	register void *argument __asm__("r13") = arg;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "mov %%eax, %%edi\n\t"
			 "mov %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(result)
			 : "a"((long)SYS_clone), "D"(how->flags), "S"(how->stack_top),
			   "d"(how->parent_tid), "r"(child_tid), "r"(tls), "r"(function),
			   "r"(argument), [exit] "i"(SYS_exit)
			 : "rcx", "r11", "memory", "cc");
	return (int)result;
}

#elif defined(__aarch64__) && defined(__LP64__)

int
raw_clone(const struct raw_clone *how, int (*fn)(void *), void *arg)
{
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = (long)how->flags;
	register void *x1 __asm__("x1") = how->stack_top;
	register int *x2 __asm__("x2") = how->parent_tid;
	register void *x3 __asm__("x3") = how->tls;
	register int *x4 __asm__("x4") = how->child_tid;
	register int (*function)(void *) __asm__("x20") = fn;
	register void *argument __asm__("x21") = arg;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, #0\n\t"
			 "mov x0, x21\n\t"
			 "blr x20\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc 0\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(function),
			   "r"(argument), [exit] "i"(SYS_exit)
			 : "memory", "cc");
	return (int)x0;
}

#else

int
raw_clone(const struct raw_clone *how, int (*fn)(void *), void *arg)
{
	int saved = errno;
	int result = clone(fn, how->stack_top, (int)how->flags, arg, how->parent_tid, how->tls,
			   how->child_tid);

	if (result < 0)
		result = -errno;
	errno = saved;
	return result;
}

#endif

int
raw_wait(pid_t pid, int *status, int options)
{
	return (int)raw_call(SYS_wait4, pid, LONG_OF(status), options, 0, 0, 0);
}

int
raw_kill(pid_t pid, int signal)
{
	return (int)raw_call(SYS_kill, pid, signal, 0, 0, 0, 0);
}

bool
raw_process_lives(pid_t pid)
{
#ifdef SYS_pidfd_open
	int fd = (int)raw_call(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
	struct pollfd end = {.fd = fd, .events = POLLIN};

	if (fd >= 0) {
		bool lives = raw_poll(&end, 1, 0, NULL) == 0;

		raw_close(fd);
		return lives;
	}
#endif
	return raw_kill(pid, 0) != -ESRCH;
}

int
raw_die_with_parent(void)
{
	return (int)raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
}

int
raw_sigdefault(int signal)
{
	/* Handler, flags, restorer and mask, all zero; as large as any machine has it. */
	long action[8] = {0};

	return (int)raw_call(SYS_rt_sigaction, signal, LONG_OF(action), 0, sizeof(raw_sigset), 0,
			     0);
}

int
raw_sigwait(raw_sigset set)
{
#ifdef SYS_rt_sigtimedwait
	const long number = SYS_rt_sigtimedwait;
#else
	const long number = SYS_rt_sigtimedwait_time64;
#endif
	return (int)raw_call(number, LONG_OF(&set), 0, 0, sizeof(set), 0, 0);
}

int
raw_alarm(uint64_t wait_ns)
{
	/* The kernel's own itimerval is made of longs, whatever libc's time_t is. */
	struct {
		long s, us;
	} timer[2] = {{0, 0}, {(long)(wait_ns / 1000000000), (long)(wait_ns / 1000 % 1000000)}};

	return (int)raw_call(SYS_setitimer, ITIMER_REAL, LONG_OF(timer), 0, 0, 0, 0);
}

bool
raw_close_range(unsigned first, unsigned last, unsigned flags)
{
#ifdef SYS_close_range
	return raw_call(SYS_close_range, first, last, flags, 0, 0, 0) == 0;
#else
	(void)first, (void)last, (void)flags;
	return false;
#endif
}

int
raw_leave_descriptors(void)
{
	/* Copies nothing, so nothing of the program stays open on our account. */
	if (raw_close_range(0, UINT_MAX, CLOSE_RANGE_UNSHARE))
		return 0;
	int result = (int)raw_call(SYS_unshare, CLONE_FILES, 0, 0, 0, 0, 0);

	if (result == 0 && !raw_close_range(0, UINT_MAX, 0))
		for (int fd = 0; fd < CLOSE_BY_ONE_MAX; fd++)
			raw_close(fd);
	return result;
}

int
raw_take_descriptor(pid_t pid, int fd)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
	int process = (int)raw_call(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);

	if (process < 0)
		return process;
	int taken = (int)raw_call(SYS_pidfd_getfd, process, fd, 0, 0, 0, 0);

	raw_close(process);
	return taken;
#else
	(void)pid, (void)fd;
	return -ENOSYS;
#endif
}

int
raw_exec(const char *path, char *const *argv, char *const *envp)
{
	return (int)raw_call(SYS_execve, LONG_OF(path), LONG_OF(argv), LONG_OF(envp), 0, 0, 0);
}

int
raw_setsid(void)
{
	return (int)raw_call(SYS_setsid, 0, 0, 0, 0, 0, 0);
}

int
raw_dup3(int fd, int to, int flags)
{
	return (int)raw_call(SYS_dup3, fd, to, flags, 0, 0, 0);
}

void
raw_yield(void)
{
	raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

bool
raw_can_run(const char *path)
{
	return raw_call(SYS_faccessat, AT_FDCWD, LONG_OF(path), X_OK, 0, 0, 0) == 0;
}
