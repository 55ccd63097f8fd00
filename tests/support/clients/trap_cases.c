/*
 * trap_cases CASE OPEN FULL [FILE]: does with connects what programs do and a shim
 * could stumble over.  At 127.0.0.1 port OPEN somebody answers; a connect to port FULL
 * stays under way.  FILE may be a third port, where nobody listens.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int errno_at_main;
static const char *file;
static int open_port, full_port;

static int
connect_fd(int fd, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(fd, (struct sockaddr *)&to, sizeof(to));
}

/* Connects and closes; 0 where all went well. */
static int
visit(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect_fd(fd, port) != 0 || close(fd) != 0;
}

static int
begin(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (connect_fd(fd, port) == 0 || errno != EINPROGRESS)
		puts("the connect is not under way");
	return fd;
}

static int
under_way(void)
{
	return begin(full_port);
}

/* Until the socket has one of these events. */
static int
await(int fd, short events)
{
	struct pollfd p = {fd, events, 0};

	return poll(&p, 1, -1) != 1;
}

static int
error_of(int fd)
{
	int error = -1;
	socklen_t len = sizeof(error);

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error;
}

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

/* By a way that no library sees. */
static void
close_unseen(int fd)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_close), "D"((long)fd)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_close;
	register long first __asm__("x0") = fd;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number) : "memory");
#endif
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

/* The error is there for who has a copy. */
static int
fails_unasked(void)
{
	int fd = begin(atoi(file)), copy = fcntl(fd, F_DUPFD, 100);

	return await(fd, POLLOUT) || close(fd) != 0 || error_of(copy) != ECONNREFUSED;
}

static int
asks_early(void)
{
	int fd = under_way();
	char byte;

	return error_of(fd) != 0 || read(fd, &byte, 0) != 0 || recv(fd, &byte, 0, 0) > 0 ||
	       write(fd, &byte, 0) > 0 || close(fd) != 0;
}

static int
cancels(void)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	int fd = under_way();

	return connect(fd, &none, sizeof(none)) != 0 || connect_fd(fd, open_port) != -1 ||
	       errno != EINPROGRESS || await(fd, POLLOUT) || write(fd, "x", 1) != 1 ||
	       close(fd) != 0;
}

static int
is_connected(int fd)
{
	return connect_fd(fd, open_port) == -1 && errno == EISCONN;
}

/* Before and after the destination has become one that is refused. */
static int
connects_again(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), other = begin(open_port), last = under_way();

	if (connect_fd(fd, open_port) != 0 || !is_connected(fd) || await(other, POLLOUT) ||
	    error_of(other) != 0)
		return 1;
	usleep(1100000);
	return close(last) != 0 || !is_connected(fd) || connect_fd(other, open_port) != 0 ||
	       !is_connected(other);
}

static int
connects_accepted(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at;
	socklen_t len = sizeof(at);

	if (listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
	    connect(client, (struct sockaddr *)&at, len) != 0)
		return 1;
	int fd = accept(listener, NULL, NULL);

	return !is_connected(fd) || !is_connected(fd);
}

static int
shuts_down(void)
{
	int fd = under_way();

	return shutdown(fd, SHUT_WR) != 0 || close(fd) != 0;
}

/* Both ends have said that they are done, and the kernel forgets what there was. */
static int
shuts_connected(void)
{
	int fd = begin(open_port);

	return await(fd, POLLOUT) || shutdown(fd, SHUT_RDWR) != 0 || await(fd, POLLRDHUP) ||
	       close(fd) != 0;
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
		{"vforks", vforks},
		{"forks", forks},
		{"reuses", reuses},
		{"closes-twice", closes_twice},
		{"dups-over", dups_over},
		{"moves", moves},
		{"interrupts", interrupts},
		{"jumps", jumps},
		{"closes-all", closes_all},
		{"tells", tells},
		{"fails-unasked", fails_unasked},
		{"asks-early", asks_early},
		{"cancels", cancels},
		{"connects-again", connects_again},
		{"connects-accepted", connects_accepted},
		{"shuts-down", shuts_down},
		{"shuts-connected", shuts_connected},
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
