/*
 * worker_cases CASE PORT: does one thing that a thread of the shim's could disturb, after
 * calls to 127.0.0.1 PORT have tripped its breaker.  Says how it went on stdout.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned short port;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* One question and its answer: 0, or errno. */
static int
call(void)
{
	static const char question[] = "GET /ok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), result = 0;
	char answer[512];

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		result = errno;
	else if (send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) < 0)
		result = errno;
	else
		while (recv(fd, answer, sizeof(answer), 0) > 0)
			;
	close(fd);
	return result;
}

static void
trip(void)
{
	for (int i = 0; i < 5; i++)
		call();
	pause_ms(100);
}

static int
tasks(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

/* Calls until one succeeds and no thread but ours is left.  False: not within 20 s. */
static bool
recovers(void)
{
	double end = now() + 20;

	while (now() < end) {
		if (call() == 0 && tasks() == 1)
			return true;
		pause_ms(20);
	}
	return false;
}

static void *
nap(void *arg)
{
	(void)arg;
	pause_ms(300);
	puts("last thread");
	fflush(stdout);
	return NULL;
}

static int
leave(void)
{
	pthread_t thread;

	trip();
	printf("tasks %d\n", tasks());
	pthread_create(&thread, NULL, nap, NULL);
	pthread_exit(NULL);
}

static volatile sig_atomic_t handled, handled_elsewhere;

static void
on_signal(int number)
{
	(void)number;
	handled++;
	handled_elsewhere += syscall(SYS_gettid) != getpid();
}

static int
signals(void)
{
	struct timespec limit = {2, 0};
	int got = 0;
	sigset_t set;

	trip();
	printf("tasks %d\n", tasks());
	signal(SIGUSR2, on_signal);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 20; i++) {
		kill(getpid(), SIGUSR1);
		got += sigtimedwait(&set, NULL, &limit) == SIGUSR1;
		kill(getpid(), SIGUSR2);
		pause_ms(5);
	}
	printf("waited %d handled %d elsewhere %d\n", got, (int)handled, (int)handled_elsewhere);
	return 0;
}

static int
newuser(void)
{
	trip();
	printf("recovers %d\n", recovers());
	printf("unshare %d\n", unshare(CLONE_NEWUSER));
	return 0;
}

static int
children(void)
{
	double end = now() + 2.5;
	int seen = 0, seen_all = 0, status = -1;
	siginfo_t info;

	signal(SIGCHLD, on_signal);
	trip();
	while (now() < end) {
		memset(&info, 0, sizeof(info));
		seen += waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
		seen += waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != -1;
		seen_all += waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != -1;
		pause_ms(5);
	}
	printf("seen %d signals %d\n", seen, (int)handled);
	fprintf(stderr, "seen with __WALL %d\n", seen_all);
	pid_t pid = fork();

	if (pid == 0)
		_exit(7);
	while (waitpid(-1, &status, 0) == -1 && errno == EINTR)
		;
	printf("own child %d signals %d\n", WEXITSTATUS(status), (int)handled);
	return 0;
}

/* How many threads have this user. */
static int
threads_of(const char *uid)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)) != NULL) {
		char path[300], line[256];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		if (e->d_name[0] == '.' || (f = fopen(path, "r")) == NULL)
			continue;
		while (fgets(line, sizeof(line), f) != NULL)
			if (strncmp(line, "Uid:\t", 5) == 0)
				n += strncmp(line + 5, uid, strlen(uid)) == 0;
		fclose(f);
	}
	closedir(d);
	return n;
}

static int
drop(void)
{
	double begun;

	trip();
	printf("tasks %d\n", tasks());
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 1;
	begun = now();
	while (threads_of("0\t") > 0 && now() < begun + 5)
		pause_ms(10);
	printf("dropped soon %d\n", now() - begun < 1.5);
	call();
	pause_ms(50);
	printf("tasks %d of root %d\n", tasks(), threads_of("0\t"));
	printf("recovers %d\n", recovers());
	return 0;
}

static int
forks(void)
{
	int status = -1;

	trip();
	pid_t pid = fork();

	if (pid == 0) {
		int before = tasks();

		call();
		pause_ms(50);
		printf("child: tasks %d then %d\n", before, tasks());
		printf("child: recovers %d\n", recovers());
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("parent: recovers %d\n", recovers());
	return status;
}

static int
waits(void)
{
	/* Who runs the tests in the background may have it ignored. */
	signal(SIGINT, SIG_DFL);
	trip();
	puts("tripped");
	fflush(stdout);
	while (pause() != 0)
		;
	return 0;
}

static void *
calls(void *arg)
{
	double end = now() + *(const double *)arg;
	long *counts = calloc(2, sizeof(*counts));

	while (now() < end) {
		counts[call() == 0]++;
		pause_ms(2);
	}
	return counts;
}

static int
threads(void)
{
	pthread_t thread[8];
	double seconds = 6;
	long refused = 0, passed = 0;

	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, calls, &seconds);
	for (int i = 0; i < 8; i++) {
		void *counts;

		pthread_join(thread[i], &counts);
		refused += ((long *)counts)[0];
		passed += ((long *)counts)[1];
	}
	printf("failed %ld passed %ld tasks %d\n", refused, passed, tasks());
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*function)(void);
	} cases[] = {{"leave", leave}, {"signals", signals}, {"newuser", newuser},
		     {"drop", drop},   {"forks", forks},     {"children", children},
		     {"waits", waits}, {"threads", threads}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3)
		return 2;
	port = (unsigned short)atoi(argv[2]);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, argv[1]) == 0)
			return cases[i].function();
	return 2;
}
