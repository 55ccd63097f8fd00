/*
 * Waits for events of any number of descriptors.  They are left alone but while a
 * connection stands in for a dependency and has not been asked anything.
 */
#include <limits.h>
#include <sys/epoll.h>
#include <time.h>

#include "shim/hooks.h"
#include "shim/stand_ins.h"
#include "shim/waits.h"

EXPORT int
epoll_wait(int set, struct epoll_event *events, int room, int timeout_ms)
{
	struct stand_ins_wait w;
	int result;

	if (__builtin_expect(load_relaxed(&stand_ins_awaited) == 0, 1))
		return REAL(epoll_wait)(set, events, room, timeout_ms);
	uint64_t slice_ns = stand_ins_wait(&w, waits_ns_of_ms(timeout_ms));

	do
		result = REAL(epoll_wait)(set, events, room, waits_ms_of_ns(slice_ns));
	while (result == 0 && (slice_ns = stand_ins_wait_on(&w)) > 0);
	return result;
}

EXPORT int
epoll_pwait(int set, struct epoll_event *events, int room, int timeout_ms, const sigset_t *mask)
{
	struct stand_ins_wait w;
	int result;

	if (__builtin_expect(load_relaxed(&stand_ins_awaited) == 0, 1))
		return REAL(epoll_pwait)(set, events, room, timeout_ms, mask);
	uint64_t slice_ns = stand_ins_wait(&w, waits_ns_of_ms(timeout_ms));

	do
		result = REAL(epoll_pwait)(set, events, room, waits_ms_of_ns(slice_ns), mask);
	while (result == 0 && (slice_ns = stand_ins_wait_on(&w)) > 0);
	return result;
}
