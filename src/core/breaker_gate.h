/*
 * The two packed words of a breaker, for breaker.c and breaker_look.c alone.
 *
 * The gate: state in bits 0-2, generation in bits 3-19, deadline in bits 20-63, in
 * ticks of 100 us.  The deadline is the end of the cooldown, of the lease, of the
 * pause before the next probe, or of the ramp.
 *
 * The course: place in the series of cooldowns in bits 0-7, last reason 8-15, probe
 * successes in a row 16-23.  From bit 24 on, while closed, the tick until which a new
 * trip goes on with the series, less its lowest four bits; else what the trip judged:
 * failed calls 24-43, all calls 44-63.  Only the winner of a change of the gate writes it.
 */
#ifndef CORE_BREAKER_GATE_H
#define CORE_BREAKER_GATE_H

#include "core/breaker.h"

enum gate_state {
	GATE_CLOSED,
	GATE_OPEN,
	GATE_WAIT, /* half-open, no probe under way */
	GATE_PROBING,
	GATE_RAMP,
	GATE_HELD_OPEN,
	GATE_HELD_CLOSED
};

#define TICK_NS UINT64_C(100000)
#define GENERATION_MASK ((UINT32_C(1) << 17) - 1)
#define GENERATION_NONE UINT32_MAX /* of a call that has nothing more to say */
#define TICKS_MAX ((UINT64_C(1) << 44) - 1)
#define SERIES_TICKS_SHIFT 4
#define COURSE_CALLS_MAX ((UINT32_C(1) << 20) - 1)

static inline enum gate_state
gate_state(uint64_t word)
{
	return (enum gate_state)(word & 7);
}

static inline uint32_t
gate_generation(uint64_t word)
{
	return (uint32_t)(word >> 3) & GENERATION_MASK;
}

/* UINT64_MAX where there is no deadline. */
static inline uint64_t
gate_until_ns(uint64_t word)
{
	uint64_t ticks = word >> 20;

	return ticks == TICKS_MAX ? UINT64_MAX : ticks * TICK_NS;
}

static inline uint64_t
gate_make(enum gate_state state, uint32_t generation, uint64_t until_ns)
{
	uint64_t ticks = until_ns / TICK_NS + (until_ns % TICK_NS != 0);

	if (ticks > TICKS_MAX)
		ticks = TICKS_MAX;
	return ticks << 20 | (uint64_t)(generation & GENERATION_MASK) << 3 | state;
}

static inline enum breaker_state
gate_public(uint64_t word)
{
	switch (gate_state(word)) {
	case GATE_CLOSED:
	case GATE_HELD_CLOSED:
		return BREAKER_CLOSED;
	case GATE_OPEN:
	case GATE_HELD_OPEN:
		return BREAKER_OPEN;
	default:
		return BREAKER_HALF_OPEN;
	}
}

static inline enum reason
course_reason(uint64_t course)
{
	return (enum reason)(course >> 8 & 0xff);
}

static inline uint32_t
course_successes(uint64_t course)
{
	return (uint32_t)(course >> 16 & 0xff);
}

static inline uint32_t
course_failed(uint64_t course)
{
	return (uint32_t)(course >> 24) & COURSE_CALLS_MAX;
}

static inline uint32_t
course_total(uint64_t course)
{
	return (uint32_t)(course >> 44);
}

/* While closed: until when a new trip goes on with the series. */
static inline uint64_t
course_series_ticks(uint64_t course)
{
	return course >> 24 << SERIES_TICKS_SHIFT;
}

static inline uint64_t
course_with_reason(uint64_t course, enum reason reason)
{
	return (course & ~UINT64_C(0xff00)) | (uint64_t)reason << 8;
}

static inline uint64_t
course_without_successes(uint64_t course)
{
	return course & ~UINT64_C(0xff0000);
}

static inline uint64_t
course_with_success(uint64_t course)
{
	return course_successes(course) == 0xff ? course : course + UINT64_C(0x10000);
}

/* The cooldown at this place of the series, without jitter. */
uint64_t course_cooldown_ns(const struct breaker_config *c, uint64_t course);

#endif
