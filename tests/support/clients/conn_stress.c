/*
 * conn_stress PORT SECONDS: threads that ask over connections of their own, one pair that
 * shares a connection as reader and writer, one that closes under a reader's feet, and a
 * signal handler that asks over the connection that it interrupts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char question[] = "GET /ok HTTP/1.1\r\nHost: a\r\n\r\n";
static int port, handlers_own;
static time_t end;
static atomic_uint asked, interrupted;

static int
opened(void)
{
	struct sockaddr_in at = {
		AF_INET, htons((unsigned short)port), {htonl(INADDR_LOOPBACK)}, {0}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		abort();
	return fd;
}

static int
again(ssize_t result)
{
	return result < 0 && errno == EINTR;
}

static void
ask(int fd)
{
	char answer[4096];
	ssize_t n;

	while (again(write(fd, question, sizeof(question) - 1)))
		;
	while (again(n = read(fd, answer, sizeof(answer))))
		;
	if (n > 0)
		asked++;
}

static void *
ask_alone(void *unused)
{
	while (time(NULL) < end) {
		int fd = opened();

		for (int i = 0; i < 50; i++)
			ask(fd);
		close(fd);
	}
	return unused;
}

static int shared;
static atomic_int turn;

static void *
write_shared(void *unused)
{
	while (time(NULL) < end)
		if (turn == 0) {
			turn = 1;
			while (again(write(shared, question, sizeof(question) - 1)))
				;
		}
	turn = 2;
	shutdown(shared, SHUT_RDWR);
	return unused;
}

static void *
read_shared(void *unused)
{
	char answer[4096];

	for (;;) {
		ssize_t n = read(shared, answer, sizeof(answer));

		if (n == 0)
			return unused;
		if (n > 0 && turn == 1)
			turn = 0;
	}
}

static void *
close_under(void *fd)
{
	usleep(2000);
	close(*(int *)fd);
	return NULL;
}

static void *
lose(void *unused)
{
	while (time(NULL) < end) {
		int fd = opened(), same = fd;
		pthread_t closer;

		pthread_create(&closer, NULL, close_under, &same);
		for (int i = 0; i < 20; i++)
			if (write(fd, question, sizeof(question) - 1) < 0)
				break;
		pthread_join(closer, NULL);
	}
	return unused;
}

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void
on_alarm(int number)
{
	int saved = errno;

	(void)number;
	(void)!write(handlers_own, question, sizeof(question) - 1);
	interrupted++;
	errno = saved;
	if (may_jump && interrupted % 7 == 0)
		siglongjmp(back, 1);
}

/* Without SA_RESTART, as programs that want to be interrupted have it. */
static void
be_interrupted(void)
{
	char answer[65536];
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 700}, {0, 700}}, never = {0};

	handlers_own = opened();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sigsetjmp(back, 1);
	may_jump = 1;
	while (time(NULL) < end) {
		(void)!write(handlers_own, question, sizeof(question) - 1);
		(void)!recv(handlers_own, answer, sizeof(answer), MSG_DONTWAIT);
	}
	may_jump = 0;
	setitimer(ITIMER_REAL, &never, NULL);
	close(handlers_own);
}

int
main(int argc, char *argv[])
{
	void *(*const bodies[])(void *) = {ask_alone, ask_alone, write_shared, read_shared, lose};
	pthread_t threads[5];
	sigset_t alarms;

	if (argc != 3)
		return 2;
	port = atoi(argv[1]);
	end = time(NULL) + atoi(argv[2]);
	shared = opened();
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	signal(SIGPIPE, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	be_interrupted();
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	printf("asked %d interrupted %d\n", asked > 0, interrupted > 0);
	return 0;
}
