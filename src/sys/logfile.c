#include "sys/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomics.h"
#include "core/text.h"
#include "sys/atfork.h"
#include "sys/highfd.h"
#include "sys/raw.h"
#include "sys/rawproc.h"

/*
 * What is open, in one word so that threads can agree on it: the descriptor in the
 * low bits, then a count of the changes, lest two who open the same file under the
 * same number both take theirs for the one that is kept, then a hash of the file's
 * identity.
 */
#define FD_MASK UINT64_C(0xFFFF)
#define CHANGE_ONE UINT64_C(0x10000)
#define CHANGE_MASK UINT64_C(0xFFF0000)
#define NOTHING UINT64_MAX
#define TRIES 3

static atomic_u64 held = NOTHING;
static atomic_u32 held_by; /* the pid that opened it */

/*
 * The pid whose memory this is.  A child of vfork finds another one than its own;
 * so does a child made behind libc's back, which then opens the path for each line.
 */
static atomic_u32 owner;

static atomic_u32 apart; /* the thread with a table of its own; 0: none */

static char pattern[PATH_MAX]; /* empty: stderr */
static size_t pattern_start;   /* where the text that the user gave begins */
static bool path_has_pid;

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

static uint64_t
identity(int fd, const struct stat *st, pid_t pid)
{
	uint64_t hash = mix(mix(0, st->st_dev), st->st_ino);

	if (path_has_pid)
		hash = mix(hash, (uint64_t)pid);
	return (mix(hash, 1) & ~(CHANGE_MASK | FD_MASK)) | (uint64_t)fd;
}

static int
held_fd(uint64_t word)
{
	return (int)(word & FD_MASK);
}

/* Whether the descriptor in word is still the file that pid opened. */
static bool
is_open(uint64_t word, pid_t pid, struct stat *st)
{
	return word != NOTHING && raw_fstat(held_fd(word), st) == 0 &&
	       identity(held_fd(word), st, pid) == (word & ~CHANGE_MASK);
}

/* The pattern with the pid in place of %p.  False: it does not fit. */
static bool
path_expand(char out[PATH_MAX], pid_t pid)
{
	size_t at = 0;

	for (const char *s = pattern; *s; s++) {
		char digits[12];
		size_t n = sizeof(digits);

		if (s >= pattern + pattern_start && s[0] == '%' && s[1] == 'p') {
			for (pid_t left = pid; left > 0; left /= 10)
				digits[--n] = (char)('0' + left % 10);
			s++;
		} else {
			digits[--n] = *s;
		}
		if (at + sizeof(digits) - n >= PATH_MAX)
			return false;
		memcpy(out + at, digits + n, sizeof(digits) - n);
		at += sizeof(digits) - n;
	}
	out[at] = '\0';
	return true;
}

/* A FIFO without a reader must not stop the program: hence O_NONBLOCK. */
#define OPEN_FLAGS (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int
open_high(const char *path)
{
	int fd = raw_open(path, OPEN_FLAGS, 0666);

	if (fd < 0)
		return fd;
	int high = raw_fcntl(fd, F_DUPFD_CLOEXEC, highfd_first());

	if (high < 0)
		high = raw_fcntl(fd, F_DUPFD_CLOEXEC, 3);
	raw_close(fd);
	if (high >= (int)FD_MASK) {
		raw_close(high);
		return -EMFILE;
	}
	return high;
}

/* Opens the file for pid: 0, or -errno and *word is NOTHING. */
static int
open_path(pid_t pid, struct stat *st, uint64_t *word)
{
	char path[PATH_MAX];

	*word = NOTHING;
	if (!pattern[0])
		return -EBADF;
	if (!path_expand(path, pid))
		return -ENAMETOOLONG;
	int fd = open_high(path);

	if (fd < 0)
		return fd;
	int error = raw_fstat(fd, st);

	if (error < 0)
		raw_close(fd);
	else
		*word = identity(fd, st, pid);
	return error;
}

/* Puts word in the place of old.  A child closes what it has of its parent's file. */
static bool
keep(uint64_t old, uint64_t word, pid_t pid)
{
	pid_t before = (pid_t)load_relaxed(&held_by);
	struct stat st;

	if (!cas_acq_rel(&held, &old, word | ((old + CHANGE_ONE) & CHANGE_MASK)))
		return false;
	store_relaxed(&held_by, (uint32_t)pid);
	if (before != pid && held_fd(old) != held_fd(word) && is_open(old, before, &st))
		raw_close(held_fd(old));
	return true;
}

/* The signal that a line to such a file may raise: nobody reads, or the file is full. */
static raw_sigset
signal_of(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return RAW_SIGNAL(SIGXFSZ);
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ? RAW_SIGNAL(SIGPIPE) : 0;
}

