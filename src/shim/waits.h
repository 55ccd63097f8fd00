/* The time-outs of waits, as nanoseconds; UINT64_MAX is for ever. */
#ifndef SHIM_WAITS_H
#define SHIM_WAITS_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

#include "shim/hooks.h"

static inline uint64_t
waits_ns_of_ms(int timeout_ms)
{
	return timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000000;
}

/* Rounded up. */
static inline int
waits_ms_of_ns(uint64_t ns)
{
	if (ns == UINT64_MAX)
		return -1;
	return ns / 1000000 < INT_MAX ? (int)((ns + 999999) / 1000000) : INT_MAX;
}

/* False: the kernel will refuse it, or it is endless for all that matters. */
static inline bool
waits_can_be_cut(const struct timespec *timeout)
{
	return timeout == NULL ||
	       (may_be_read(timeout) && timeout->tv_sec >= 0 && timeout->tv_sec < INT_MAX &&
		timeout->tv_nsec >= 0 && timeout->tv_nsec < 1000000000);
}

static inline uint64_t
waits_ns_of(const struct timespec *timeout)
{
	return timeout == NULL
		       ? UINT64_MAX
		       : (uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_nsec;
}

/* NULL for ever. */
static inline struct timespec *
waits_timespec(uint64_t ns, struct timespec *out)
{
	*out = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return ns == UINT64_MAX ? NULL : out;
}

#endif
