#include "probe/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/atomics.h"
#include "core/text.h"
#include "sys/rawnet.h"
#include "sys/rawproc.h"

#define ARGUMENTS_MAX 12
#define ARGUMENTS_SIZE 8192
#define STACK_SIZE 8192
#define EXIT_NO_EXEC 127
#define NOT_ENDED 0xffffffffU
#define ALL_SIGNALS ~UINT64_C(0)

struct job {
	bool used;
	bool dropped;
	int end_fd;    /* the keeper holds the other end while it lives */
	int keeper_fd; /* that end */
	pid_t keeper;
	atomic_u32 status; /* the helper's exit status */
	uint64_t limit_ns;
	const struct helper_command *command;
	char *argv[ARGUMENTS_MAX + 1];
	char text[ARGUMENTS_SIZE];
	char keeper_stack[STACK_SIZE] __attribute__((aligned(16)));
	char helper_stack[STACK_SIZE] __attribute__((aligned(16)));
};

static struct job jobs[HELPERS_MAX];

/* Runs in the helper until it becomes the command; the memory is still the program's. */
static int
become_command(void *arg)
{
	struct job *j = arg;
	int null = raw_open("/dev/null", O_RDWR, 0);

	raw_die_with_parent();
	if (null != 0)
		raw_dup3(null, 0, 0);
	for (int fd = 1; fd <= 2; fd++)
		if (null != fd)
			raw_dup3(null, fd, 0);
	/* No handler of the program may run here, nor what it ignores be ignored. */
	for (int signal = 1; signal <= 64; signal++)
		raw_sigdefault(signal);
	/* Away from the terminal: its signals are the program's. */
	raw_setsid();
	raw_alarm(j->limit_ns);
	raw_sigprocmask(SIG_SETMASK, 0, NULL);
	raw_exec(j->command->path, j->argv, j->command->environment);
	return EXIT_NO_EXEC;
}

static int
exit_status_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return WTERMSIG(status) == SIGALRM ? HELPER_EXIT_FAILED : HELPER_EXIT_UNDECIDED;
}

/* Waits for the helper; SIGTERM asks to kill it, which nobody else can do in safety. */
static int
wait_for(pid_t helper)
{
	int status;

	for (;;) {
		int ended = raw_wait(helper, &status, WNOHANG);

		if (ended == helper)
			return exit_status_of(status);
		if (ended < 0 && ended != -EINTR)
			return HELPER_EXIT_UNDECIDED;
		if (raw_sigwait(RAW_SIGNAL(SIGCHLD) | RAW_SIGNAL(SIGTERM)) == SIGTERM)
			raw_kill(helper, SIGKILL);
	}
}

static void
close_all_but(int fd)
{
	if (fd > 0)
		raw_close_range(0, (unsigned)fd - 1, 0);
	raw_close_range((unsigned)fd + 1, UINT_MAX, 0);
}

static int
keep(void *arg)
{
	struct job *j = arg;
	struct raw_clone how = {
		.flags = CLONE_VM | CLONE_VFORK | SIGCHLD,
		.stack_top = j->helper_stack + sizeof(j->helper_stack),
	};
	int helper;

	raw_die_with_parent();
	/* What the program sends to its process group is not for the probe. */
	raw_call(SYS_setsid, 0, 0, 0, 0, 0, 0);
	close_all_but(j->keeper_fd);
	/* Ignored, it would take the status away. */
	raw_sigdefault(SIGCHLD);
	helper = raw_clone(&how, become_command, j);
	store_release(&j->status, helper < 0 ? EXIT_NO_EXEC : (uint32_t)wait_for(helper));
	return 0;
}

/* Whoever makes this call may be interrupted at any place of it by nothing. */
static int
start_keeper(struct job *j)
{
	struct raw_clone how = {
		.flags = CLONE_VM, /* and no signal at its end */
		.stack_top = j->keeper_stack + sizeof(j->keeper_stack),
	};
	raw_sigset mask;

	raw_sigprocmask(SIG_SETMASK, ALL_SIGNALS, &mask);
	j->keeper = raw_clone(&how, keep, j);
	raw_sigprocmask(SIG_SETMASK, mask, NULL);
	return j->keeper;
}

static bool
copy_arguments(struct job *j, const char *const *argv)
{
	struct text t = text_over(j->text, sizeof(j->text));
	unsigned n = 0;

	for (; argv[n] != NULL; n++) {
		size_t len = strlen(argv[n]) + 1;

		if (n == ARGUMENTS_MAX || t.len + len >= sizeof(j->text))
			return false;
		j->argv[n] = j->text + t.len;
		text_bytes(&t, argv[n], len);
	}
	j->argv[n] = NULL;
	return true;
}

static int
free_place(void)
{
	for (int i = 0; i < HELPERS_MAX; i++)
		if (!jobs[i].used)
			return i;
	return -EAGAIN;
}

