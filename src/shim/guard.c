#include "shim/guard.h"

#include "core/atomics.h"
#include "shim/real.h"
#include "sys/raw.h"

static atomic_u32 threads;
static __thread unsigned thread;
static __thread unsigned transfers;

static _Atomic int books_pid;
static atomic_u32 expects_vfork;

unsigned
guard_thread(void)
{
	if (thread == 0)
		thread = add_relaxed(&threads, 1) + 1;
	return thread;
}

bool
guard_in_transfer(const void *caller)
{
	return transfers > 0 && real_is_curl(caller);
}

void
guard_enter_transfer(void)
{
	transfers++;
}

void
guard_leave_transfer(void)
{
	transfers--;
}

bool
guard_owns_books(void)
{
	return load_relaxed(&expects_vfork) == 0 || raw_getpid() == load_relaxed(&books_pid);
}

void
guard_expect_vfork(void)
{
	store_relaxed(&expects_vfork, 1);
}

void
guard_take_books(void)
{
	store_relaxed(&books_pid, (int)raw_getpid());
}
