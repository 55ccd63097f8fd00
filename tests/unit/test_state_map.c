/* The file that processes share: how it is made, and what is refused in its place. */
#include "state_support.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>

/* Writes over the file at a place. */
static void
put(off_t at, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, len, at), len);
	close(fd);
}

static void
what_one_writes_another_reads(void **state)
{
	struct state *one = opened(true), *other = opened(false);
	uint32_t index, there;

	(void)state;
	assert_int_equal(state_breaker(one, "carrier", 7, &index), STATE_FOUND);
	assert_int_equal(state_breaker(other, "carrier", 7, &there), STATE_FOUND);
	assert_int_equal(index, there);
	state_close(one);
	state_close(other);
	assert_true(state_settings(other = opened(false), index) == 7);
	state_close(other);
}

static void
file_is_for_its_user_alone_whatever_the_umask(void **state)
{
	mode_t before = umask(0777);
	struct stat st;

	(void)state;
	make();
	umask(0);
	assert_int_equal(stat(path, &st), 0);
	umask(before);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, sizeof(struct state));
	/* Its pages are there. */
	assert_true((size_t)st.st_blocks * 512 >= sizeof(struct state));
}

static void
no_descriptor_is_left_open(void **state)
{
	int first = open("/dev/null", O_RDONLY), second;

	(void)state;
	close(first);
	make();
	put(0, "?", 1);
	refused(false, "not a state of cutout");
	second = open("/dev/null", O_RDONLY);
	close(second);
	assert_int_equal(second, first);
}

static void
missing_file_is_made_only_when_asked_for(void **state)
{
	(void)state;
	refused(false, "there is no state at this path");
	assert_int_not_equal(access(path, F_OK), 0);
	make();
}

static void
missing_directory_is_told(void **state)
{
	char right[sizeof(path)];

	(void)state;
	memcpy(right, path, sizeof(path));
	snprintf(path, sizeof(path), "%s/nowhere/state", directory);
	refused(true, "the directory of the state does not exist");
	memcpy(path, right, sizeof(path));
}

static void
path_that_is_too_long_is_told(void **state)
{
	static char long_path[8192];

	(void)state;
	memset(long_path, '/', sizeof(long_path) - 1);
	assert_null(state_open(long_path, true, error));
	assert_string_equal(error, "the path of the state is too long");
}

static void
other_kinds_of_files_are_refused_and_not_touched(void **state)
{
	struct pollfd end = {.events = POLLIN};

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	refused(true, "is a directory");
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	end.fd = open(path, O_RDONLY | O_NONBLOCK);
	refused(true, "not a regular file");
	/* A writer that came and went would show. */
	assert_int_equal(poll(&end, 1, 0), 0);
	close(end.fd);
	assert_null(state_open("/dev/null", true, error));
	assert_non_null(strstr(error, "not a regular file"));
}

static void
short_and_long_files_are_refused(void **state)
{
	(void)state;
	make();
	assert_int_equal(truncate(path, sizeof(struct state) + 1), 0);
	refused(false, "cut short or too long");
	assert_int_equal(truncate(path, sizeof(struct state) - 1), 0);
	refused(false, "cut short or too long");
	assert_int_equal(truncate(path, sizeof(struct state_header) - 1), 0);
	refused(true, "too short");
	/* What a killed creator of another kind may leave. */
	assert_int_equal(truncate(path, 0), 0);
	refused(true, "too short");
}

static void
foreign_headers_are_refused(void **state)
{
	uint32_t number = 0;
	uint64_t layout;

	(void)state;
	make();
	put(0, "CUTOUT", 6);
	refused(false, "not a state of cutout");
	put(0, "cutout", 6);
	put(offsetof(struct state_header, version), &number, sizeof(number));
	refused(false, "older version");
	number = 4711;
	put(offsetof(struct state_header, version), &number, sizeof(number));
	refused(false, "newer version");
	unlink(path);
	make();
	state_close(opened(false));
	layout = 4711;
	put(offsetof(struct state_header, layout), &layout, sizeof(layout));
	refused(false, "another layout");
	unlink(path);
	make();
	number = 4711;
	put(offsetof(struct state_header, size), &number, sizeof(number));
	refused(false, "another layout");
}

static void
symlink_is_followed_where_it_leads_somewhere(void **state)
{
	char link[160];

	(void)state;
	snprintf(link, sizeof(link), "%s.link", directory);
	assert_int_equal(symlink(path, link), 0);
	assert_null(state_open(link, true, error));
	assert_int_not_equal(access(path, F_OK), 0);
	make();

	struct state *s = state_open(link, false, error);

	assert_non_null(s);
	state_close(s);
	unlink(link);
}

static void
elsewhere_than_on_a_tmpfs_nothing_is_made(void **state)
{
	char elsewhere[] = "state-not-here-XXXXXX", there[64];
	struct statfs place;

	(void)state;
	if (statfs(".", &place) != 0 || place.f_type == TMPFS_MAGIC)
		skip();
	assert_non_null(mkdtemp(elsewhere));
	snprintf(there, sizeof(there), "%s/state", elsewhere);
	assert_null(state_open(there, true, error));
	assert_non_null(strstr(error, "not on a tmpfs"));
	assert_int_equal(rmdir(elsewhere), 0);
	/* A file that is there is not even looked into. */
	assert_null(state_open("/proc/self/exe", false, error));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_one_writes_another_reads),
		TEST(file_is_for_its_user_alone_whatever_the_umask),
		TEST(no_descriptor_is_left_open),
		TEST(missing_file_is_made_only_when_asked_for),
		TEST(missing_directory_is_told),
		TEST(path_that_is_too_long_is_told),
		TEST(other_kinds_of_files_are_refused_and_not_touched),
		TEST(short_and_long_files_are_refused),
		TEST(foreign_headers_are_refused),
		TEST(symlink_is_followed_where_it_leads_somewhere),
		TEST(elsewhere_than_on_a_tmpfs_nothing_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
