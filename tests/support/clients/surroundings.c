/*
 * Tells all that a program can see of its surroundings, one fact a line.  What is
 * another number in each run is left out, but for the pid.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
tell_child(const char *how, int options)
{
	int status, pid = waitpid(-1, &status, options);

	printf("wait %s: %s\n", how,
	       pid < 0 ? strerror(errno) : pid == 0 ? "a child runs" : "one ended");
}

static void
tell_file(const char *path)
{
	char line[4096];
	FILE *f = fopen(path, "re");

	printf("%s:", path);
	while (f && fgets(line, sizeof(line), f))
		printf(" %s", line);
	puts("");
	if (f)
		fclose(f);
}

static void
tell_signals(void)
{
	struct sigaction action;
	sigset_t pending, blocked;

	sigpending(&pending);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) != 0)
			continue;
		if (sigismember(&pending, number) > 0)
			printf("signal %d is pending\n", number);
		if (sigismember(&blocked, number) > 0)
			printf("signal %d is blocked\n", number);
		if (action.sa_handler != SIG_DFL)
			printf("signal %d is %s\n", number,
			       action.sa_handler == SIG_IGN ? "ignored" : "caught");
	}
}

static void
tell_descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *one;

	while (all && (one = readdir(all)) != NULL) {
		int fd = atoi(one->d_name);

		if (one->d_name[0] != '.' && fd != dirfd(all))
			printf("descriptor %d has flags %d\n", fd, fcntl(fd, F_GETFD));
	}
	if (all)
		closedir(all);
}

static void
tell_limits(void)
{
	struct rlimit limit;

	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit(i, &limit) == 0)
			printf("limit %d is %lx %lx\n", i, limit.rlim_cur, limit.rlim_max);
}

int
main(void)
{
	int reaper = 0, death = 0;
	mode_t mask = umask(0);

	umask(mask);
	printf("%d\n", getpid());
	printf("leads its group: %d, its session: %d, parent's session: %d\n",
	       getpgrp() == getpid(), getsid(0) == getpid(), getsid(0) == getsid(getppid()));
	printf("terminal: %d, in the foreground: %d\n", isatty(0), tcgetpgrp(0) == getpgrp());
	tell_child("for any", WNOHANG);
	tell_child("for all", WNOHANG | __WALL);
	tell_child("for clones", WNOHANG | __WCLONE);
	tell_file("/proc/thread-self/children");
	tell_signals();
	tell_descriptors();
	tell_limits();
	tell_file("/proc/self/oom_score_adj");
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	prctl(PR_GET_PDEATHSIG, &death);
	printf("reaper: %d, dies with its parent: %d, umask: %o, nice: %d, dumpable: %d\n", reaper,
	       death, mask, getpriority(PRIO_PROCESS, 0), prctl(PR_GET_DUMPABLE));
	return 0;
}
