/*
 * trap_cases CASE OPEN FULL [FILE]: does with connects what programs do and a shim
 * could stumble over.  At 127.0.0.1 port OPEN somebody answers; a connect to port FULL
 * stays under way.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "connects.h"

static int errno_at_main;
static const char *file;

static int
wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) != pid || status != 0;
}

static int
vforks(void)
{
	int fd = under_way(), failed;
	pid_t pid = vfork();

	if (pid == 0) {
		close_range(3, ~0U, 0);
		syscall(SYS_close_range, 3, ~0U, 0);
		close(fd);
		_exit(socket(AF_INET, SOCK_STREAM, 0) != 3);
	}
	failed = wait_for(pid);
	return failed || close(fd) != 0;
}

static int
forks(void)
{
	int fd = under_way(), failed;
	pid_t pid;

	usleep(1100000);
	pid = fork();
	if (pid == 0)
		_exit(close(fd) != 0 || visit(open_port) != 0);
	failed = wait_for(pid);
	return failed || close(fd) != 0;
}

static int
reuses(void)
{
	int fd = under_way();

	close_unseen(fd);
	return socket(AF_INET, SOCK_STREAM, 0) != fd || connect_fd(fd, open_port) != 0 ||
	       close(fd) != 0;
}

static int
closes_twice(void)
{
	int fd = under_way();

	return close(fd) != 0 || close(fd) != -1 || errno != EBADF;
}

static int
dups_over(void)
{
	int fd = under_way(), other = open("/dev/null", O_RDWR);

	return dup2(other, fd) != fd || write(fd, "x", 1) != 1 || close(fd) != 0;
}

/* The copy is what the program goes on with. */
static int
moves(void)
{
	int fd = under_way(), to = open("/dev/null", O_RDWR);

	return dup2(fd, to) != to || close(fd) != 0 || close(to) != 0;
}

static void
alarm_in_100_ms(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval soon = {.it_value = {.tv_usec = 100000}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static volatile sig_atomic_t failed_in_handler = 1;

static void
visit_in_handler(int number)
{
	int saved = errno;

	(void)number;
	failed_in_handler = visit(open_port);
	errno = saved;
}

static int
interrupts(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	alarm_in_100_ms(visit_in_handler);
	return connect_fd(fd, full_port) != -1 || errno != EINTR || failed_in_handler ||
	       close(fd) != 0;
}

static sigjmp_buf before;

static void
jump(int number)
{
	(void)number;
	siglongjmp(before, 1);
}

static int
jumps(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (sigsetjmp(before, 1) == 0) {
		alarm_in_100_ms(jump);
		connect_fd(fd, full_port);
		return 1;
	}
	return close(fd) != 0 || visit(open_port) != 0;
}

/* The log's descriptor is among those closed, and its number becomes the program's. */
static int
closes_all(void)
{
	int own, failed = visit(open_port);

	closefrom(3);
	failed |= visit(open_port);
	own = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int fd = own + 1; fd < 1024; fd++)
		dup2(own, fd);
	failed |= close(1023) != 0 || visit(open_port);
	return failed;
}

/* What a program sees of descriptors and errno before anything was called. */
static int
tells(void)
{
	int own = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int next = socket(AF_INET, SOCK_STREAM, 0);

	dprintf(own, "errno %d, descriptors %d and %d\n", errno_at_main, own, next);
	return close(next) != 0 || visit(open_port);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(void);
	} cases[] = {
		{"vforks", vforks},	    {"forks", forks},
		{"reuses", reuses},	    {"closes-twice", closes_twice},
		{"dups-over", dups_over},   {"moves", moves},
		{"interrupts", interrupts}, {"jumps", jumps},
		{"closes-all", closes_all}, {"tells", tells},
	};

	errno_at_main = errno;
	open_port = argc > 2 ? atoi(argv[2]) : 0;
	full_port = argc > 3 ? atoi(argv[3]) : 0;
	file = argc > 4 ? argv[4] : "/dev/null";
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0)
			return cases[i].function();
	return 2;
}
