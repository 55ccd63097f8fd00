/* A process that follows, and a library that is really there. */
#ifndef FOLLOW_SUPPORT_H
#define FOLLOW_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shim/follow.h"

/* Files that are there: a path of the library's has to be one that can be read. */
static char directory[] = "/tmp/test_follow.XXXXXX";
static char library[64], elsewhere[64];

static char preload[256];
static char follow_1[] = "CUTOUT_FOLLOW=1", rules[] = "CUTOUT_RULES=/r u'les";
static char path[] = "PATH=/bin";

static char room[FOLLOW_SIZE_MAX] __attribute__((aligned(16)));

static inline void
start_with(const char *list)
{
	char *envp[] = {path, preload, follow_1, rules, NULL};

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", list);
	assert_null(follow_init(envp, library));
}

static inline char *const *
followed(char *const envp[])
{
	struct follow_plan plan = follow_plan(envp);

	return follow_write(&plan, room);
}

static inline const char *
value(char *const *envp, const char *name)
{
	for (; *envp; envp++)
		if (strncmp(*envp, name, strlen(name)) == 0 && (*envp)[strlen(name)] == '=')
			return *envp + strlen(name) + 1;
	return NULL;
}

static inline size_t
count(char *const *envp)
{
	size_t n = 0;

	while (envp[n])
		n++;
	return n;
}

static inline int
make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(library, sizeof(library), "%s/libcutout.so", directory);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", directory);
	return close(open(library, O_CREAT | O_WRONLY, 0644));
}

static inline int
remove_directory(void **state)
{
	(void)state;
	unlink(library);
	return rmdir(directory);
}

#endif
