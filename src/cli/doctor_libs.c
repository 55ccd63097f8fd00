/*
 * ldd(1) starts the loader that the program names, which may be anything.  The one that
 * the ABI of this machine names is trusted, and knows of caches, RUNPATH and $ORIGIN.
 */
#include "cli/doctor_libs.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#else
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#endif

/* "\tNAME => PATH (0xADDRESS)", "\tNAME => not found" or "\tNAME (0xADDRESS)". */
static void
take_line(char *line, libs_found *found, void *context)
{
	char *name = line + strspn(line, "\t "), *path = strstr(name, " => ");
	char *end = strstr(name, " (0x");

	line[strcspn(line, "\n")] = '\0';
	if (path) {
		*path = '\0';
		path += strlen(" => ");
		if (strcmp(path, "not found") == 0)
			path = NULL;
	} else if (end) {
		path = name;
	}
	if (end)
		*end = '\0';
	if (path || !end)
		found(context, name, path);
}

static bool
take_lines(int fd, libs_found *found, void *context)
{
	FILE *lines = fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;

	if (!lines) {
		close(fd);
		return false;
	}
	while (getline(&line, &size, lines) > 0)
		take_line(line, found, context);
	free(line);
	fclose(lines);
	return true;
}

/* As ldd(1) asks, with the search path of the user and no other variable of the loader's. */
static bool
start(const char *program, int out, pid_t *pid)
{
	char *const argv[] = {(char[]){LOADER}, (char *)(uintptr_t)program, NULL};
	const char *value = getenv("LD_LIBRARY_PATH");
	char *path = NULL;
	posix_spawn_file_actions_t actions;

	if (value && asprintf(&path, "LD_LIBRARY_PATH=%s", value) < 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	bool started =
		posix_spawn(pid, LOADER, &actions, NULL, argv,
			    (char *[]){(char[]){"LD_TRACE_LOADED_OBJECTS=1"}, path, NULL}) == 0;

	posix_spawn_file_actions_destroy(&actions);
	free(path);
	return started;
}

bool
libs_list(const char *program, libs_found *found, void *context)
{
	int ends[2], status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bool started = start(program, ends[1], &pid);

	close(ends[1]);
	if (!started) {
		close(ends[0]);
		return false;
	}
	bool read = take_lines(ends[0], found, context);

	return waitpid(pid, &status, 0) == pid && read && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}
