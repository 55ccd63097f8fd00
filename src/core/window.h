/*
 * The rolling window: how many calls ended lately, how many of them failed, how
 * many were slow.
 *
 * Time is cut into slots of a tenth of the window.  The sum covers the slot of
 * now and the ten before it, so an outcome stays counted for at least the window
 * and at most a tenth longer, idle or not.  Each slot is one 64-bit word, so a
 * record is one atomic addition.  Slots saturate at WINDOW_SLOT_MAX: what comes
 * after that in the same slot is left out, ratios stay as they were.
 *
 * Safe for any number of threads and processes at once: no lock, no allocation,
 * no outcome lost when one slot gives way to the next.
 */
#ifndef CORE_WINDOW_H
#define CORE_WINDOW_H

#include "core/atomics.h"

#define WINDOW_SLOTS_PER_WINDOW 10
#define WINDOW_RING 16 /* a power of two above the eleven slots in use */
#define WINDOW_SLOT_MAX ((1U << 19) - 4096U)

struct window {
	atomic_u64 head; /* number of the newest slot that was opened */
	atomic_u64 slots[WINDOW_RING];
};

struct window_sum {
	uint32_t total;
	uint32_t failed;
	uint32_t slow;
};

/*
 * Counts one call that ended at now_ns.  slot_ns > 0 is the window's tenth.  True: it may
 * be the first one of its slot.
 */
bool window_add(struct window *w, uint64_t slot_ns, uint64_t now_ns, bool failed, bool slow);

/* The calls of the last window, as seen from now_ns. */
struct window_sum window_sum(const struct window *w, uint64_t slot_ns, uint64_t now_ns);

/* Empties it.  A call that ends at the same instant may survive. */
void window_clear(struct window *w);

/* The same, and the next who count may cut time in another way. */
void window_renew(struct window *w);

#endif
