/*
 * Several addresses of one name are one call: it succeeds when one of them answers
 * and fails when all that were tried failed.
 *
 * A group is such a call while it is undecided.  It lives in a small table; where
 * that is full, an attempt that fails says nothing.  Two calls to the same name at the
 * same time may exchange attempts: the sum is right.  No lock, no allocation.
 */
#ifndef SHIM_GROUP_H
#define SHIM_GROUP_H

#include "shim/gate.h"
#include "shim/names.h"

/* Which connect a call began with. */
struct group_dest {
	struct dest_addr addr;
	int32_t port;
	uint32_t name; /* see struct named */
};

/* What a connect came to. */
enum attempt_result {
	ATTEMPT_CONNECTED,
	ATTEMPT_FAILED,
	ATTEMPT_LOCAL,	 /* an error that says nothing of the dependency */
	ATTEMPT_GAVE_UP, /* closed by the program within a second */
};

struct group_ref {
	uint16_t place; /* 0: none */
	uint16_t version;
};

/* Joins an undecided call to this name and port that has not tried this address. */
struct group_ref group_join(uint64_t key, struct named named, struct gate_call *call);

/* A new one for an admitted call. */
struct group_ref group_open(uint64_t key, struct named named, const struct group_dest *d,
			    const struct gate_call *call, uint64_t now_ns);

/*
 * An attempt is over; error is its errno or 0.  True: that decides the call, *outcome and *call are
 * filled and the caller records it.
 */
bool group_end(struct group_ref ref, enum attempt_result result, int error, uint64_t now_ns,
	       struct gate_call *call, enum outcome *outcome);

/*
 * Takes a call to this name and port that was left undecided: the program does not try
 * further addresses, and begins anew.  True: as group_end(), *error is the last one.
 */
bool group_take_left(uint64_t key, uint64_t now_ns, struct gate_call *call, enum outcome *outcome,
		     int *error);

/*
 * The same at the end of the program, for whatever name: from *place on, which begins as 0
 * and is moved on.  False: there is no other.
 */
bool group_take_last(uint32_t *place, uint64_t now_ns, struct gate_call *call, struct group_dest *d,
		     enum outcome *outcome, int *error);

/* In a forked child: what is undecided is the parent's. */
void group_after_fork(void);

#endif
