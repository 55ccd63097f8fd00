/* What the tests of the log's file share. */
#ifndef TESTS_UNIT_LOGFILE_SUPPORT_H
#define TESTS_UNIT_LOGFILE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/logfile.h"

static char directory[] = "/tmp/test_logfile.XXXXXX";
static char file[64];

static inline void
say(const char *line)
{
	logfile_write(line, strlen(line));
}

static inline const char *
content(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "r");

	if (!f)
		return "(no file)";
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* The highest descriptor that is this file, and how many there are. */
static inline int
find_fd(const char *path, int *count)
{
	struct stat want, st;
	int found = -1;

	*count = 0;
	if (stat(path, &want) < 0)
		return -1;
	for (int fd = 0; fd < 1100; fd++)
		if (fstat(fd, &st) == 0 && st.st_ino == want.st_ino && st.st_dev == want.st_dev) {
			found = fd;
			++*count;
		}
	return found;
}

static inline int
the_fd(const char *path)
{
	int count;
	int fd = find_fd(path, &count);

	assert_int_equal(count, 1);
	return fd;
}

/* Runs f in a child of fork, whose descriptors may be ruined; f returns 0 if all is well. */
static inline void
in_child(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(f());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ & 0xFF ? __LINE__ & 0xFF : 1;                              \
	} while (0)

static inline int
setup(void **state)
{
	(void)state;
	unlink(file);
	return logfile_open(file) ? 0 : -1;
}

static inline int
teardown(void **state)
{
	(void)state;
	return logfile_open(NULL) ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline int
make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(file, sizeof(file), "%s/log", directory);
	return 0;
}

static inline int
remove_directory(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? 0 : -1;
}

#endif
