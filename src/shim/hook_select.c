/* Waits by sets of descriptors, as hook_wait.c has them by lists. */
#include <string.h>
#include <sys/select.h>

#include "shim/conn.h"
#include "shim/fds.h"
#include "shim/hooks.h"
#include "shim/stand_ins.h"
#include "shim/waits.h"
#include "sys/clock.h"

/* A set may be longer than its type says. */
static bool
is_in(const fd_set *set, int fd)
{
	const unsigned long *words = (const unsigned long *)set;
	unsigned bits = 8 * sizeof(*words);

	return (words[(unsigned)fd / bits] >> ((unsigned)fd % bits) & 1) != 0;
}

static unsigned
count_in(const fd_set *set, int end)
{
	unsigned count = 0;

	for (int fd = 0; may_be_read(set) && fd < end; fd++)
		count += is_in(set, fd);
	return count;
}

/* in and out as select() has them; waits: at all. */
static uint64_t
select_begin(int end, const fd_set *in, const fd_set *out, bool waits)
{
	uint64_t since_ns = 0;

	for (int fd = 0; may_be_read(in) && fd < end; fd++) {
		if (!fds_is_followed(fd) || !is_in(in, fd))
			continue;
		if (since_ns == 0)
			since_ns = clock_coarse_ns();
		conn_waits(conn_at(fd), since_ns);
		if (stand_ins_has(fd))
			stand_ins_await(fd,
					waits && count_in(in, end) == 1 && count_in(out, end) == 0);
	}
	return since_ns;
}

/* The set says now what can be read, so any descriptor that began at that moment is meant. */
static int
select_end(int end, uint64_t since_ns, int result)
{
	if (__builtin_expect(since_ns == 0, 1))
		return result;
	uint64_t now_ns = clock_coarse_ns();

	for (int fd = 0; fd < end; fd++)
		if (fds_is_followed(fd))
			conn_waited(conn_at(fd), since_ns, now_ns);
	return result;
}

/* What the program asked for, since each slice of the wait empties it. */
struct sets {
	size_t size; /* of each: no more of it need be there */
	fd_set *at[3];
	fd_set were[3];
};

static void
keep_sets(struct sets *s, int end, fd_set *in, fd_set *out, fd_set *other)
{
	size_t bits = 8 * sizeof(unsigned long);

	*s = (struct sets){
		.size = ((size_t)end + bits - 1) / bits * sizeof(unsigned long),
		.at = {in, out, other},
	};
	for (int i = 0; i < 3; i++)
		if (s->at[i] != NULL)
			memcpy(&s->were[i], s->at[i], s->size);
}

static void
put_back(const struct sets *s)
{
	for (int i = 0; i < 3; i++)
		if (s->at[i] != NULL)
			memcpy(s->at[i], &s->were[i], s->size);
}

static bool
can_be_cut(int end, const fd_set *in, const fd_set *out, const fd_set *other)
{
	return load_relaxed(&stand_ins_awaited) != 0 && end >= 0 && end <= FD_SETSIZE &&
	       (in == NULL || may_be_read(in)) && (out == NULL || may_be_read(out)) &&
	       (other == NULL || may_be_read(other));
}

static int
pselect_on(int end, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
	   const sigset_t *mask)
{
	struct stand_ins_wait w;
	struct timespec slice;
	struct sets sets;
	int result;

	if (!can_be_cut(end, in, out, other) || !waits_can_be_cut(timeout))
		return REAL(pselect)(end, in, out, other, timeout, mask);
	uint64_t slice_ns = stand_ins_wait(&w, waits_ns_of(timeout));

	keep_sets(&sets, end, in, out, other);
	do {
		put_back(&sets);
		result = REAL(pselect)(end, in, out, other, waits_timespec(slice_ns, &slice), mask);
	} while (result == 0 && (slice_ns = stand_ins_wait_on(&w)) > 0);
	return result;
}

/* Linux leaves in *timeout what is left of it. */
static int
select_on(int end, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	struct timespec left = {0, 0};
	uint64_t since_ns = clock_coarse_ns();

	if (timeout != NULL && may_be_read(timeout))
		left = (struct timespec){timeout->tv_sec, timeout->tv_usec * 1000};
	if (!can_be_cut(end, in, out, other) ||
	    (timeout != NULL && (!may_be_read(timeout) || !waits_can_be_cut(&left))))
		return REAL(select)(end, in, out, other, timeout);
	int result = pselect_on(end, in, out, other, timeout != NULL ? &left : NULL, NULL);

	if (timeout != NULL) {
		uint64_t all_ns = waits_ns_of(&left), gone_ns = clock_coarse_ns() - since_ns;

		waits_timespec(all_ns > gone_ns ? all_ns - gone_ns : 0, &left);
		*timeout = (struct timeval){left.tv_sec, left.tv_nsec / 1000};
	}
	return result;
}

EXPORT int
select(int end, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	bool waits = timeout == NULL ||
		     (may_be_read(timeout) && (timeout->tv_sec | timeout->tv_usec) != 0);
	uint64_t since_ns = select_begin(end, in, out, waits);

	return select_end(end, since_ns, select_on(end, in, out, other, timeout));
}

EXPORT int
pselect(int end, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
	const sigset_t *mask)
{
	bool waits = waits_can_be_cut(timeout) && waits_ns_of(timeout) > 0;
	uint64_t since_ns = select_begin(end, in, out, waits);

	return select_end(end, since_ns, pselect_on(end, in, out, other, timeout, mask));
}
