#include "cli/doctor_find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/doctor_words.h"

#define EXIT_CANNOT_TELL 125
#define EXIT_CANNOT_INVOKE 126
#define EXIT_NOT_FOUND 127

#define HEAD_MAX 256	     /* what the kernel reads to see what a file is */
#define SCRIPT_MAX (1 << 16) /* a longer one is no wrapper */
#define STEPS_MAX 8

const char *
find_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

size_t
find_read(void *context, uint64_t at, void *out, size_t size)
{
	const struct found *f = context;
	size_t done = 0;

	if (at < f->head_len && size <= f->head_len - at) {
		memcpy(out, f->head + at, size);
		return size;
	}
	while (done < size && at + done <= INT64_MAX) {
		ssize_t n = pread(f->fd, (char *)out + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* errno says why where this is false. */
static bool
can_be_executed(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0)
		return true;
	errno = EACCES;
	return false;
}

/* As execvp(3) looks for it.  False: errno says why. */
static bool
search(const char *name, char out[PATH_MAX])
{
	const char *list = getenv("PATH"), *end;
	int error = ENOENT;

	if (strchr(name, '/'))
		return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX && can_be_executed(out);
	out[0] = '\0';
	for (list = list ? list : "/bin:/usr/bin"; *name; list = end + 1) {
		end = strchrnul(list, ':');

		int len = (int)(end - list);
		int written = snprintf(out, PATH_MAX, "%.*s%s%s", len, list, len ? "/" : "", name);

		if (written < PATH_MAX && can_be_executed(out))
			return true;
		if (errno == EACCES)
			error = errno;
		if (!*end)
			break;
	}
	snprintf(out, PATH_MAX, "%s", name);
	errno = error;
	return false;
}

static void
fail(struct found *f, int status, const char *error)
{
	f->status = status;
	f->error = error;
}

/* Opens what the first word names.  False: f says why not. */
static bool
open_first(struct found *f, const char *name)
{
	char path[PATH_MAX];

	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (!search(name, path)) {
		fail(f, errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_INVOKE, strerror(errno));
		snprintf(f->path, PATH_MAX, "%s", path);
		return false;
	}
	if (!realpath(path, f->path))
		snprintf(f->path, PATH_MAX, "%s", path);
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (f->fd < 0) {
		fail(f, EXIT_CANNOT_TELL, strerror(errno));
		return false;
	}
	f->head_len = 0;
	f->head_len = find_read(f, 0, f->head, sizeof(f->head));
	return true;
}

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Programs that start others where the library is not. */
static const char *
wrapper_of(const struct found *f, const struct words *w)
{
	static const char *const containers[] = {"docker", "podman", NULL};
	const char *base = find_base(f->path);

	if (strcmp(base, "snap") == 0 || strncmp(w->at[0], "/snap/bin/", 10) == 0)
		return "a snap runs confined, and snapd starts it without LD_PRELOAD";
	if (strcmp(base, "flatpak") == 0 && words_have(w, "run"))
		return "flatpak runs it in a sandbox of its own, where the library is not";
	if (is_one_of(base, containers) && (words_have(w, "run") || words_have(w, "exec")))
		return "it runs in a container, where the library is not";
	return NULL;
}

bool
find_is_shell(const char *path)
{
	static const char *const shells[] = {"sh",  "bash", "dash", "ash",
					     "ksh", "mksh", "zsh",  NULL};

	return is_one_of(find_base(path), shells);
}

/* Puts what a wrapper becomes in place of its shell. */
static void
follow_exec(const struct found *f, struct words *w)
{
	char *script = malloc(SCRIPT_MAX);
	size_t len = script ? find_read((void *)(uintptr_t)f, 0, script, SCRIPT_MAX) : 0;

	if (len < SCRIPT_MAX)
		words_exec(w, script, len);
	free(script);
}

/* Takes the words from a script to what executes it.  False: f says what it is. */
static bool
step_over_script(struct found *f, struct words *w, const char *path)
{
	size_t len = f->head_len < HEAD_MAX ? f->head_len : HEAD_MAX;
	bool has_line = words_interpret(w, f->head, len, path);

	if (!has_line && memchr(f->head, '\0', len)) {
		fail(f, EXIT_CANNOT_INVOKE, strerror(ENOEXEC));
		return false;
	}
	/* execvp(3) takes the shell where the kernel knows of nothing better. */
	if (!has_line)
		w->at[0] = "/bin/sh";
	if (find_is_shell(w->at[0]))
		follow_exec(f, w);
	return true;
}

void
find_program(char *const argv[], struct found *f)
{
	struct words w;
	char scripts[STEPS_MAX][PATH_MAX];

	words_init(&w, argv);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
	for (unsigned step = 0; step < STEPS_MAX; step++) {
		if (!open_first(f, w.at[0]))
			return;
		if ((f->wrapper = wrapper_of(f, &w)) != NULL)
			return;
		elf_look(&(struct elf_source){find_read, f}, &f->elf);
		if (f->elf.kind == ELF_BROKEN) {
			fail(f, EXIT_CANNOT_INVOKE, "the file is no whole ELF program");
			return;
		}
		if (strcmp(find_base(w.at[0]), "env") == 0 && words_skip_env(&w))
			continue;
		if (words_skip_starter(&w, find_base(f->path)))
			continue;
		if (f->elf.kind != ELF_NONE)
			return;
		memcpy(scripts[step], f->path, PATH_MAX);
		if (!step_over_script(f, &w, scripts[step]))
			return;
	}
	fail(f, EXIT_CANNOT_INVOKE, strerror(ELOOP));
}

/* The kernel's own rules: whom the bits make somebody else, who is not root already. */
const char *
find_privilege(const struct found *f)
{
	struct stat st;
	struct statvfs fs;

	if (fstat(f->fd, &st) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (fstatvfs(f->fd, &fs) == 0 && (fs.f_flag & ST_NOSUID) != 0))
		return NULL;
	if ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid())
		return "set-uid";
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		return "set-gid";
	if (getuid() != 0 && fgetxattr(f->fd, "security.capability", NULL, 0) > 0)
		return "file capabilities";
	return NULL;
}
