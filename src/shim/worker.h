/*
 * The thread that makes the probes of a bare preload, for as long as something is not
 * closed.
 *
 * libc does not know of it: it is made without a lock or an allocation, holds up no
 * process whose last thread leaves, gets no signal, and has a table of descriptors of
 * its own, so that the program meets none of its sockets.  It ends when the program's
 * privileges change, and whoever is refused next starts another one.
 */
#ifndef SHIM_WORKER_H
#define SHIM_WORKER_H

#include "core/rules.h"
#include "state/state.h"

/* Whether this machine can have a worker at all. */
bool worker_is_possible(void);

/*
 * Before the rules are in force: own is the state of this process alone, shared the
 * one that its breakers live in (the same where there is no other).  The rules are
 * changed where it turns out that no worker can run: calls then have to probe.
 */
void worker_init(struct state *own, struct state *shared, struct ruleset *rules);

/* A breaker is no longer closed and nobody looks after it.  Safe wherever a hook may run. */
void worker_need(uint64_t now_ns);

/*
 * Whether one runs: cheaper to ask at a refusal.  What that may miss, because it is about
 * to leave, the next refusal finds.
 */
bool worker_is_at_work(void);

/* In a forked child, after it took over the books: the worker is the parent's. */
void worker_after_fork(void);

#endif
