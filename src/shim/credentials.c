#include "shim/credentials.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "sys/raw.h"

static bool
counts(const char *line)
{
	static const char *const keys[] = {
		"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncmp(line, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

static uint64_t
hash_lines(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		if (counts(text))
			for (size_t i = 0; i < len; i++)
				hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
		text += len + (text[len] == '\n');
	}
	return hash != 0 ? hash : 1;
}

uint64_t
credentials_of_program(void)
{
	/* Of the first thread, whichever asks. */
	int fd = raw_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	char text[8192];
	size_t len = 0;
	long n = fd < 0 ? fd : 1;

	while (n > 0 && len < sizeof(text) - 1) {
		n = raw_call(SYS_read, fd, (long)(uintptr_t)(text + len),
			     (long)(sizeof(text) - 1 - len), 0, 0, 0);
		len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		raw_close(fd);
	text[len] = '\0';
	return n < 0 || len == 0 ? 0 : hash_lines(text);
}
