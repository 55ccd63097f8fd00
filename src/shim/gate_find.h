/* Where the breakers of this process are, for the files of the gate alone. */
#ifndef SHIM_GATE_FIND_H
#define SHIM_GATE_FIND_H

#include "shim/gate.h"

/* In a target's breaker: it lives in this process's own memory for want of another. */
#define GATE_IS_PRIVATE 2048

struct gate_places {
	struct state *shared; /* gate_own where nothing is shared */
	const char *path;     /* of shared */
	const struct proxies *proxies;
	atomic_u32 is_crowded; /* others may have to give way: calls in flight must be known */
};

extern struct state gate_own;
extern struct gate_places gate_places;

#endif
