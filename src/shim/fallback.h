/*
 * Who serves while a breaker is open: the fallbacks of its section, in their order.
 *
 * What goes to a fallback is a call to it, and counts for its own breaker.  A fallback whose
 * breaker refuses is passed over, as is one that cannot be reached from here.  Its own
 * fallbacks are not tried.
 */
#ifndef SHIM_FALLBACK_H
#define SHIM_FALLBACK_H

#include <sys/socket.h>

#include "shim/attempt.h"

struct fallback {
	unsigned number;  /* how many were taken; zero at first */
	struct dest dest; /* points into the rules */
	struct gate_target target;
	bool has_target; /* else it has no breaker */
};

/*
 * The next fallback of what t refuses, for a call to port: that is its own where it has
 * none.  One that has the same breaker is left out.  False: there is no other.
 */
bool fallback_next(const struct gate_target *t, int32_t port, struct fallback *f);

/* Its name with a terminating zero; empty where it is an address. */
void fallback_name(const struct fallback *f, char out[DEST_NAME_MAX + 1]);

/*
 * A refused attempt to connect fd to asked becomes one to a fallback.  True: *answer is
 * GATE_ADMIT or GATE_PASS, and the connect goes where *a says.  No look-up, lock or
 * allocation: a name is reached at addresses that this process or one of the same state
 * has seen.
 */
bool fallback_take(int fd, const struct sockaddr *asked, uint64_t now_ns, struct attempt *a,
		   enum gate_answer *answer);

/* Those of a refused target whose own breakers refuse as well; returns their number. */
unsigned fallback_refusing(const struct gate_target *t, uint64_t now_ns,
			   struct span out[FALLBACKS_MAX]);

#endif
