#include "cli/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/engine.h"
#include "state/state_map.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/raw.h"
#include "sys/rulesfile.h"

/* What the companion says when it is ready. */
struct ready {
	pid_t pid;
	int error;
};

/* The descriptors of a companion. */
enum { MEMORY = STDERR_FILENO + 1, REPORT, FIRST_FREE };

/* Leaves the program's descriptors alone but for the two that are needed. */
static void
keep_only(int memory, int report)
{
	const char *spec = getenv("CUTOUT_LOG"), *path = NULL;
	enum log_level level;
	int null, high = fcntl(report, F_DUPFD_CLOEXEC, FIRST_FREE);

	dup2(memory, MEMORY);
	dup2(high, REPORT);
	syscall(SYS_close_range, FIRST_FREE, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	/* The log may go there; else a reader of the program's errors would wait for us. */
	if (spec == NULL || !log_parse(spec, &level, &path) || path != NULL || level == LOG_OFF)
		dup2(null, STDERR_FILENO);
	close(null);
}

/* The signals of the program's terminal and of its shell are not for us. */
static void
reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* On a kernel without pidfds the program is looked for between two waits. */
static bool
program_lives(pid_t program, int watch)
{
	return watch >= 0 || kill(program, 0) == 0 || errno != ESRCH;
}

/*
 * Who may do less than the companion may not look at its descriptors, and so finds no
 * memory of the tree: the companion keeps no privilege beyond its user's.
 */
static void
drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	syscall(SYS_capset, &header, none);
}

static void
serve(struct state *state, const struct ruleset *rules, pid_t program, int watch)
{
	static struct helper_command command;
	static struct engine engine;
	uint64_t wait_ns;

	helper_prepare(&command, NULL);
	engine_init(&engine, rules, &command);
	engine_serve(&engine, state, true);
	do
		wait_ns = engine_step(&engine, clock_precise_ns());
	while (!engine_wait(&engine, wait_ns, NULL, watch) && program_lives(program, watch));
	engine_stop(&engine, clock_precise_ns());
}

static void
ignore_error(void *context, unsigned line, const char *text)
{
	(void)context;
	(void)line;
	(void)text;
}

/* Never returns.  The rules were found good a moment ago. */
static void __attribute__((noreturn))
be_companion(pid_t program, const char *rules_path, int memory, int report)
{
	struct ready ready = {.pid = getpid()};
	char path[COMPANION_PATH_MAX], error[STATE_ERROR_MAX];
	static struct rulesfile rules;
	struct state *state;
	int watch;

	setsid();
	prctl(PR_SET_NAME, "cutout");
	reset_signals();
	keep_only(memory, report);
	watch = (int)syscall(SYS_pidfd_open, program, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", MEMORY);
	state = state_open(path, false, error);
	if (state == NULL || !rulesfile_load(rules_path, &rules, ignore_error, NULL) ||
	    chdir("/") != 0)
		ready.error = EIO;
	log_open(getenv("CUTOUT_LOG"), getenv("CUTOUT_LOG_FORMAT"));
	drop_capabilities();
	if (write(REPORT, &ready, sizeof(ready)) != sizeof(ready) || ready.error != 0)
		_exit(EXIT_FAILURE);
	close(REPORT);
	serve(state, &rules.rules, program, watch);
	_exit(EXIT_SUCCESS);
}

/*
 * As fork(), but the child's end is told by no signal, which would still be pending
 * when the program begins.
 */
static pid_t
fork_silently(void)
{
	return (pid_t)raw_call(SYS_clone, 0, 0, 0, 0, 0, 0);
}

/*
 * The companion is a child of a child that ends at once, and so becomes an orphan.  As
 * the first process of a container we would get the orphan back: there it stays a child
 * that sends no signal and that no ordinary wait() sees.
 */
static int
start(pid_t program, const char *rules, int memory, int report)
{
	bool is_init = program == 1;
	pid_t child = fork_silently();

	if (child < 0)
		return child;
	if (child == 0) {
		if (!is_init && fork_silently() != 0)
			_exit(EXIT_SUCCESS);
		be_companion(program, rules, memory, report);
	}
	if (!is_init)
		while (waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	return 0;
}

int
companion_start(const char *rules, char state[COMPANION_PATH_MAX])
{
	struct ready ready = {.error = EIO};
	int memory = state_make(), ends[2], reaper = 0, result;

	if (memory < 0)
		return memory;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		close(memory);
		return -errno;
	}
	/* Who reaps orphans would become the companion's parent. */
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	result = start(getpid(), rules, memory, ends[1]);
	close(ends[1]);
	close(memory);
	if (result == 0 && read(ends[0], &ready, sizeof(ready)) != sizeof(ready))
		ready.error = EIO;
	close(ends[0]);
	prctl(PR_SET_CHILD_SUBREAPER, reaper);
	if (result != 0 || ready.error != 0)
		return result != 0 ? result : -ready.error;
	snprintf(state, COMPANION_PATH_MAX, "/proc/%d/fd/%d", (int)ready.pid, MEMORY);
	return 0;
}
