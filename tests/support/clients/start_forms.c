/*
 * start_forms FORM PROGRAM [ARG...]: starts PROGRAM with an empty environment, in the
 * way that FORM names; with the one it has itself where FORM begins with "inherit-".
 * The words are plain, since some forms give them to a shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 8

static char *empty[] = {NULL};
static char **no_environment; /* as Linux allows */

static const char *
joined(char **words)
{
	static char text[4096];

	for (; *words; words++) {
		strcat(text, *words);
		strcat(text, " ");
	}
	return text;
}

static int
status_of(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int
failed(const char *form, int error)
{
	fprintf(stderr, "%s: %s\n", form, strerror(error));
	return 127;
}

static int
spawn(const char *form, char **words)
{
	pid_t pid;
	int error = strstr(form, "spawnp") ? posix_spawnp(&pid, words[0], NULL, NULL, words, empty)
					   : posix_spawn(&pid, words[0], NULL, NULL, words, empty);

	return error ? failed(form, error) : status_of(pid);
}

static int
by_vfork(char **words)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(words[0], words, empty);
		_exit(127);
	}
	return status_of(pid);
}

static int
by_popen(char **words)
{
	FILE *stream = popen(joined(words), "re");
	int c;

	while ((c = getc(stream)) != EOF)
		putchar(c);
	return WEXITSTATUS(pclose(stream));
}

/* Fifty thousand variables. */
static void
huge(char **words)
{
	static char *many[50001], one[] = "A=1";

	for (int i = 0; i < 50000; i++)
		many[i] = one;
	execve(words[0], words, many);
}

/* Whether the program can have that many bytes of arguments. */
static int
takes(char *program, size_t bytes)
{
	static char *words[4096], text[100000];
	size_t n = 0;

	memset(text, 'x', sizeof(text) - 1);
	words[n++] = program;
	for (; bytes >= sizeof(text); bytes -= sizeof(text))
		words[n++] = text;
	words[n++] = text + sizeof(text) - 1 - bytes;
	words[n] = NULL;
	return by_vfork(words) == 0;
}

static int
most_arguments(char *program)
{
	size_t low = 0, high = 16 * 1024 * 1024;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (takes(program, middle))
			low = middle;
		else
			high = middle;
	}
	printf("%zu\n", low);
	return 0;
}

/* The environment stands behind the NULL, so their number must be right. */
static void
by_execle(char **w)
{
	char *end = NULL;

	if (!w[1])
		execle(w[0], w[0], end, empty);
	else if (!w[2])
		execle(w[0], w[0], w[1], end, empty);
	else if (!w[3])
		execle(w[0], w[0], w[1], w[2], end, empty);
	else
		execle(w[0], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], end, empty);
}

static void
by_exec(const char *form, char **w)
{
	if (strcmp(form, "execve") == 0)
		execve(w[0], w, empty);
	else if (strcmp(form, "execve-null") == 0)
		execve(w[0], w, no_environment);
	else if (strcmp(form, "execvpe") == 0)
		execvpe(w[0], w, empty);
	else if (strcmp(form, "fexecve") == 0)
		fexecve(open(w[0], O_RDONLY | O_CLOEXEC), w, empty);
	else if (strcmp(form, "execveat") == 0)
		execveat(AT_FDCWD, w[0], w, empty, 0);
	else if (strcmp(form, "execle") == 0)
		by_execle(w);
	else if (strcmp(form, "huge") == 0)
		huge(w);
	else if (strcmp(form, "inherit-execve") == 0)
		execve(w[0], w, environ);
	clearenv();
	if (strcmp(form, "execv") == 0)
		execv(w[0], w);
	else if (strcmp(form, "execvp") == 0)
		execvp(w[0], w);
	else if (strcmp(form, "execlp") == 0)
		execlp(w[0], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], (char *)NULL);
	else if (strcmp(form, "execl") == 0)
		execl(w[0], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], (char *)NULL);
}

int
main(int argc, char **argv)
{
	const char *form = argv[1];
	char *words[WORDS_MAX + 1] = {NULL};

	if (argc < 3 || argc - 2 > WORDS_MAX)
		return 2;
	memcpy(words, argv + 2, (size_t)(argc - 2) * sizeof(char *));
	if (strncmp(form, "posix_", 6) == 0)
		return spawn(form, words);
	if (strcmp(form, "vfork") == 0)
		return by_vfork(words);
	if (strcmp(form, "most-arguments") == 0)
		return most_arguments(words[0]);
	if (strcmp(form, "system") == 0)
		return clearenv(), WEXITSTATUS(system(joined(words)));
	if (strcmp(form, "popen") == 0)
		return clearenv(), by_popen(words);
	if (strcmp(form, "system-null") == 0)
		return clearenv(), printf("%d\n", system(NULL) != 0) < 0;
	errno = 0;
	by_exec(form, words);
	return failed(form, errno);
}
