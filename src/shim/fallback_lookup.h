/* Look-ups of a name whose breaker is open: its fallbacks are looked up instead. */
#ifndef SHIM_FALLBACK_LOOKUP_H
#define SHIM_FALLBACK_LOOKUP_H

#include <netdb.h>

#include "shim/gate.h"

/*
 * Instead of d, which target refuses, looks its fallbacks up.  True: *out has the
 * addresses of the first that is there, of which the program thinks that they are d's:
 * names_learn_fallback() was told.
 */
bool fallback_look_up(const struct gate_target *target, const struct dest *d, const char *service,
		      const struct addrinfo *hints, struct addrinfo **out);

/* The program looked up a name that target may refuse: a connect needs to know more. */
void fallback_learn(const struct gate_target *target);

#endif
