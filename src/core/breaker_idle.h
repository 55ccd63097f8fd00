/* When a breaker becomes idle, for breaker.c and breaker_idle.c alone. */
#ifndef CORE_BREAKER_IDLE_H
#define CORE_BREAKER_IDLE_H

#include "core/breaker_gate.h"

/*
 * A call begins, or is the first to end in its slot of the window.  Two windows and a
 * slot: then neither the counts nor the series know of any in it, and whoever was stopped
 * in the middle of its end would add to a slot that is long gone.
 */
static inline void
idle_not_before(const struct breaker_ref *r, uint64_t now_ns)
{
	uint64_t until_ns = now_ns + 2 * r->config->window_ns + r->config->slot_ns;

	/* Not at each call, or all threads would take the line from each other. */
	if (load_relaxed(&r->breaker->busy_until_ns) + r->config->slot_ns / 2 < until_ns)
		store_relaxed(&r->breaker->busy_until_ns, until_ns);
}

#endif
