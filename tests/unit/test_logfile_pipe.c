#include "logfile_support.h"

#include <signal.h>
#include <sys/resource.h>

static int
replace_stderr(void)
{
	int mine = open(file, O_WRONLY | O_APPEND);
	int null = open("/dev/null", O_WRONLY);

	dup2(mine, 2);
	CHECK(logfile_open(NULL));
	say("one\n");
	dup2(null, 2);
	say("two\n");
	CHECK(logfile_check() == -EBADF);
	dup2(mine, 2);
	say("three\n");
	close(2);
	say("four\n");
	CHECK(strcmp(content(file), "one\nthree\n") == 0);
	return 0;
}

static void
stderr_is_the_one_of_the_start(void **state)
{
	(void)state;
	in_child(replace_stderr);
}

static int
stderr_comes_later(void)
{
	close(2);
	CHECK(logfile_open(NULL));
	CHECK(open(file, O_WRONLY | O_APPEND) >= 0);
	say("line\n");
	CHECK(strcmp(content(file), "") == 0);
	return 0;
}

static void
closed_stderr_stays_silent(void **state)
{
	(void)state;
	in_child(stderr_comes_later);
}

static int
write_to_a_broken_pipe(void)
{
	sigset_t set, mask, pending;
	int ends[2];

	CHECK(pipe(ends) == 0);
	dup2(ends[1], 2);
	CHECK(logfile_open(NULL));
	close(ends[0]);
	errno = 4711;
	say("line\n");
	CHECK(errno == 4711);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGPIPE));
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say("line\n");
	sigpending(&pending);
	CHECK(!sigismember(&pending, SIGPIPE));
	raise(SIGPIPE);
	say("line\n");
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGPIPE));
	return 0;
}

static void
broken_pipe_raises_no_signal(void **state)
{
	(void)state;
	in_child(write_to_a_broken_pipe);
}

static int
write_beyond_the_limit(void)
{
	const struct rlimit limit = {6, 6};
	sigset_t set, mask, pending;

	CHECK(logfile_open(file));
	say("one\n");
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	errno = 4711;
	say("two\n");
	say("three\n");
	CHECK(errno == 4711);
	CHECK(strcmp(content(file), "one\ntw") == 0);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGXFSZ));
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say("line\n");
	sigpending(&pending);
	CHECK(!sigismember(&pending, SIGXFSZ));
	raise(SIGXFSZ);
	say("line\n");
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGXFSZ));
	return 0;
}

static void
file_at_its_limit_raises_no_signal(void **state)
{
	(void)state;
	in_child(write_beyond_the_limit);
}

static int
write_to_a_full_pipe(void)
{
	char page[4096] = "";
	int ends[2];

	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	dup2(ends[1], 2);
	CHECK(logfile_open(NULL));
	while (write(ends[1], page, sizeof(page)) > 0)
		;
	errno = 4711;
	say("line\n");
	CHECK(errno == 4711);
	return 0;
}

static void
full_pipe_that_must_not_block_loses_the_line(void **state)
{
	(void)state;
	in_child(write_to_a_full_pipe);
}

static void
fifo_is_not_waited_for(void **state)
{
	char fifo[80], text[16] = "";

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", directory);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(logfile_open(fifo));
	assert_int_equal(logfile_check(), -ENXIO);
	int reader = open(fifo, O_RDONLY | O_NONBLOCK);

	say("line\n");
	assert_int_equal(read(reader, text, sizeof(text)), 5);
	assert_string_equal(text, "line\n");
	close(reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stderr_is_the_one_of_the_start),
		TEST(closed_stderr_stays_silent),
		TEST(broken_pipe_raises_no_signal),
		TEST(file_at_its_limit_raises_no_signal),
		TEST(full_pipe_that_must_not_block_loses_the_line),
		TEST(fifo_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
