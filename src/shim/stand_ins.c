#include "shim/stand_ins.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>

#include "shim/address.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/loopback.h"
#include "shim/refusal.h"
#include "sys/clock.h"
#include "sys/rawnet.h"

#define PATIENCE_NS UINT64_C(1000000000)

/*
 * The connection, locked; NULL: it is none, or nothing can be done for it.  One that is
 * lost has nobody who answers it.
 */
static struct conn *
enter(int fd)
{
	struct conn_ref ref = conn_at(fd);

	if (conn_stands_in(ref) == 0 || !guard_owns_books())
		return NULL;
	struct conn *c = conn_lock(ref);

	if (c == NULL && conn_stands_in(ref) != 0)
		raw_shutdown(fd, SHUT_RDWR);
	if (c == NULL || loopback_file(fd) == c->file)
		return c;
	/* Closed unseen: the number is another file's by now. */
	conn_unlock(c);
	conn_lose(fd);
	return NULL;
}

static bool
is_cut(const struct conn *c)
{
	return load_relaxed(&c->stands_in) == STAND_IN_CUT;
}

bool
stand_ins_take(int fd, const struct conn_bytes *bytes, ssize_t *result)
{
	struct conn *c = enter(fd);
	size_t left = bytes->size;

	*result = -ECONNRESET;
	if (c == NULL)
		return guard_owns_books() && stand_ins_has(fd);
	stand_in_go_on(c);
	for (size_t i = 0; i < bytes->count && left > 0; i++) {
		const struct iovec *part = &bytes->parts[i];
		size_t size = part->iov_len < left ? part->iov_len : left;

		stand_in_read(c, part->iov_base, size);
		left -= size;
	}
	if (!is_cut(c))
		*result = (ssize_t)bytes->size;
	conn_unlock(c);
	if (*result < 0)
		stand_ins_tell(fd, ECONNRESET);
	return true;
}

/* One piece of what from is open on: its size, 0 at the end, or -errno. */
static ssize_t
take_piece(int fd, int from, const int64_t *offset, size_t size)
{
	char piece[2048];
	struct iovec part = {piece, 0};
	size_t room = size < sizeof(piece) ? size : sizeof(piece);
	ssize_t n = offset != NULL ? raw_pread(from, piece, room, *offset)
				   : raw_read(from, piece, room);

	if (n <= 0)
		return n;
	part.iov_len = (size_t)n;
	if (!stand_ins_take(fd, &(struct conn_bytes){&part, 1, part.iov_len}, &n))
		return -ECONNRESET;
	return n;
}

bool
stand_ins_take_file(int fd, int from, int64_t *offset, size_t size, ssize_t *result)
{
	size_t done = 0;
	ssize_t n = 0;

	if (!stand_ins_has(fd))
		return false;
	while (done < size && (n = take_piece(fd, from, offset, size - done)) > 0) {
		done += (size_t)n;
		if (offset != NULL)
			*offset += n;
	}
	*result = done > 0 ? (ssize_t)done : n;
	return true;
}

bool
stand_ins_take_pipe(int fd, int from, size_t size, ssize_t *result)
{
	if (!stand_ins_has(fd))
		return false;
	*result = size > 0 ? take_piece(fd, from, NULL, size) : 0;
	return true;
}

void
stand_ins_await(int fd, bool waits)
{
	struct conn *c = enter(fd);

	if (c == NULL)
		return;
	stand_in_go_on(c);
	if (waits && stand_in_of(c) != NULL && stand_in_of(c)->is_awaited)
		stand_in_cut_other(c);
	conn_unlock(c);
}

void
stand_ins_await_read(int fd, int flags)
{
	if (stand_ins_has(fd))
		stand_ins_await(fd, (flags & MSG_DONTWAIT) == 0 &&
					    (raw_fcntl(fd, F_GETFL, 0) & O_NONBLOCK) == 0);
}

