#include "cli/preload.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/preloads.h"

#define LIBRARY "libcutout.so"

static bool
found(char out[PATH_MAX], const char *directory, const char *below)
{
	int len = snprintf(out, PATH_MAX, "%s/%s%s", directory, below, LIBRARY);

	return len > 0 && len < PATH_MAX && access(out, R_OK) == 0;
}

/* Where this command is; without /proc by the name that it was started with. */
static bool
find_self(char out[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);
	unsigned long name = len > 0 ? 0 : getauxval(AT_EXECFN);

	if (len > 0)
		out[len] = '\0';
	return len > 0 || (name != 0 && realpath((const char *)(uintptr_t)name, out) != NULL);
}

bool
preload_find(char out[PATH_MAX])
{
	char self[PATH_MAX];

	if (find_self(self)) {
		char *slash = strrchr(self, '/');

		if (slash) {
			*slash = '\0';
			if (found(out, self, "") || found(out, self, ".libs/"))
				return true;
		}
	}
	return found(out, CUTOUT_LIBDIR, "");
}

bool
preload_can_hold(const char *path)
{
	return preloads_can_hold(path);
}

static bool
is_there(const char *library, const char *there)
{
	size_t len;

	for (const char *s = preloads_entry(there, &len); len; s = preloads_entry(s + len, &len))
		if (len == strlen(library) && memcmp(s, library, len) == 0)
			return true;
	return false;
}

char *
preload_join(const char *library, const char *there)
{
	if (!there)
		return strdup(library);
	if (is_there(library, there))
		return strdup(there);

	size_t size = strlen(library) + strlen(there) + PRELOADS_JOINED_EXTRA;
	char *out = malloc(size);

	if (out) {
		struct text t = text_over(out, size);

		preloads_join(&t, library, there);
	}
	return out;
}
