/*
 * The atomic operations that the core and the shared state use, each with its
 * memory order in its name.  All are lock-free on every platform that the
 * project supports, so they work between processes that share the memory.
 *
 *   relaxed   the value alone matters; nothing else is read on its account
 *   acquire   what the writer stored before its release is visible after it
 *   release   all that this thread stored before is visible to the acquirer
 */
#ifndef CORE_ATOMICS_H
#define CORE_ATOMICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t atomic_u64;
typedef _Atomic uint32_t atomic_u32;

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics must be lock-free");

#define load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
#define add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define swap_acq_rel(p, v) atomic_exchange_explicit((p), (v), memory_order_acq_rel)

/* Puts want where *expected stands; on failure *expected holds what was found. */
#define cas_acq_rel(p, expected, want)                                                             \
	atomic_compare_exchange_strong_explicit((p), (expected), (want), memory_order_acq_rel,     \
						memory_order_acquire)

/* A count for people: two threads at once may lose one; never for a decision. */
#define bump_lossy(p, v) store_relaxed((p), load_relaxed(p) + (v))

#endif
