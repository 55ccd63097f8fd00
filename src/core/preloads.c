#include "core/preloads.h"

#include <string.h>

#define SEPARATORS ": "

const char *
preloads_entry(const char *s, size_t *len)
{
	s += strspn(s, SEPARATORS);
	*len = strcspn(s, SEPARATORS);
	return s;
}

bool
preloads_can_hold(const char *path)
{
	/* The loader replaces $ORIGIN and the like. */
	return strpbrk(path, SEPARATORS "$") == NULL;
}

static bool
is_sanitizer(const char *entry, size_t len)
{
	static const char *const names[] = {"libasan.so",  "liblsan.so",   "libtsan.so",
					    "libubsan.so", "libhwasan.so", "libclang_rt."};
	const char *base = memrchr(entry, '/', len);

	base = base ? base + 1 : entry;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((size_t)(entry + len - base) >= strlen(names[i]) &&
		    memcmp(base, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void
preloads_join(struct text *t, const char *libraries, const char *list)
{
	size_t len;
	const char *rest = preloads_entry(list, &len);

	if (len == 0)
		list = rest;
	while (len && is_sanitizer(rest, len))
		rest = preloads_entry(rest + len, &len);
	text_bytes(t, list, (size_t)(rest - list));
	if (rest > list && strchr(SEPARATORS, rest[-1]) == NULL)
		text_string(t, ":");
	text_string(t, libraries);
	if (*rest)
		text_string(t, ":");
	text_string(t, rest);
}
