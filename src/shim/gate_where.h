/* Where a target's calls fail, for the probe that finds out whether they would again. */
#ifndef SHIM_GATE_WHERE_H
#define SHIM_GATE_WHERE_H

#include "shim/gate.h"

/* The state in which a target's breaker lives, and its number there. */
struct state *gate_state_of(const struct gate_target *t);
uint32_t gate_index_of(const struct gate_target *t);

/* A call to d failed; by_address: at an address, not at the look-up. */
void gate_note_where(const struct gate_target *t, const struct dest *d, bool by_address);

/* So that a breaker that trips before any call has ended can be probed. */
void gate_note_first_where(const struct gate_target *t, const struct dest *d);

#endif
