#include "state/state_map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"
#include "sys/raw.h"

#define STATE_VERSION 2
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

#define PATH_LIMIT 4000 /* longest path of a state */

static const char magic[8] = "cutout\n";
static const char not_tmpfs[] = "the state is not on a tmpfs, such as /dev/shm or /run";

/* Differs whenever a size or a place in the memory does. */
static uint64_t
layout(void)
{
	const uint64_t numbers[] = {
		sizeof(struct state),
		sizeof(struct breaker),
		sizeof(struct state_slot),
		sizeof(struct report),
		sizeof(struct inflight),
		offsetof(struct state_header, beat_ns),
		offsetof(struct state, claims),
		offsetof(struct state, breakers),
		offsetof(struct state, slots),
		offsetof(struct state, reports),
		offsetof(struct state, inflight),
		offsetof(struct breaker, window),
		offsetof(struct state_slot, where),
		offsetof(struct state_slot, change),
		WINDOW_RING,
		REPORT_BUCKETS,
		INFLIGHT_MARKS,
	};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		hash = (hash ^ numbers[i]) * UINT64_C(0x100000001b3) + 1;
	return hash;
}

/* The number of this process's pid namespace; 0 where there is no telling. */
static uint64_t
pid_space(void)
{
	int fd = raw_open("/proc/self/ns/pid", O_PATH | O_CLOEXEC, 0);
	struct stat st;
	uint64_t number = fd >= 0 && raw_fstat(fd, &st) == 0 ? st.st_ino : 0;

	if (fd >= 0)
		raw_close(fd);
	return number;
}

/* A file larger than the user's limit would cost the process its life. */
static bool
may_be_made(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= sizeof(struct state);
}

/* Makes the file a state of full size; its memory is there from then on. */
static int
fill(int fd)
{
	struct state_header h = {.version = STATE_VERSION, .size = sizeof(struct state)};
	long result = -EFBIG;

	if (may_be_made())
		result = raw_call(SYS_ftruncate, fd, sizeof(struct state), 0, 0, 0, 0);
	memcpy(h.magic, magic, sizeof(magic));
	h.pid_space = pid_space();
	h.layout = layout();
	if (result == 0)
		result = raw_write(fd, &h, sizeof(h));
	return result < 0 ? (int)result : 0;
}

int
state_make(void)
{
	int fd = (int)raw_call(SYS_memfd_create, (long)(uintptr_t) "cutout",
			       MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);
	int result = fd < 0 ? fd : fill(fd);

	if (result == 0)
		result = raw_fcntl(fd, F_ADD_SEALS, SEALS);
	if (result < 0 && fd >= 0)
		raw_close(fd);
	return result < 0 ? result : fd;
}

static bool
fail(char error[STATE_ERROR_MAX], const char *why)
{
	struct text t = text_over(error, STATE_ERROR_MAX);

	text_string(&t, why);
	return false;
}

static bool
is_on_tmpfs(int fd)
{
	struct statfs place;

	return fstatfs(fd, &place) == 0 && (unsigned long)place.f_type == TMPFS_MAGIC;
}

/* The file as such: kind, place, owner, size. */
static bool
check_file(int fd, char error[STATE_ERROR_MAX])
{
	struct stat st;

	if (raw_fstat(fd, &st) < 0)
		return fail(error, "the state cannot be examined");
	if (!S_ISREG(st.st_mode))
		return fail(error, "the state is not a regular file");
	if (!is_on_tmpfs(fd))
		return fail(error, not_tmpfs);
	if (st.st_uid != geteuid())
		return fail(error, "the state belongs to another user");
	if ((size_t)st.st_size < sizeof(struct state_header))
		return fail(error, "the state is too short to be one");
	return true;
}

static bool
check_header(int fd, char error[STATE_ERROR_MAX])
{
	struct state_header h;
	struct stat st;

	if (raw_call(SYS_pread64, fd, (long)(uintptr_t)&h, sizeof(h), 0, 0, 0) != sizeof(h) ||
	    memcmp(h.magic, magic, sizeof(magic)) != 0)
		return fail(error, "the file is not a state of cutout");
	if (h.version != STATE_VERSION)
		return fail(error, h.version > STATE_VERSION
					   ? "the state is of a newer version of cutout"
					   : "the state is of an older version of cutout");
	if (h.layout != layout() || h.size != sizeof(struct state))
		return fail(error, "the state has another layout; another build of cutout made it");
	if (raw_fstat(fd, &st) < 0 || (size_t)st.st_size != sizeof(struct state))
		return fail(error, "the state is cut short or too long");
	return true;
}

