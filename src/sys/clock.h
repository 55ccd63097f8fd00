/* The only reader of the machine's clocks. */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <stdint.h>

/* Monotonic, in steps of up to 4 ms, for deciding: costs a few nanoseconds. */
uint64_t clock_coarse_ns(void);

/* Monotonic and precise, for measuring. */
uint64_t clock_precise_ns(void);

/* Seconds and milliseconds since 1970, UTC. */
uint64_t clock_wall_ms(void);

#endif
