/*
 * Programs that this one starts.  Only what libc calls through the PLT can be seen, so
 * each member of the family is stood in front of.
 *
 * Between vfork and exec all this runs in the parent's memory: only the stack is
 * written to.  Programs that run with other rights than their caller's get the
 * variables too: their loader ignores a path with a slash without a word, and asking
 * for each file whether it is one would cost a system call and tell nothing of the
 * interpreter that a script names.
 */
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/follow.h"
#include "shim/hooks.h"
#include "shim/stand_ins.h"

/* Of at most FOLLOW_SIZE_MAX bytes, or of as many words as the caller has on his stack. */
#pragma GCC diagnostic ignored "-Walloca"

/* Where what is put back is too much for the kernel, the program goes without. */

static int
exec_by(int (*by)(const char *, char *const *, char *const *), const char *what, char *const argv[],
	char *const envp[])
{
	struct follow_plan plan = follow_plan(envp);
	void *room = alloca(plan.size);
	char *const *env = follow_write(&plan, room);

	stand_ins_before_exec();
	int result = by(what, argv, env);

	if (env != envp && errno == E2BIG)
		result = by(what, argv, envp);
	return result;
}

static int
exec_path(const char *path, char *const argv[], char *const envp[])
{
	return exec_by(REAL(execve), path, argv, envp);
}

static int
exec_search(const char *file, char *const argv[], char *const envp[])
{
	return exec_by(REAL(execvpe), file, argv, envp);
}

EXPORT int
execve(const char *path, char *const argv[], char *const envp[])
{
	return exec_path(path, argv, envp);
}

EXPORT int
execv(const char *path, char *const argv[])
{
	return exec_path(path, argv, environ);
}

EXPORT int
execvpe(const char *file, char *const argv[], char *const envp[])
{
	return exec_search(file, argv, envp);
}

EXPORT int
execvp(const char *file, char *const argv[])
{
	return exec_search(file, argv, environ);
}

EXPORT int
fexecve(int fd, char *const argv[], char *const envp[])
{
	struct follow_plan plan = follow_plan(envp);
	void *room = alloca(plan.size);
	char *const *env = follow_write(&plan, room);

	stand_ins_before_exec();
	int result = REAL(fexecve)(fd, argv, env);

	if (env != envp && errno == E2BIG)
		result = REAL(fexecve)(fd, argv, envp);
	return result;
}

static int
real_execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	if (REAL(execveat) != NULL)
		return REAL(execveat)(fd, path, argv, envp, flags);
	return (int)REAL(syscall)(SYS_execveat, fd, path, argv, envp, flags);
}

EXPORT int
execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct follow_plan plan = follow_plan(envp);
	void *room = alloca(plan.size);
	char *const *env = follow_write(&plan, room);

	stand_ins_before_exec();
	int result = real_execveat(fd, path, argv, env, flags);

	if (env != envp && errno == E2BIG)
		result = real_execveat(fd, path, argv, envp, flags);
	return result;
}

/* How many words there are, and the NULL behind them. */
static size_t
count_words(const char *first, va_list *rest)
{
	size_t n = 1;

	if (first)
		for (n = 2; va_arg(*rest, char *) != NULL; n++)
			;
	return n;
}

static char **
take_words(char **out, const char *first, va_list *rest)
{
	size_t n = 0;

	out[n] = (char *)(uintptr_t)first;
	while (out[n])
		out[++n] = va_arg(*rest, char *);
	return out;
}

EXPORT int
execl(const char *path, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	char **argv = alloca(count_words(first, &rest) * sizeof(char *));

	va_end(rest);
	va_start(rest, first);
	take_words(argv, first, &rest);
	va_end(rest);
	return exec_path(path, argv, environ);
}

EXPORT int
execlp(const char *file, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	char **argv = alloca(count_words(first, &rest) * sizeof(char *));

	va_end(rest);
	va_start(rest, first);
	take_words(argv, first, &rest);
	va_end(rest);
	return exec_search(file, argv, environ);
}

EXPORT int
execle(const char *path, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	char **argv = alloca(count_words(first, &rest) * sizeof(char *));

	va_end(rest);
	va_start(rest, first);
	take_words(argv, first, &rest);
	char *const *envp = va_arg(rest, char *const *);

	va_end(rest);
	return exec_path(path, argv, envp);
}

static int
spawn(real_spawn *by, pid_t *pid, const char *what, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct follow_plan plan = follow_plan(envp);
	void *room = alloca(plan.size);
	char *const *env = follow_write(&plan, room);
	int error = by(pid, what, actions, attributes, argv, env);

	if (env != envp && error == E2BIG)
		error = by(pid, what, actions, attributes, argv, envp);
	return error;
}

EXPORT int
posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn(REAL(posix_spawn), pid, path, actions, attributes, argv, envp);
}

EXPORT int
posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return spawn(REAL(posix_spawnp), pid, file, actions, attributes, argv, envp);
}

/*
 * libc hands environ to its shell, and other threads may be reading that: what the
 * program has taken out of it can come back in the command alone.  NULL: it needs not.
 */
static char *
in_command(const char *command)
{
	struct follow_plan plan = follow_plan(environ);
	void *room = alloca(plan.size);
	char *text = NULL;
	int saved = errno;

	if (command && plan.size != 0)
		text = follow_command(&plan, follow_write(&plan, room), command);
	errno = saved;
	return text;
}

static void
drop(char *text)
{
	int saved = errno;

	free(text);
	errno = saved;
}

EXPORT int
system(const char *command)
{
	char *text = in_command(command);
	int result = REAL(system)(text ? text : command);

	drop(text);
	return result;
}

EXPORT FILE *
popen(const char *command, const char *type)
{
	char *text = in_command(command);
	FILE *stream = REAL(popen)(text ? text : command, type);

	drop(text);
	return stream;
}
