#include "cli/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcutout.so"
#define SEPARATORS ": "

static bool
found(char out[PATH_MAX], const char *directory, const char *below)
{
	int len = snprintf(out, PATH_MAX, "%s/%s%s", directory, below, LIBRARY);

	return len > 0 && len < PATH_MAX && access(out, R_OK) == 0;
}

bool
preload_find(char out[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
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
	/* The loader replaces $ORIGIN and the like. */
	return !strpbrk(path, SEPARATORS "$");
}

/* The entry at s, whose length is *len; the end of the text where there is none. */
static const char *
entry_at(const char *s, size_t *len)
{
	s += strspn(s, SEPARATORS);
	*len = strcspn(s, SEPARATORS);
	return s;
}

static bool
is_there(const char *library, const char *there)
{
	size_t len;

	for (const char *s = entry_at(there, &len); len; s = entry_at(s + len, &len))
		if (len == strlen(library) && memcmp(s, library, len) == 0)
			return true;
	return false;
}

static bool
is_sanitizer(const char *entry, size_t len)
{
	static const char *const names[] = {"libasan.so",  "liblsan.so",   "libtsan.so",
					    "libubsan.so", "libhwasan.so", "libclang_rt."};
	const char *base = memrchr(entry, '/', len);

	base = base ? base + 1 : entry;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((size_t)(entry + len - base) > strlen(names[i]) &&
		    memcmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

char *
preload_join(const char *library, const char *there)
{
	size_t len;
	char *out;

	if (!there || !there[strspn(there, SEPARATORS)])
		return strdup(library);
	if (is_there(library, there))
		return strdup(there);

	const char *rest = entry_at(there, &len);

	while (len && is_sanitizer(rest, len))
		rest = entry_at(rest + len, &len);
	if (asprintf(&out, "%.*s%s%s%s%s", (int)(rest - there), there,
		     rest > there && !strchr(SEPARATORS, rest[-1]) ? ":" : "", library,
		     *rest ? ":" : "", rest) < 0)
		return NULL;
	return out;
}
