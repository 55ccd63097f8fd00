/* Look-ups by libc's own getaddrinfo(), and what they say of a dependency. */
#ifndef SHIM_LOOKUP_H
#define SHIM_LOOKUP_H

#include <netdb.h>

#include "shim/gate.h"

#define LOOKUP_EDGE "resolve"

/*
 * Addresses that are known, in a list made by libc so that it can free it; no look-up.
 * EAI_AGAIN: none of them suits the hints.
 */
int lookup_numeric(const struct dest_addr *addr, unsigned count, const char *service,
		   const struct addrinfo *hints, struct addrinfo **out);

/* A look-up that gate_watch() saw begin ended: it counts when the resolver is to blame. */
void lookup_count(const struct gate_call *call, const struct dest *d, int eai);

#endif
