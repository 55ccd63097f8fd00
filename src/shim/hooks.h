/* What every hook needs. */
#ifndef SHIM_HOOKS_H
#define SHIM_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/real.h"

/* exports.map has the same names. */
#define EXPORT __attribute__((visibility("default")))

/* libc's own function, found at the first use. */
#define REAL(name)                                                                                 \
	(*(__builtin_expect(real.name != NULL, 1)                                                  \
		   ? &real.name                                                                    \
		   : (real_find(offsetof(struct real_libc, name)), &real.name)))

/*
 * False for NULL, small offsets from it, and what only the kernel has: the kernel is
 * left to answer EFAULT.
 */
static inline bool
may_be_read(const void *p)
{
	uint64_t at = (uintptr_t)p;

	return at >= 4096 && at <= INT64_MAX;
}

#endif
