#include "sys/clock.h"

#include <time.h>

static uint64_t
clock_read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

uint64_t
clock_coarse_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC_COARSE);
}

uint64_t
clock_precise_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t
clock_wall_ms(void)
{
	return clock_read_ns(CLOCK_REALTIME) / 1000000U;
}
