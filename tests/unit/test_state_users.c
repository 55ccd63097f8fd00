/* Who makes and shares a state: other users, many at once, those who are killed at it. */
#include "state_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NOBODY 65534

/* Runs it in a child; its exit status, or 1000 more than the signal that ended it. */
static int
in_child(void (*fn)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void
expect(bool create, const char *why)
{
	_exit(state_open(path, create, error) == NULL && strstr(error, why) != NULL ? 42 : 43);
}

static void
as_nobody(void)
{
	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		_exit(44);
	expect(true, "may not be opened");
}

static void
file_that_may_not_be_opened_is_told(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	make();
	chmod(directory, 0755);
	assert_int_equal(in_child(as_nobody), 42);
}

static void
file_of_another_user_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	make();
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
	refused(true, "belongs to another user");
}

static void
under_a_small_limit(void)
{
	struct rlimit limit = {4096, 4096};

	setrlimit(RLIMIT_FSIZE, &limit);
	if (state_make() != -EFBIG)
		_exit(45);
	expect(true, "no room");
}

static void
limit_of_file_sizes_ends_no_process(void **state)
{
	(void)state;
	assert_int_equal(in_child(under_a_small_limit), 42);
	refused(false, "there is no state at this path");
}

static void
killed_creator_leaves_a_whole_file_or_none(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		pid_t child = fork();

		if (child == 0) {
			state_open(path, true, error);
			_exit(0);
		}
		usleep(i * 10);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (access(path, F_OK) == 0)
			state_close(opened(false));
		unlink(path);
		/* Nothing stands beside it. */
		assert_int_equal(rmdir(directory), 0);
		assert_int_equal(mkdir(directory, 0700), 0);
	}
}

static void
creators_at_once_agree_on_one_file(void **state)
{
	enum { CREATORS = 16 };
	struct state *s;
	uint32_t index;
	int status;

	(void)state;
	for (unsigned i = 0; i < CREATORS; i++)
		if (fork() == 0) {
			char name[] = {'a', (char)('a' + i), '\0'};

			s = state_open(path, true, error);
			_exit(s == NULL || state_breaker(s, name, 7, &index) != STATE_FOUND);
		}
	for (unsigned i = 0; i < CREATORS; i++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	s = opened(false);
	unsigned count = 0;

	for (uint32_t i = 0; i < STATE_BREAKERS; i++)
		count += state_settings(s, i) == 7;
	assert_int_equal(count, CREATORS);
	state_close(s);
}

/* The memory of a tree */

static void
memory_of_a_tree_cannot_be_cut_short(void **state)
{
	int fd = state_make();
	char name[32];
	struct state *s;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_not_equal(ftruncate(fd, 0), 0);
	assert_int_not_equal(ftruncate(fd, sizeof(struct state) * 2), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	s = state_open(name, false, error);
	close(fd);
	assert_non_null(s);
	assert_true(state_shares_pids(s));
	state_close(s);
}

static void
elsewhere(void)
{
	struct state *s = state_open(path, false, error);

	if (unshare(CLONE_NEWPID) != 0)
		_exit(0);
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(getpid() != 1 || s == NULL || state_shares_pids(s));
	_exit(waitpid(child, &status, 0) != child || status != 0);
}

static void
pids_of_another_namespace_are_not_shared(void **state)
{
	(void)state;
	make();
	assert_int_equal(in_child(elsewhere), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_that_may_not_be_opened_is_told),
		TEST(file_of_another_user_is_refused),
		TEST(limit_of_file_sizes_ends_no_process),
		TEST(killed_creator_leaves_a_whole_file_or_none),
		TEST(creators_at_once_agree_on_one_file),
		TEST(memory_of_a_tree_cannot_be_cut_short),
		TEST(pids_of_another_namespace_are_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
