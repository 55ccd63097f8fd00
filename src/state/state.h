/*
 * Where breakers live: one block of memory without pointers, so that it may be
 * private to a process or shared by many.  All zero is a valid empty state.
 *
 * Breakers are created on first sight, by any thread or process, without a lock.  A
 * breaker is found by its name; two sections never share one because section names
 * are unique and a host's name is not a section's.
 */
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include "core/breaker.h"
#include "core/match.h"

#define STATE_BREAKERS 1024 /* a power of two, at most 4096 (see core/inflight.h) */
#define STATE_FULL UINT32_MAX

struct state_slot {
	atomic_u64 claim; /* hash of the name and whether the name is written; 0: free */
	char name[BREAKER_NAME_MAX + 1];
};

struct state {
	struct breaker breakers[STATE_BREAKERS];
	struct state_slot slots[STATE_BREAKERS];
	struct report reports[STATE_BREAKERS];
	struct inflight inflight;
};

/* The number of the breaker of that name, made when it is new; STATE_FULL: no room. */
uint32_t state_breaker(struct state *s, const char *name);

/* Its name, or NULL when there is no breaker of that number. */
const char *state_name(const struct state *s, uint32_t index);

/* The view of breaker index under the settings of its section. */
struct breaker_ref state_ref(struct state *s, uint32_t index, const struct breaker_config *config);

#endif
