/* A directory on a tmpfs for one state, for the tests of state_map. */
#ifndef TESTS_STATE_SUPPORT_H
#define TESTS_STATE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "state/state_map.h"

static char directory[64];
static char path[128];
static char error[STATE_ERROR_MAX];

static inline int
make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/dev/shm/cutout-test-XXXXXX");
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/state", directory);
	return 0;
}

static inline int
remove_directory(void **state)
{
	(void)state;
	if (unlink(path) != 0)
		rmdir(path);
	return rmdir(directory);
}

static inline struct state *
opened(bool create)
{
	struct state *s = state_open(path, create, error);

	if (s == NULL)
		fail_msg("%s", error);
	assert_string_equal(error, "");
	return s;
}

static inline void
refused(bool create, const char *why)
{
	struct state *s = state_open(path, create, error);

	assert_null(s);
	if (strstr(error, why) == NULL)
		fail_msg("'%s' does not say '%s'", error, why);
}

static inline void
make(void)
{
	state_close(opened(true));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

#endif
