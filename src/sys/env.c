#include "sys/env.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/raw.h"

static char proxy_texts[PROXIES_MAX][DEST_TEXT_MAX];

const char *
env_get(const char *name)
{
	size_t len = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (**at == *name && strncmp(*at, name, len) == 0 && (*at)[len] == '=')
			return (*at)[len + 1] ? *at + len + 1 : NULL;
	return NULL;
}

/* Whatever is there counts, readable or not: a file that cannot be read is an error. */
static bool
is_there(const char *path)
{
	int fd = raw_open(path, O_PATH | O_CLOEXEC, 0);

	if (fd >= 0)
		raw_close(fd);
	return fd >= 0;
}

static const char *
look_in(char buffer[PATH_MAX], const char *directory, const char *rest)
{
	struct text t = text_over(buffer, PATH_MAX);

	if (!directory || *directory != '/')
		return NULL;
	text_string(&t, directory);
	text_string(&t, rest);
	return t.len < PATH_MAX - 1 && is_there(buffer) ? buffer : NULL;
}

const char *
env_rules_path(char buffer[PATH_MAX])
{
	const char *path = env_get("CUTOUT_RULES");

	if (!path)
		path = look_in(buffer, env_get("XDG_CONFIG_HOME"), "/cutout/rules");
	if (!path)
		path = look_in(buffer, env_get("HOME"), "/.config/cutout/rules");
	if (!path)
		path = look_in(buffer, "/etc", "/cutout/rules");
	return path;
}

/* HOST[:PORT] of [SCHEME://][USER[:PASSWORD]@]HOST[:PORT][/...]. */
static struct span
authority(const char *value)
{
	const char *scheme = strstr(value, "://");
	struct span s = {scheme ? scheme + 3 : value, 0};

	s.len = (uint32_t)strcspn(s.at, "/?#");
	const char *at = memrchr(s.at, '@', s.len);

	if (at) {
		s.len -= (uint32_t)(at + 1 - s.at);
		s.at = at + 1;
	}
	return s;
}

void
env_proxies(struct proxies *out)
{
	static const char *const names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
					    "HTTPS_PROXY", "all_proxy",	 "ALL_PROXY"};

	_Static_assert(sizeof(names) / sizeof(names[0]) <= PROXIES_MAX, "room for every proxy");
	out->count = 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = env_get(names[i]);
		struct span s = value ? authority(value) : (struct span){"", 0};
		char *copy = proxy_texts[i];

		if (s.len == 0 || s.len >= DEST_TEXT_MAX)
			continue;
		memcpy(copy, s.at, s.len);
		s.at = copy;
		if (dest_parse(s, &out->dest[out->count]))
			out->count++;
	}
}