static struct state *
map(int fd, char error[STATE_ERROR_MAX])
{
	void *memory;

	if (!check_file(fd, error) || !check_header(fd, error))
		return NULL;
	memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory != MAP_FAILED)
		return memory;
	fail(error, "the state cannot be mapped");
	return NULL;
}

/* A file without a name, in the directory of path: of a killed creator nothing is left. */
static int
open_nameless(const char *path)
{
	char directory[PATH_LIMIT + 1];
	struct text t = text_over(directory, sizeof(directory));
	const char *slash = strrchr(path, '/');
	int fd;

	text_bytes(&t, slash != NULL ? path : ".", slash > path ? (size_t)(slash - path) : 1);
	fd = raw_open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	/* A tmpfs knows how. */
	return fd == -EOPNOTSUPP || fd == -EISDIR ? -ENODEV : fd == -ENOENT ? -ENOTDIR : fd;
}

/* Nothing happens where another was first. */
static int
give_name(int fd, const char *path)
{
	char self[32];
	struct text t = text_over(self, sizeof(self));

	text_format(&t, "/proc/self/fd/%u", (unsigned)fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST)
		return 0;
	return errno == ENOENT ? -ENOSYS : -errno;
}

/* Makes a whole state and gives it that name. */
static int
create_file(const char *path)
{
	int fd = open_nameless(path), result;

	if (fd < 0)
		return fd;
	result = is_on_tmpfs(fd) ? fill(fd) : -ENODEV;
	/* Its pages are taken now: on a full tmpfs the first touch of one would be fatal. */
	if (result == 0)
		result = (int)raw_call(SYS_fallocate, fd, 0, 0, sizeof(struct state), 0, 0);
	/* Whatever the umask says. */
	if (result == 0)
		result = (int)raw_call(SYS_fchmod, fd, 0600, 0, 0, 0, 0);
	if (result == 0)
		result = give_name(fd, path);
	raw_close(fd);
	return result;
}

static const char *
why_not(int error)
{
	switch (error) {
	case -ENOENT:
		return "there is no state at this path";
	case -EACCES:
	case -EPERM:
		return "the state may not be opened";
	case -EISDIR:
		return "the state is a directory";
	case -ENOTDIR:
		return "the directory of the state does not exist";
	case -ENOSPC:
	case -EFBIG:
		return "there is no room for the state";
	case -ENOSYS:
		return "the state cannot be made without /proc";
	case -EMEDIUMTYPE:
		return "the state is not a regular file";
	case -ENODEV:
		return not_tmpfs;
	default:
		return "the state cannot be opened";
	}
}

/* To open anything but a file, such as a FIFO, might have effects. */
static int
open_regular(const char *path)
{
	int fd = raw_open(path, O_PATH | O_CLOEXEC, 0);
	struct stat st = {.st_mode = S_IFREG};

	if (fd < 0)
		return fd;
	raw_fstat(fd, &st);
	raw_close(fd);
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EMEDIUMTYPE;
	return raw_open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
}

struct state *
state_open(const char *path, bool create, char error[STATE_ERROR_MAX])
{
	struct state *s;
	int fd;

	error[0] = '\0';
	if (strnlen(path, PATH_LIMIT + 1) > PATH_LIMIT) {
		fail(error, "the path of the state is too long");
		return NULL;
	}
	fd = open_regular(path);
	if (fd == -ENOENT && create) {
		fd = create_file(path);
		fd = fd < 0 ? fd : open_regular(path);
	}
	if (fd < 0) {
		fail(error, why_not(fd));
		return NULL;
	}
	s = map(fd, error);
	raw_close(fd);
	return s;
}

bool
state_shares_pids(const struct state *s)
{
	return s->header.pid_space != 0 && s->header.pid_space == pid_space();
}

void
state_close(struct state *s)
{
	munmap(s, sizeof(*s));
}
