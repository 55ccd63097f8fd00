#include "shim/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include "shim/libdl.h"

struct real_libc real;

/* A function pointer of any type, as the linker hands it over. */
typedef void *any_function __attribute__((may_alias));

/* clang-format off */
#define ROW(name) {#name, offsetof(struct real_libc, name)}
/* clang-format on */

/*
 * The first EARLY of them are found at the start, since they may be called first where
 * the linker had better be left alone: in a signal handler, or in a child of a program
 * with threads.  syscall() is the very first: the linker's own work may need it.  The
 * others are found when they are first called, which most programs never do.
 */
static const struct {
	char name[20];
	size_t offset;
} rows[] = {
	ROW(syscall),	   ROW(connect),    ROW(close),	      ROW(close_range),
	ROW(dup),	   ROW(dup2),	    ROW(dup3),	      ROW(fcntl),
	ROW(vfork),	   ROW(read),	    ROW(write),	      ROW(execve),
	ROW(execvpe),	   ROW(shutdown),   ROW(socket),      ROW(getaddrinfo),
	ROW(getsockopt),   ROW(poll),	    ROW(ppoll),	      ROW(__poll_chk),
	ROW(__ppoll_chk),  ROW(select),	    ROW(pselect),     ROW(closefrom),
	ROW(clone),	   ROW(sendmmsg),   ROW(sendfile),    ROW(splice),
	ROW(recvmmsg),	   ROW(__read_chk), ROW(__recv_chk),  ROW(__recvfrom_chk),
	ROW(writev),	   ROW(send),	    ROW(sendto),      ROW(sendmsg),
	ROW(readv),	   ROW(recv),	    ROW(recvfrom),    ROW(recvmsg),
	ROW(fexecve),	   ROW(execveat),   ROW(posix_spawn), ROW(posix_spawnp),
	ROW(system),	   ROW(popen),	    ROW(fclose),      ROW(dlopen),
	ROW(strerror),	   ROW(strerror_l), ROW(strerror_r),  ROW(__xpg_strerror_r),
	ROW(gai_strerror), ROW(dlclose),    ROW(epoll_wait),  ROW(epoll_pwait),
	ROW(getpeername),  ROW(fdopen),
};

#define CALL(name) offsetof(struct real_libc, name)
static const size_t calls[] = {
	CALL(connect),	CALL(read),    CALL(readv),    CALL(write),	 CALL(writev),
	CALL(sendfile), CALL(splice),  CALL(sendto),   CALL(sendmsg),	 CALL(sendmmsg),
	CALL(recvfrom), CALL(recvmsg), CALL(recvmmsg), CALL(getsockopt), CALL(getpeername),
	CALL(shutdown), CALL(dup),     CALL(dup2),     CALL(dup3),	 CALL(fcntl),
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
#define EARLY 14

_Static_assert(sizeof(struct real_libc) == ROWS * sizeof(any_function),
	       "each member of struct real_libc has its row");

static __thread bool finding __attribute__((tls_model("initial-exec")));

static any_function *
slot_at(size_t offset)
{
	return (any_function *)(void *)((char *)&real + offset);
}

/* Threads that come here at once find the same function, so neither waits. */
static void
find(size_t i)
{
	any_function *slot = slot_at(rows[i].offset);
	int saved = errno;

	if (finding)
		return;
	finding = true;
	__atomic_store_n(slot, libdl_sym(RTLD_NEXT, rows[i].name), __ATOMIC_RELAXED);
	finding = false;
	errno = saved;
}

void
real_init(void)
{
	for (size_t i = 0; i < EARLY; i++)
		find(i);
}

void
real_find_all(void)
{
	for (size_t i = 0; i < ROWS; i++)
		find(i);
}

void
real_find(size_t offset)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].offset == offset)
			find(i);
}

bool
real_calls_are_libcs(void)
{
	static int known; /* 1: they are, -1: they are not */
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (answer != 0)
		return answer > 0;
	answer = 1;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (*slot_at(calls[i]) == NULL)
			real_find(calls[i]);
		if (*slot_at(calls[i]) == NULL)
			return false;
		if (!real_is_of_libc(*slot_at(calls[i])))
			answer = -1;
	}
	__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	return answer > 0;
}
