/*
 * The start of the shim: before main, or at the first hook that runs before that.
 */
#ifndef SHIM_INIT_H
#define SHIM_INIT_H

#include "core/atomics.h"

extern atomic_u32 init_done;

void init_slowly(void);

/* Returns at once when another thread is at it: the hook then finds no rules. */
static inline void
init_now(void)
{
	if (__builtin_expect(load_acquire(&init_done) == 0, 0))
		init_slowly();
}

#endif
