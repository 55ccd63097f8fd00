/*
 * The changes of a breaker's state, for breaker.c alone.
 *
 * Each takes the gate's word as it was read and does nothing when that is no longer
 * what the gate holds: somebody else was first.  Each tells of itself in *tr.
 */
#ifndef CORE_BREAKER_CHANGE_H
#define CORE_BREAKER_CHANGE_H

#include "core/breaker_gate.h"

/* What a ramp owes, in 1/2^20 of a call. */
#define CREDIT_ONE (UINT32_C(1) << 20)
#define CREDIT_TENTH (CREDIT_ONE / 10 + 1) /* rounded up: ten of them make a call */

struct window_sum breaker_window(const struct breaker_ref *r, uint64_t now_ns);

/* Open from from_ns on, for the next cooldown of the series; sum is what was judged. */
void change_to_open(const struct breaker_ref *r, uint64_t word, uint64_t from_ns,
		    enum reason reason, struct window_sum sum, struct transitions *tr);

/* The window and the count of bad calls are emptied by these two. */
void change_to_closed(const struct breaker_ref *r, uint64_t word, uint32_t generation,
		      uint64_t at_ns, enum reason reason, struct transitions *tr);
void change_to_ramp(const struct breaker_ref *r, uint64_t word, uint64_t now_ns,
		    struct transitions *tr);

/* Takes the lease of a probe or a trial call into *t.  False: another has it. */
bool change_to_probing(const struct breaker_ref *r, uint64_t word, uint64_t now_ns,
		       struct ticket *t, struct transitions *tr);

/* Starts the same cooldown again, when that ends later than it would now. */
void change_restart_cooldown(const struct breaker_ref *r, uint64_t word, uint64_t now_ns,
			     struct transitions *tr);

/* GATE_HELD_OPEN or GATE_HELD_CLOSED. */
void change_to_held(const struct breaker_ref *r, uint64_t word, enum gate_state state,
		    uint64_t now_ns, struct transitions *tr);

#endif
