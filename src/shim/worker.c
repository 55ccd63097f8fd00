#include "shim/worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "core/atomics.h"
#include "probe/engine.h"
#include "shim/credentials.h"
#include "shim/guard.h"
#include "shim/real.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/logfile.h"
#include "sys/rawproc.h"

#define ALL_SIGNALS ~UINT64_C(0)
#define STACK_SIZE 65536
#define RETRY_NS UINT64_C(1000000000)
#define FAILURES_MAX 3

/* What compilers and libc find relative to the thread pointer, on either side of it. */
#define TLS_SIZE 16384

enum phase { NONE, STARTING, RUNNING };

static atomic_u32 phase;
static atomic_u32 failures;
static atomic_u64 failed_at_ns;

/* The engine has made a step; before, a fork leaves nothing of it behind. */
static atomic_u32 has_worked;

static struct ruleset *rules_in_force;
static struct engine engine;
static struct helper_command command;

/* The kernel clears tid once the thread no longer uses its stack. */
static int tid;
static char stack[STACK_SIZE] __attribute__((aligned(16)));
static char tls[TLS_SIZE] __attribute__((aligned(64)));

#if defined(__x86_64__) && defined(__LP64__)

static void *
make_tls(void)
{
	char *pointer = tls + TLS_SIZE / 2;

	/* The thread pointer points to itself, as does the third word behind it. */
	memcpy(pointer, &pointer, sizeof(pointer));
	memcpy(pointer + 2 * sizeof(pointer), &pointer, sizeof(pointer));
	return pointer;
}

bool
worker_is_possible(void)
{
	return true;
}

#elif defined(__aarch64__) && defined(__LP64__)

static void *
make_tls(void)
{
	return tls + TLS_SIZE / 2;
}

bool
worker_is_possible(void)
{
	return true;
}

#else

static void *
make_tls(void)
{
	return NULL;
}

bool
worker_is_possible(void)
{
	return false;
}

#endif

void
worker_init(struct state *own, struct state *shared, struct ruleset *rules)
{
	rules_in_force = rules;
	engine_init(&engine, rules, &command);
	engine_serve(&engine, own, false);
	if (shared != own)
		engine_serve(&engine, shared, true);
	helper_prepare(&command, real_own_name());
}

/*
 * Leaves when nothing is left to do, also not what was found while it seemed to be
 * still here.  Nobody can start another before tid is cleared.
 */
static bool
may_leave(void)
{
	uint32_t none = NONE;

	store_relaxed(&phase, NONE);
	atomic_thread_fence(memory_order_seq_cst);
	engine_step(&engine, clock_precise_ns());
	if (engine_is_idle(&engine))
		return true;
	while (!cas_acq_rel(&phase, &none, RUNNING)) {
		none = NONE;
		raw_yield();
	}
	return false;
}

static void
serve(void)
{
	uint64_t at_start = credentials_of_program();
	uint32_t running = RUNNING;

	store_relaxed(&has_worked, 1);
	do {
		uint64_t wait_ns = engine_step(&engine, clock_precise_ns());

		if (engine_is_idle(&engine) && may_leave())
			return;
		engine_wait(&engine, wait_ns, NULL, -1);
	} while (credentials_of_program() == at_start);
	engine_stop(&engine, clock_precise_ns());
	cas_acq_rel(&phase, &running, NONE);
}

/* Nobody makes probes here, so a call must find out that all is well again. */
static void
probe_by_calls(void)
{
	for (uint32_t i = 0; i < rules_in_force->section_count; i++)
		__atomic_store_n(&rules_in_force->sections[i].settings.breaker.probe_is_call, true,
				 __ATOMIC_RELAXED);
}

static void
note_failure(uint64_t now_ns)
{
	store_relaxed(&failed_at_ns, now_ns);
	if (add_relaxed(&failures, 1) + 1 != FAILURES_MAX)
		return;
	probe_by_calls();
	log_config_note("worker", "no thread can be started here: calls have to probe");
}

static int
run(void *arg)
{
	uint32_t running = RUNNING;

	(void)arg;
	if (raw_leave_descriptors() == 0) {
		logfile_stand_apart();
		store_relaxed(&failures, 0);
		serve();
	} else {
		note_failure(clock_precise_ns());
		cas_acq_rel(&phase, &running, NONE);
	}
	return 0;
}

/* With every signal blocked from its first instruction on: all are for the program. */
static int
start(void)
{
	struct raw_clone how = {
		.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		.stack_top = stack + sizeof(stack),
		.parent_tid = &tid,
		.child_tid = &tid,
		.tls = make_tls(),
	};
	raw_sigset mask;
	int result;

	if (!worker_is_possible())
		return -ENOSYS;
	raw_sigprocmask(SIG_SETMASK, ALL_SIGNALS, &mask);
	result = raw_clone(&how, run, NULL);
	raw_sigprocmask(SIG_SETMASK, mask, NULL);
	return result;
}

void
worker_need(uint64_t now_ns)
{
	uint32_t none = NONE, count = load_relaxed(&failures);

	/* Pairs with the one in may_leave(): one of us sees what the other did. */
	atomic_thread_fence(memory_order_seq_cst);
	if (load_relaxed(&phase) != NONE || count >= FAILURES_MAX ||
	    (count > 0 && now_ns < load_relaxed(&failed_at_ns) + RETRY_NS) || !guard_owns_books() ||
	    !cas_acq_rel(&phase, &none, STARTING))
		return;
	if (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) != 0) {
		store_release(&phase, NONE);
		return;
	}
	store_release(&phase, RUNNING);
	if (start() < 0) {
		store_release(&phase, NONE);
		note_failure(now_ns);
	}
}

bool
worker_is_at_work(void)
{
	return load_relaxed(&phase) != NONE;
}

void
worker_after_fork(void)
{
	__atomic_store_n(&tid, 0, __ATOMIC_RELAXED);
	store_relaxed(&phase, NONE);
	if (load_relaxed(&has_worked) != 0)
		engine_after_fork(&engine, clock_precise_ns());
}