static void
write_line(int fd, const struct stat *st, const char *line, size_t len)
{
	raw_sigset raised = signal_of(st), pending = 0, mask;

	if (raised == 0) {
		raw_write(fd, line, len);
		return;
	}
	raw_sigprocmask(SIG_BLOCK, raised, &mask);
	raw_sigpending(&pending);
	ssize_t result = raw_write(fd, line, len);

	if ((result == -EPIPE || result == -EFBIG) && !(pending & raised))
		raw_sigtake(raised);
	raw_sigprocmask(SIG_SETMASK, mask, NULL);
}

/* The program's descriptor, where the kernel lets us have it. */
static int
borrow(int number, pid_t pid)
{
	char path[32];
	struct text t = text_over(path, sizeof(path));
	int fd = raw_take_descriptor(pid, number);

	if (fd >= 0)
		return fd;
	text_format(&t, "/proc/self/fd/%u", (unsigned)number);
	return raw_open(path, OPEN_FLAGS & ~O_CREAT, 0);
}

static void
write_apart(const char *line, size_t len, pid_t pid)
{
	uint64_t word = load_acquire(&held);
	int fd = word != NOTHING ? borrow(held_fd(word), pid) : -EBADF;
	char path[PATH_MAX];
	struct stat st;
	bool found = fd >= 0 && raw_fstat(fd, &st) == 0 &&
		     identity(held_fd(word), &st, pid) == (word & ~CHANGE_MASK);

	if (!found && fd >= 0)
		raw_close(fd);
	if (!found && pattern[0] && path_expand(path, pid)) {
		fd = raw_open(path, OPEN_FLAGS, 0666);
		found = fd >= 0 && raw_fstat(fd, &st) == 0;
	}
	if (!found)
		return;
	write_line(fd, &st, line, len);
	raw_close(fd);
}

void
logfile_stand_apart(void)
{
	store_relaxed(&apart, (uint32_t)raw_gettid());
}

void
logfile_write(const char *line, size_t len)
{
	pid_t pid = raw_getpid();
	uint32_t stands_apart = load_relaxed(&apart);
	struct stat st;

	if (stands_apart != 0 && (pid_t)stands_apart == raw_gettid()) {
		write_apart(line, len, pid);
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		uint64_t old = load_acquire(&held);

		if (is_open(old, pid, &st)) {
			write_line(held_fd(old), &st, line, len);
			return;
		}
		uint64_t word;

		if (open_path(pid, &st, &word) < 0)
			return;
		bool kept = load_relaxed(&owner) == (uint32_t)pid;

		if (kept && !keep(old, word, pid)) {
			raw_close(held_fd(word));
			continue;
		}
		write_line(held_fd(word), &st, line, len);
		if (!kept)
			raw_close(held_fd(word));
		return;
	}
}

int
logfile_check(void)
{
	pid_t pid = raw_getpid();
	struct stat st;
	uint64_t word;

	if (is_open(load_acquire(&held), pid, &st))
		return 0;
	int error = open_path(pid, &st, &word);

	if (error == 0)
		raw_close(held_fd(word));
	return error;
}

static bool
pattern_set(const char *path)
{
	size_t len = strlen(path), at = 0;

	if (path[0] != '/') {
		if (!getcwd(pattern, sizeof(pattern)) || pattern[0] != '/')
			return false;
		at = strlen(pattern);
		if (at + 1 >= sizeof(pattern))
			return false;
		pattern[at++] = '/';
	}
	if (len >= sizeof(pattern) - at)
		return false;
	memcpy(pattern + at, path, len + 1);
	pattern_start = at;
	path_has_pid = strstr(path, "%p") != NULL;
	return true;
}

static void
after_fork(void)
{
	store_relaxed(&owner, (uint32_t)raw_getpid());
}

/* The file of an earlier choice. */
static void
forget(pid_t pid)
{
	struct stat st;

	if (pattern[0] && is_open(load_relaxed(&held), pid, &st))
		raw_close(held_fd(load_relaxed(&held)));
	store_relaxed(&held, NOTHING);
	pattern[0] = '\0';
	path_has_pid = false;
}

bool
logfile_open(const char *path)
{
	pid_t pid = raw_getpid();
	uint64_t word = NOTHING;
	int saved = errno;
	struct stat st;

	forget(pid);
	bool ok = !path || pattern_set(path);

	if (!ok)
		forget(pid);
	if (pattern[0]) {
		if (load_relaxed(&owner) == 0)
			atfork_register(NULL, after_fork);
		store_relaxed(&owner, (uint32_t)pid);
		open_path(pid, &st, &word);
	} else if (raw_fstat(STDERR_FILENO, &st) == 0) {
		word = identity(STDERR_FILENO, &st, pid);
	}
	store_relaxed(&held_by, (uint32_t)pid);
	store_release(&held, word);
	errno = saved;
	return ok;
}
