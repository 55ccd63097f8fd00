/*
 * vfork_pending PORT PROGRAM [ARG...]: starts PROGRAM with an empty environment by
 * vfork while a connect to 127.0.0.1 PORT is under way, and prints what that changed in
 * this process: bytes of libcutout.so's memory, words of the environment, and whether
 * the connect is still under way.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_MAX (8 * 1024 * 1024)

static char before[MEMORY_MAX], after[MEMORY_MAX];

/* Copies what the library can write to, .bss behind it included. */
static size_t
take(char *out)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	size_t used = 0;
	uintptr_t end = 0;
	int inside = 0;

	while (fgets(line, sizeof(line), maps)) {
		uintptr_t low, high;
		char rights[8];

		if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) != 3)
			continue;
		/* What lies apart from it is another's, as libc's thread memory. */
		inside = strstr(line, "libcutout.so") ||
			 (inside && low == end && !strchr(line, '/') && !strchr(line, '['));
		end = high;
		if (!inside || strchr(rights, 'w') == NULL || used + (high - low) > MEMORY_MAX)
			continue;
		memcpy(out + used, (void *)low, high - low);
		used += high - low;
	}
	fclose(maps);
	return used;
}

static void
start(char **words)
{
	char *empty[] = {NULL};
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execve(words[0], words, empty);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		printf("the program ended with %d\n", status);
}

static int
connect_to(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno != EINPROGRESS)
		puts("the connect is not under way");
	return fd;
}

int
main(int argc, char **argv)
{
	size_t size, changed = 0, words = 0;
	char **environ_before = environ;

	if (argc < 3)
		return 2;
	start(argv + 2); /* so that the linker has found every function */

	int fd = connect_to(atoi(argv[1]));
	struct pollfd p = {fd, POLLOUT, 0};

	for (int i = 0; environ && environ[i]; i++)
		words++;
	take(before);
	take(after);
	size = take(before);
	start(argv + 2);
	take(after);
	for (size_t i = 0; i < size; i++)
		changed += before[i] != after[i];
	for (int i = 0; environ && environ[i]; i++)
		words--;
	fprintf(stderr, "%zu\n", size);
	printf("%zu bytes changed, environment %s, connect %s\n", changed,
	       words == 0 && environ == environ_before ? "same" : "changed",
	       poll(&p, 1, 0) == 0 ? "under way" : "over");
	close(fd);
	return 0;
}