void
stand_ins_tell(int fd, int error)
{
	struct conn *c = error == ECONNRESET ? enter(fd) : NULL;

	if (c == NULL)
		return;
	if (is_cut(c))
		refusal_set(REFUSAL_CONNECT, error, &c->target);
	conn_unlock(c);
}

void
stand_ins_shutdown(int fd, int how)
{
	struct conn *c = how != SHUT_RD ? enter(fd) : NULL;

	if (c == NULL)
		return;
	stand_in_go_on(c);
	if (stand_in_of(c) != NULL && (how == SHUT_RDWR || !stand_in_of(c)->is_ready))
		stand_in_cut(c);
	conn_unlock(c);
}

void
stand_ins_lend(int fd)
{
	stand_ins_await(fd, true);
}

void
stand_ins_name(int fd, struct sockaddr *address, socklen_t size)
{
	struct conn *c = enter(fd);
	struct sockaddr_storage asked;

	if (c == NULL)
		return;
	socklen_t len = address_make(&c->addr, c->port, address->sa_family, &asked);

	memcpy(address, &asked, len < size ? len : size);
	conn_unlock(c);
}

/* Calls back with those that are awaited, locked. */
static void
each_awaited(void (*visit)(struct conn *c))
{
	for (uint32_t place = 1; load_relaxed(&stand_ins_awaited) != 0 && place <= STAND_INS;
	     place++) {
		struct stand_in *s = stand_in_at(place);

		if (load_relaxed(&s->is_taken) == 0 || conn_stands_in(s->ref) != place)
			continue;
		struct conn *c = conn_try_lock(s->ref);

		if (c == NULL)
			continue;
		if (stand_in_of(c) == s && s->is_awaited)
			visit(c);
		conn_unlock(c);
	}
}

void
stand_ins_before_fork(void)
{
	each_awaited(stand_in_go_on);
}

/* What the program to come writes would not be seen, and who forked it may wait. */
static void
cut_inherited(struct conn *c)
{
	int flags = raw_fcntl((int)load_relaxed(&c->fd), F_GETFD, 0);

	stand_in_go_on(c);
	if (flags >= 0 && (flags & FD_CLOEXEC) == 0)
		stand_in_cut(c);
}

void
stand_ins_before_exec(void)
{
	if (guard_owns_books())
		each_awaited(cut_inherited);
}

static void
give_up(struct conn *c)
{
	stand_in_go_on(c);
	if (stand_in_of(c) != NULL && clock_coarse_ns() - stand_in_of(c)->since_ns >= PATIENCE_NS)
		stand_in_cut_other(c);
}

/* When the first of them is given up. */
static uint64_t
first_end_ns(void)
{
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t place = 1; place <= STAND_INS; place++) {
		const struct stand_in *s = stand_in_at(place);

		if (load_relaxed(&s->is_taken) != 0 && s->is_awaited &&
		    s->since_ns + PATIENCE_NS < first_ns)
			first_ns = s->since_ns + PATIENCE_NS;
	}
	return first_ns;
}

static uint64_t
slice(struct stand_ins_wait *w, uint64_t now_ns)
{
	uint64_t first_ns = first_end_ns();

	w->is_last = w->end_ns <= first_ns;
	if (w->is_last)
		return w->end_ns == UINT64_MAX ? UINT64_MAX
		       : w->end_ns > now_ns    ? w->end_ns - now_ns
					       : 0;
	/* A clock's tick more, so that it is over by then. */
	return (first_ns > now_ns ? first_ns - now_ns : 0) + 5000000;
}

uint64_t
stand_ins_wait(struct stand_ins_wait *w, uint64_t timeout_ns)
{
	uint64_t now_ns = clock_coarse_ns();

	if (guard_owns_books())
		each_awaited(stand_in_go_on);
	w->end_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
	return slice(w, now_ns);
}

uint64_t
stand_ins_wait_on(struct stand_ins_wait *w)
{
	if (w->is_last)
		return 0;
	if (guard_owns_books())
		each_awaited(give_up);
	return slice(w, clock_coarse_ns());
}
