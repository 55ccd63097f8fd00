#include "sys/rulesfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/log.h"
#include "sys/raw.h"

#define TEXT_SIZE (RULES_SIZE_MAX + 1) /* one byte more tells what is too large */

/* Nearly all of a small piece is used: one call for its pages, not a fault for each. */
#define POPULATE_MAX (256U * 1024U)

static void *
map(size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *at;

	if (size <= POPULATE_MAX)
		flags |= MAP_POPULATE;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void
rulesfile_free(struct rulesfile *r)
{
	if (r->text)
		munmap(r->text, TEXT_SIZE);
	if (r->memory)
		munmap(r->memory, r->memory_size);
	memset(r, 0, sizeof(*r));
}

static bool
parse(struct rulesfile *r, const char *text, size_t len, rules_error_fn *on_error, void *context)
{
	r->memory_size = rules_memory(text, len);
	if (r->memory_size > 0)
		r->memory = map(r->memory_size);
	if (r->memory_size > 0 && !r->memory) {
		on_error(context, 0, "there is no memory for the rules");
		return false;
	}
	return rules_parse(&r->rules, text, len, r->memory, on_error, context);
}

/* The reason in words where it is a usual one; strerror may allocate and lock. */
static const char *
reason(int error, char buffer[24])
{
	switch (error) {
	case ENOENT:
		return "no such file";
	case EACCES:
	case EPERM:
		return "permission denied";
	case ENOTDIR:
		return "a part of its path is not a directory";
	case EISDIR:
		return "it is a directory";
	case ELOOP:
		return "too many symbolic links";
	case ENAMETOOLONG:
		return "its name is too long";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	default:
		return errno_name(error, buffer);
	}
}

static void
tell(rules_error_fn *on_error, void *context, const char *what, int error)
{
	char buffer[128], name[24];
	struct text t = text_over(buffer, sizeof(buffer));

	text_format(&t, "%s: %s", what, reason(error, name));
	on_error(context, 0, buffer);
}

/* Reads all there is, up to TEXT_SIZE.  The length, or -errno. */
static ssize_t
read_all(int fd, char *to)
{
	size_t len = 0;

	while (len < TEXT_SIZE) {
		ssize_t n = syscall(SYS_read, fd, to + len, TEXT_SIZE - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

bool
rulesfile_load_fd(int fd, const char *path, struct rulesfile *out, rules_error_fn *on_error,
		  void *context)
{
	int saved = errno;
	bool fine = false;

	memset(out, 0, sizeof(*out));
	out->path = path;
	out->text = map(TEXT_SIZE);
	ssize_t len = out->text ? read_all(fd, out->text) : -ENOMEM;

	if (len < 0)
		tell(on_error, context, "cannot be read", (int)-len);
	else
		fine = parse(out, out->text, (size_t)len, on_error, context);
	if (!fine)
		rulesfile_free(out);
	errno = saved;
	return fine;
}

/* NULL: it is a regular file. */
static const char *
kind_fault(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return NULL;
	if (S_ISDIR(st->st_mode))
		return "is a directory, not a file";
	if (S_ISFIFO(st->st_mode))
		return "is a pipe, not a file";
	return "is not a regular file";
}

static bool
load_opened(int fd, const char *path, struct rulesfile *out, rules_error_fn *on_error,
	    void *context)
{
	struct stat st;
	int error = raw_fstat(fd, &st);
	const char *fault = error == 0 ? kind_fault(&st) : NULL;

	if (error != 0)
		tell(on_error, context, "cannot be read", -error);
	else if (fault)
		on_error(context, 0, fault);
	else
		return rulesfile_load_fd(fd, path, out, on_error, context);
	return false;
}

bool
rulesfile_load(const char *path, struct rulesfile *out, rules_error_fn *on_error, void *context)
{
	memset(out, 0, sizeof(*out));
	if (!path) {
		out->path = "built-in";
		return parse(out, rules_builtin, strlen(rules_builtin), on_error, context);
	}
	/* O_NONBLOCK: the open of a pipe must not wait for a writer. */
	int fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0) {
		tell(on_error, context, "cannot be opened", -fd);
		return false;
	}
	bool fine = load_opened(fd, path, out, on_error, context);

	raw_close(fd);
	return fine;
}