int
helper_start(const struct helper_command *c, const char *const *argv, uint64_t limit_ns)
{
	int number = free_place(), ends[2], result;

	if (number < 0)
		return number;
	struct job *j = &jobs[number];

	if (!copy_arguments(j, argv))
		return -E2BIG;
	if ((result = raw_pipe(ends)) < 0)
		return result;
	j->command = c;
	j->limit_ns = limit_ns;
	j->end_fd = ends[0];
	j->keeper_fd = ends[1];
	j->dropped = false;
	store_relaxed(&j->status, NOT_ENDED);
	result = start_keeper(j);
	raw_close(ends[1]);
	j->used = result > 0;
	if (j->used)
		return number;
	raw_close(ends[0]);
	return result;
}

static enum helper_end
reap(struct job *j)
{
	uint32_t status;

	raw_wait(j->keeper, NULL, __WALL);
	raw_close(j->end_fd);
	status = load_acquire(&j->status);
	j->used = false;
	switch (status) {
	case 0:
		return HELPER_PASSED;
	case HELPER_EXIT_FAILED:
		return HELPER_FAILED;
	case HELPER_EXIT_LACKS:
	case EXIT_NO_EXEC:
		return HELPER_UNAVAILABLE;
	default:
		return HELPER_UNDECIDED;
	}
}

enum helper_end
helper_look(int number)
{
	struct job *j = &jobs[number];
	struct pollfd end = {.fd = j->end_fd, .events = POLLIN};

	if (raw_poll(&end, 1, 0, NULL) == 0)
		return HELPER_RUNS;
	return reap(j);
}

int
helper_fd(int number)
{
	return jobs[number].end_fd;
}

void
helper_drop(int number)
{
	raw_kill(jobs[number].keeper, SIGTERM);
	jobs[number].dropped = true;
}

bool
helper_sweep(void)
{
	bool none = true;

	for (int i = 0; i < HELPERS_MAX; i++)
		if (jobs[i].used && jobs[i].dropped)
			none &= helper_look(i) != HELPER_RUNS;
	return none;
}

void
helper_forget_all(void)
{
	for (unsigned i = 0; i < HELPERS_MAX; i++)
		jobs[i].used = false;
}

/* What look-ups, TLS and libcurl go by. */
static const char *const passed_on[] = {
	"HOME",		"PATH",		  "http_proxy",	 "https_proxy", "HTTPS_PROXY",
	"all_proxy",	"ALL_PROXY",	  "no_proxy",	 "NO_PROXY",	"SSL_CERT_FILE",
	"SSL_CERT_DIR", "CURL_CA_BUNDLE", "RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES",
};

static bool
is_passed_on(const char *variable)
{
	for (unsigned i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++) {
		const char *name = passed_on[i];

		if (*variable == *name && strncmp(variable, name, strlen(name)) == 0 &&
		    variable[strlen(name)] == '=')
			return true;
	}
	return false;
}

static void
copy_environment(struct helper_command *c)
{
	static char off[] = "CUTOUT_OFF=1";
	struct text t = text_over(c->text, sizeof(c->text));
	unsigned n = 0;

	c->environment[n++] = off;
	for (char **at = environ; at != NULL && *at != NULL && n < 31; at++) {
		size_t len = strlen(*at) + 1;

		if (!is_passed_on(*at) || t.len + len >= sizeof(c->text))
			continue;
		c->environment[n++] = c->text + t.len;
		text_bytes(&t, *at, len);
	}
	c->environment[n] = NULL;
}

static bool
find_beside(struct helper_command *c, const char *library, const char *below)
{
	struct text t = text_over(c->path, sizeof(c->path));
	const char *slash = strrchr(library, '/');
	size_t len = slash != NULL ? (size_t)(slash - library) : 0;

	text_bytes(&t, library, len);
	text_string(&t, below);
	return t.len < sizeof(c->path) - 1 && raw_can_run(c->path);
}

/* In the build tree the library stands beside the command or in .libs below it. */
static void
find_command(struct helper_command *c, const char *library)
{
	static const char libs[] = "/.libs/";
	const char *slash = strrchr(library, '/');
	bool in_libs = slash != NULL && slash - library >= (ptrdiff_t)sizeof(libs) - 2 &&
		       memcmp(slash - sizeof(libs) + 2, libs, sizeof(libs) - 1) == 0;

	if (find_beside(c, library, in_libs ? "/../cutout" : "/cutout"))
		return;
#ifdef CUTOUT_BINDIR
	struct text t = text_over(c->path, sizeof(c->path));

	text_string(&t, CUTOUT_BINDIR "/cutout");
#else
	c->path[0] = '\0';
#endif
}

static bool
is_made_absolute(char out[PATH_MAX], const char *path)
{
	struct text t;

	if (path[0] == '/') {
		out[0] = '\0';
	} else if (getcwd(out, PATH_MAX) == NULL) {
		return false;
	}
	t = text_over(out, PATH_MAX);
	t.len = strlen(out);
	text_string(&t, path[0] == '/' ? "" : "/");
	text_string(&t, path);
	return t.len < PATH_MAX - 1;
}

void
helper_prepare(struct helper_command *c, const char *library)
{
	char path[PATH_MAX];

	copy_environment(c);
	if (library == NULL) {
		ssize_t len = readlink("/proc/self/exe", c->path, sizeof(c->path) - 1);

		c->path[len > 0 ? len : 0] = '\0';
	} else if (is_made_absolute(path, library)) {
		find_command(c, path);
	}
}
