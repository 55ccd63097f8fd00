/* What every hook needs. */
#ifndef SHIM_HOOKS_H
#define SHIM_HOOKS_H

#include "shim/real.h"

/* exports.map has the same names. */
#define EXPORT __attribute__((visibility("default")))

/* libc's own function, found at the first use. */
#define REAL(name)                                                                                 \
	(*(__builtin_expect(real.name != NULL, 1)                                                  \
		   ? &real.name                                                                    \
		   : (real_find(offsetof(struct real_libc, name)), &real.name)))

#endif
