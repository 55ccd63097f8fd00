/*
 * The breaker itself.  Floors:
 *
 *   admission         a called function that does one acquire load and a branch
 *   record            a bare `lock xadd` by as many threads on one word
 *   check and record  the coarse clock, then both of these
 *
 * A record is what the end of a call adds to the window; "end of a call" and the whole
 * call go through the public functions and do what is kept for people as well.
 */
#include <stdio.h>

#include "bench.h"
#include "core/breaker.h"
#include "core/settings.h"
#include "sys/clock.h"

#define TIMES 10000

/* Fast enough that no slot of the window saturates, and the same in both threads. */
static uint64_t
fast_clock_ns(void)
{
	return bench_now_ns() * 16384;
}

static struct inflight inflight;
static struct report reports[2];
static struct breaker breakers[2];
static atomic_u64 word __attribute__((aligned(64)));

struct subject {
	struct breaker_ref ref;
	enum outcome outcome;
};

/* A breaker that no failure trips. */
static struct subject
subject_of(const struct breaker_config *c, unsigned index, enum outcome outcome)
{
	breakers[index] = (struct breaker){.gate = 0};
	return (struct subject){
		{&breakers[index], c, &reports[index], &inflight, index, 0, false},
		outcome,
	};
}

__attribute__((noinline)) static bool
load_and_branch(atomic_u64 *gate)
{
	if (__builtin_expect((load_acquire(gate) & 7) != 0, 0))
		return add_relaxed(gate, 1) != 0;
	return true;
}

static void
run_load(void *context, unsigned thread, unsigned n)
{
	(void)context, (void)thread;
	for (unsigned i = 0; i < n; i++)
		load_and_branch(&word);
}

static void
run_xadd(void *context, unsigned thread, unsigned n)
{
	(void)context, (void)thread;
	for (unsigned i = 0; i < n; i++)
		add_relaxed(&word, 8);
}

static void
run_parts(void *context, unsigned thread, unsigned n)
{
	(void)context, (void)thread;
	for (unsigned i = 0; i < n; i++) {
		clock_coarse_ns();
		load_and_branch(&word);
		add_relaxed(&word, 8);
	}
}

static void
run_admit(void *context, unsigned thread, unsigned n)
{
	const struct subject *s = context;
	struct transitions tr = {.n = 0};
	uint64_t now_ns = fast_clock_ns();
	struct ticket t;

	for (unsigned i = 0; i < n; i++)
		breaker_admit(&s->ref, now_ns, thread, &t, &tr);
}

static void
run_window(void *context, unsigned thread, unsigned n)
{
	const struct subject *s = context;
	bool failed = s->outcome == OUTCOME_FAIL;
	uint64_t now_ns = fast_clock_ns();

	(void)thread;
	for (unsigned i = 0; i < n; i++)
		window_add(&s->ref.breaker->window, s->ref.config->slot_ns, now_ns, failed, false);
}

static void
run_end(void *context, unsigned thread, unsigned n)
{
	const struct subject *s = context;
	struct transitions tr = {.n = 0};
	uint64_t now_ns = fast_clock_ns();
	struct ticket t;

	breaker_watch(&s->ref, now_ns, &t);
	for (unsigned i = 0; i < n; i++)
		breaker_end(&s->ref, &t, now_ns, 1000000 + i % 1024, s->outcome, thread + 1, &tr);
}

static void
run_call(void *context, unsigned thread, unsigned n)
{
	const struct subject *s = context;
	struct transitions tr = {.n = 0};
	uint64_t base_ns = fast_clock_ns();
	struct ticket t;

	for (unsigned i = 0; i < n; i++) {
		uint64_t now_ns = base_ns + clock_coarse_ns();

		if (breaker_admit(&s->ref, now_ns, (thread + 1) * 4, &t, &tr))
			breaker_end(&s->ref, &t, now_ns, 1000000 + i % 1024, s->outcome, thread + 1,
				    &tr);
	}
}

static void
rows_of_record(const struct breaker_config *c)
{
	struct subject good = subject_of(c, 0, OUTCOME_OK);
	struct subject bad = subject_of(c, 1, OUTCOME_FAIL);

	bench_title("record (floor: lock xadd)");
	bench_row("success", bench_compare(1, TIMES, run_window, &good, run_xadd, NULL), 1.1);
	bench_row("failure", bench_compare(1, TIMES, run_window, &bad, run_xadd, NULL), 1.1);
	bench_row("success, two threads",
		  bench_compare(2, TIMES, run_window, &good, run_xadd, NULL), 1.4);
	bench_row("failure, two threads", bench_compare(2, TIMES, run_window, &bad, run_xadd, NULL),
		  1.4);
	bench_row("end of a good call", bench_compare(1, TIMES, run_end, &good, run_xadd, NULL), 0);
	bench_row("end of a bad call", bench_compare(1, TIMES, run_end, &bad, run_xadd, NULL), 0);
	bench_row("end of a good call, two threads",
		  bench_compare(2, TIMES, run_end, &good, run_xadd, NULL), 0);
	bench_row("end of a bad call, two threads",
		  bench_compare(2, TIMES, run_end, &bad, run_xadd, NULL), 0);
}

static void
rows_of_calls(const struct breaker_config *plain, const struct breaker_config *limited)
{
	struct subject good = subject_of(plain, 0, OUTCOME_OK);
	struct subject slow = subject_of(limited, 1, OUTCOME_OK);
	struct transitions tr = {.n = 0};

	/* 12 ns where the parts of the floor take 3.6, 1.1 and 5.5. */
	bench_title("check and record (floor: clock, load, xadd)");
	bench_row("success", bench_compare(1, TIMES, run_call, &good, run_parts, NULL), 1.18);
	bench_row("success, two threads", bench_compare(2, TIMES, run_call, &good, run_parts, NULL),
		  0);
	bench_row("success with pNN", bench_compare(1, TIMES, run_call, &slow, run_parts, NULL), 0);
	bench_row("success with pNN, two threads",
		  bench_compare(2, TIMES, run_call, &slow, run_parts, NULL), 0);
	breaker_force(&good.ref, FORCE_OPEN, fast_clock_ns(), &tr);
	bench_row("refusal, the clock read before",
		  bench_compare(1, TIMES, run_admit, &good, run_parts, NULL), 0);
}

int
main(void)
{
	struct settings s;

	settings_default(&s);
	s.breaker.consecutive = 0;
	s.breaker.failure_permille = 0;
	struct breaker_config limited = s.breaker;
	struct subject subject = subject_of(&s.breaker, 0, OUTCOME_OK);

	limited.latency_ns = UINT64_C(5000000000);
	printf("breaker: %zu bytes, target 192: %s\n", sizeof(struct breaker),
	       sizeof(struct breaker) <= 192 ? "ok" : "miss");
	printf("its report: %zu bytes; marks, shared by all: %zu\n", sizeof(struct report),
	       sizeof(struct inflight));
	/* 1.2 ns where the floor takes 1.1. */
	bench_title("admission (floor: called load and branch)");
	bench_row("admit", bench_compare(1, TIMES, run_admit, &subject, run_load, NULL), 1.1);
	rows_of_record(&s.breaker);
	rows_of_calls(&s.breaker, &limited);
	return 0;
}
