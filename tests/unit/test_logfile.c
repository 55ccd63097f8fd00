#include "logfile_support.h"

#include <pthread.h>
#include <sys/resource.h>

static void
descriptor_is_high_and_appends_and_ends_with_exec(void **state)
{
	int fd = the_fd(file);

	(void)state;
	assert_in_range(fd, 32, 1023);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_APPEND | O_ACCMODE), O_APPEND | O_WRONLY);
}

static void
closed_descriptor_is_opened_again(void **state)
{
	(void)state;
	say("one\n");
	close(the_fd(file));
	say("two\n");
	say("three\n");
	assert_string_equal(content(file), "one\ntwo\nthree\n");
	assert_in_range(the_fd(file), 32, 1023);
}

static void
file_in_its_place_is_left_alone(void **state)
{
	char other[80];
	int fd = the_fd(file);

	(void)state;
	snprintf(other, sizeof(other), "%s/other", directory);
	int theirs = open(other, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(dup2(theirs, fd), fd);
	say("line\n");
	assert_string_equal(content(other), "");
	assert_string_equal(content(file), "line\n");
	assert_int_equal(write(fd, "x", 1), 1);
	assert_string_equal(content(other), "x");
	close(fd);
	close(theirs);
}

static void
relative_path_outlives_chdir(void **state)
{
	char before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(directory), 0);
	assert_true(logfile_open("log"));
	assert_int_equal(chdir("/"), 0);
	close(the_fd(file));
	say("line\n");
	assert_string_equal(content(file), "line\n");
	assert_int_equal(chdir(before), 0);
}

static void
path_that_cannot_be_opened_is_tried_again(void **state)
{
	char later[80], inside[96];

	(void)state;
	snprintf(later, sizeof(later), "%s/later", directory);
	snprintf(inside, sizeof(inside), "%s/log", later);
	assert_true(logfile_open(inside));
	assert_int_equal(logfile_check(), -ENOENT);
	say("lost\n");
	assert_int_equal(mkdir(later, 0700), 0);
	assert_int_equal(logfile_check(), 0);
	say("found\n");
	assert_string_equal(content(inside), "found\n");
	the_fd(inside);
}

static void
path_too_long_is_refused(void **state)
{
	char path[5000];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	path[0] = '/';
	assert_false(logfile_open(path));
}

static int
child_appends_to_the_same_descriptor(void)
{
	int before, after, count;

	before = find_fd(file, &count);
	say("child\n");
	after = find_fd(file, &count);
	CHECK(before == after && count == 1);
	close(after);
	say("again\n");
	find_fd(file, &count);
	CHECK(count == 1);
	return 0;
}

static void
forked_child_shares_the_file(void **state)
{
	(void)state;
	say("parent\n");
	in_child(child_appends_to_the_same_descriptor);
	say("parent\n");
	assert_string_equal(content(file), "parent\nchild\nagain\nparent\n");
}

static char with_pid[80];
static char parents_file[80];

static int
child_opens_its_own(void)
{
	char mine[80];
	int count;

	snprintf(mine, sizeof(mine), "%s/log.%d", directory, (int)getpid());
	say("child\n");
	say("child\n");
	CHECK(strcmp(content(mine), "child\nchild\n") == 0);
	find_fd(mine, &count);
	CHECK(count == 1);
	find_fd(parents_file, &count);
	CHECK(count == 0);
	return 0;
}

static void
open_with_pid(void)
{
	snprintf(with_pid, sizeof(with_pid), "%s/log.%%p", directory);
	snprintf(parents_file, sizeof(parents_file), "%s/log.%d", directory, (int)getpid());
	unlink(parents_file);
	assert_true(logfile_open(with_pid));
	say("parent\n");
}

static void
forked_child_has_a_file_by_its_own_pid(void **state)
{
	(void)state;
	open_with_pid();
	in_child(child_opens_its_own);
	say("parent\n");
	assert_string_equal(content(parents_file), "parent\nparent\n");
	the_fd(parents_file);
}

static pid_t
say_in_vfork_child(int fd)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		close(fd);
		say("child\n");
		say("child\n");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return pid;
}

static void
vfork_child_leaves_the_parents_descriptor_alone(void **state)
{
	(void)state;
	for (int own = 0; own <= 1; own++) {
		if (own)
			open_with_pid();
		const char *path = own ? parents_file : file;
		int fd = the_fd(path);
		pid_t pid = say_in_vfork_child(fd);

		say("parent\n");
		assert_int_equal(the_fd(path), fd);
		assert_string_equal(content(path),
				    own ? "parent\nparent\n" : "child\nchild\nparent\n");
		snprintf(with_pid, sizeof(with_pid), "%s/log.%d", directory, (int)pid);
		if (own)
			assert_string_equal(content(with_pid), "child\nchild\n");
	}
}

#define THREADS 4
#define ROUNDS 200

static pthread_barrier_t barrier;

static void *
close_and_say(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		int count;

		pthread_barrier_wait(&barrier);
		if (number == NULL)
			close(find_fd(file, &count));
		pthread_barrier_wait(&barrier);
		say("line\n");
	}
	return NULL;
}

static void
threads_that_open_at_once_keep_one_descriptor(void **state)
{
	pthread_t threads[THREADS];
	static char numbers[THREADS];

	(void)state;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, close_and_say, i ? &numbers[i] : NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	the_fd(file);
	assert_int_equal(strlen(content(file)), THREADS * ROUNDS * strlen("line\n"));
}

static int
start_without_stdio(void)
{
	struct stat st;
	int count;

	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	CHECK(logfile_open(file));
	CHECK(find_fd(file, &count) > 2 && count == 1);
	for (int fd = 0; fd <= 2; fd++)
		CHECK(fstat(fd, &st) < 0);
	return 0;
}

static void
file_is_never_0_to_2(void **state)
{
	(void)state;
	in_child(start_without_stdio);
}

static int
with_few_descriptors(void)
{
	struct rlimit few = {20, 20};
	int count;

	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	CHECK(logfile_open(file));
	CHECK(find_fd(file, &count) > 2 && count == 1);
	say("line\n");
	CHECK(strcmp(content(file), "line\n") == 0);
	return 0;
}

static void
few_descriptors_are_enough(void **state)
{
	(void)state;
	in_child(with_few_descriptors);
}

static void
errno_is_kept(void **state)
{
	(void)state;
	errno = 4711;
	say("line\n");
	assert_int_equal(errno, 4711);
	close(the_fd(file));
	errno = 4711;
	assert_true(logfile_open("/nowhere/at/all"));
	assert_int_equal(errno, 4711);
	say("line\n");
	assert_int_equal(errno, 4711);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(descriptor_is_high_and_appends_and_ends_with_exec),
		TEST(closed_descriptor_is_opened_again),
		TEST(file_in_its_place_is_left_alone),
		TEST(relative_path_outlives_chdir),
		TEST(path_that_cannot_be_opened_is_tried_again),
		TEST(path_too_long_is_refused),
		TEST(forked_child_shares_the_file),
		TEST(forked_child_has_a_file_by_its_own_pid),
		TEST(vfork_child_leaves_the_parents_descriptor_alone),
		TEST(threads_that_open_at_once_keep_one_descriptor),
		TEST(file_is_never_0_to_2),
		TEST(few_descriptors_are_enough),
		TEST(errno_is_kept),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
