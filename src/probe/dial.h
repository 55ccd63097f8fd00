/*
 * A connect to all addresses of a destination at once; the first that succeeds is
 * enough.  By raw system calls alone: no thread, lock, allocation or errno.
 */
#ifndef PROBE_DIAL_H
#define PROBE_DIAL_H

#include <poll.h>

#include "core/breaker.h"
#include "core/dest.h"

#define DIAL_ADDRESSES 16

struct dial {
	uint8_t count;
	bool connected;
	bool failed; /* at least one for the dependency's sake */
	int fd[DIAL_ADDRESSES];
};

/* Starts; more than DIAL_ADDRESSES addresses are left out. */
void dial_start(struct dial *d, const struct dest_addr *addr, unsigned n, uint16_t port);

/*
 * Looks, without waiting.  True: it is over and *outcome is OUTCOME_OK when one
 * connected, OUTCOME_FAIL when none did and at least one was refused or lost, and
 * OUTCOME_NEUTRAL when this machine could not even try.
 */
bool dial_is_over(struct dial *d, enum outcome *outcome);

/* What to wait for; returns how many, at most DIAL_ADDRESSES. */
unsigned dial_waits_for(const struct dial *d, struct pollfd *out);

/* Closes what is left. */
void dial_stop(struct dial *d);

#endif
