#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/rulesfile.h"

static char path[] = "/tmp/test_rulesfile.XXXXXX";

struct heard {
	unsigned count, line;
	char text[RULES_ERROR_MAX];
};

static void
hear(void *context, unsigned line, const char *text)
{
	struct heard *h = context;

	h->count++;
	h->line = line;
	snprintf(h->text, sizeof(h->text), "%s", text);
}

static int
make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int
remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void
fill_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int
lowest_free_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static void
file_is_loaded_and_nothing_left_behind(void **state)
{
	struct rulesfile file;
	struct heard heard = {0};
	int before = lowest_free_descriptor();

	(void)state;
	fill_file("[a]\nmatch = a.example\nmessage = one\n two\n");
	errno = ENOTTY;
	assert_true(rulesfile_load(path, &file, hear, &heard));
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(heard.count, 0);
	assert_int_equal(file.rules.section_count, 1);
	assert_memory_equal(file.rules.sections[0].settings.message.at, "one two", 7);
	assert_ptr_equal(file.path, path);
	assert_int_equal(lowest_free_descriptor(), before);
	rulesfile_free(&file);
	assert_null(file.text);
}

static void
file_with_errors_tells_them_and_leaves_nothing(void **state)
{
	struct rulesfile file;
	struct heard heard = {0};
	int before = lowest_free_descriptor();

	(void)state;
	fill_file("[a]\nmatch = a.example\nx = 1\ny = 2\n");
	errno = 0;
	assert_false(rulesfile_load(path, &file, hear, &heard));
	assert_int_equal(errno, 0);
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.line, 4);
	assert_null(file.text);
	assert_null(file.memory);
	assert_int_equal(lowest_free_descriptor(), before);
}

static void
no_path_is_the_builtin_file(void **state)
{
	struct rulesfile file;
	struct heard heard = {0};

	(void)state;
	assert_true(rulesfile_load(NULL, &file, hear, &heard));
	assert_string_equal(file.path, "built-in");
	assert_int_equal(file.rules.section_count, 1);
	rulesfile_free(&file);
}

static void
what_is_no_file_is_told(void **state)
{
	static const struct {
		const char *path, *text;
	} cases[] = {{"/no/such", "cannot be opened: no such file"},
		     {"/dev/null/x", "cannot be opened: a part of its path is not a directory"},
		     {"/tmp", "is a directory, not a file"},
		     {"/dev/null", "is not a regular file"},
		     {"", "cannot be opened: no such file"}};
	struct rulesfile file;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct heard heard = {0};

		errno = 0;
		assert_false(rulesfile_load(cases[i].path, &file, hear, &heard));
		assert_int_equal(errno, 0);
		assert_int_equal(heard.count, 1);
		assert_int_equal(heard.line, 0);
		assert_string_equal(heard.text, cases[i].text);
	}
}

static void
no_descriptor_left_is_told(void **state)
{
	struct rulesfile file;
	struct heard heard = {0};
	struct rlimit saved, none;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &saved);
	none = (struct rlimit){0, saved.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	bool fine = rulesfile_load(path, &file, hear, &heard);

	setrlimit(RLIMIT_NOFILE, &saved);
	assert_false(fine);
	assert_string_equal(heard.text, "cannot be opened: too many open files");
}

static void
descriptor_may_be_a_pipe(void **state)
{
	struct rulesfile file;
	struct heard heard = {0};
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "[*]\n", 4), 4);
	close(ends[1]);
	assert_true(rulesfile_load_fd(ends[0], "<pipe>", &file, hear, &heard));
	assert_int_equal(file.rules.section_count, 1);
	rulesfile_free(&file);
	assert_int_equal(close(ends[0]), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_loaded_and_nothing_left_behind),
		cmocka_unit_test(file_with_errors_tells_them_and_leaves_nothing),
		cmocka_unit_test(no_path_is_the_builtin_file),
		cmocka_unit_test(what_is_no_file_is_told),
		cmocka_unit_test(no_descriptor_left_is_told),
		cmocka_unit_test(descriptor_may_be_a_pipe),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
