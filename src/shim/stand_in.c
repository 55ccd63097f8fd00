#include "shim/stand_in.h"

#include <errno.h>
#include <string.h>

#include "core/answer_http.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/loopback.h"
#include "sys/rawnet.h"

static struct stand_in stand_ins[STAND_INS];

atomic_u32 stand_ins_awaited;

struct stand_in *
stand_in_at(uint32_t place)
{
	return &stand_ins[place - 1];
}

struct stand_in *
stand_in_of(const struct conn *c)
{
	uint32_t place = load_relaxed(&c->stands_in);

	return place >= 1 && place <= STAND_INS ? stand_in_at(place) : NULL;
}

/* Its place; 0: all are taken. */
static uint32_t
take(void)
{
	for (uint32_t place = 1; place <= STAND_INS; place++) {
		struct stand_in *s = stand_in_at(place);
		uint32_t none = 0;

		if (load_relaxed(&s->is_taken) == 0 && cas_acq_rel(&s->is_taken, &none, 1))
			return place;
	}
	return 0;
}

static void
set_awaited(struct stand_in *s, bool is_awaited)
{
	if (s->is_awaited != is_awaited)
		add_relaxed(&stand_ins_awaited, is_awaited ? 1 : UINT32_MAX);
	s->is_awaited = is_awaited;
}

static void
give_back(struct stand_in *s)
{
	set_awaited(s, false);
	store_release(&s->is_taken, 0);
}

/* -1: the program has closed it, and the number may be another file's by now. */
static int
peer_of(const struct stand_in *s)
{
	return loopback_file(s->peer) == s->peer_file ? s->peer : -1;
}

static void
fill(struct stand_in *s, const struct loopback *l, struct conn_ref ref)
{
	s->peer = l->peer;
	s->peer_file = l->peer_file;
	s->ref = ref;
	s->since_ns = gate_now_ns();
	s->is_ready = false;
	s->written = 0;
	memset(&s->request, 0, sizeof(s->request));
	set_awaited(s, true);
}

static bool
open_at(uint32_t place, int fd, const struct sockaddr *asked, const struct attempt *a, int *error)
{
	struct loopback l;
	struct conn_ref ref;
	int result = loopback_connect(fd, asked, &l);
	struct conn *c;

	if (result != 0 && result != -EINPROGRESS)
		return false;
	c = l.own_file != 0 ? conn_new(fd, &ref) : NULL;
	if (c == NULL) {
		raw_close(l.peer);
		raw_disconnect(fd);
		return false;
	}
	c->addr = a->addr;
	c->port = a->port;
	c->name = a->name;
	c->target = a->call.target;
	c->is_over = true;
	c->file = l.own_file;
	fill(stand_in_at(place), &l, ref);
	store_relaxed(&c->stands_in, place);
	conn_add(ref, fd);
	conn_unlock(c);
	*error = -result;
	return true;
}

bool
stand_in_open(int fd, const struct sockaddr *asked, const struct attempt *a, int *error)
{
	const struct gate_target *t = &a->call.target;
	uint32_t place;

	if (t->section->settings.answer != ANSWER_HTTP || gate_speaks_other(t, a->port) ||
	    (unsigned)fd >= FDS_MAX || !guard_owns_books() || (place = take()) == 0)
		return false;
	if (open_at(place, fd, asked, a, error))
		return true;
	give_back(stand_in_at(place));
	return false;
}

/* The other end goes, and the connection is told how it ended. */
static void
leave(struct conn *c, struct stand_in *s, uint32_t how)
{
	int peer = peer_of(s);

	if (peer >= 0)
		raw_close(peer);
	store_relaxed(&c->stands_in, how);
	give_back(s);
}

void
stand_in_cut(struct conn *c)
{
	struct stand_in *s = stand_in_of(c);

	if (s == NULL)
		return;
	/* A process that was forked may hold the other end as well: closing were not enough. */
	if (raw_disconnect(peer_of(s)) < 0)
		raw_shutdown((int)load_relaxed(&c->fd), SHUT_RDWR);
	leave(c, s, STAND_IN_CUT);
}

void
stand_in_cut_other(struct conn *c)
{
	gate_note_speech(&c->target, c->port, false);
	stand_in_cut(c);
}

/* As much of the answer as there is room for. */
static void
write_on(struct conn *c, struct stand_in *s)
{
	struct answer_http a = {
		.request = &s->request.asked,
		.message = {s->message, (uint32_t)s->message_len},
		.breaker = s->name,
		.status = c->target.section->settings.answer_status,
	};
	int peer = peer_of(s);
	char piece[2048];
	size_t size;

	while ((size = answer_http_write(&a, s->written, piece, sizeof(piece))) > 0) {
		ssize_t n = raw_send(peer, piece, size);

		if (n > 0)
			s->written += (size_t)n;
		else if (n == -EAGAIN)
			return;
		else if (n != -EINTR)
			break;
	}
	if (size > 0) {
		stand_in_cut(c);
		return;
	}
	/* A forked process may hold it as well. */
	raw_shutdown(peer, SHUT_WR);
	leave(c, s, STAND_IN_ANSWERED);
}

static void
answer(struct conn *c, struct stand_in *s)
{
	uint64_t now_ns = gate_now_ns();

	gate_name(&c->target, s->name);
	s->message_len = gate_message(&c->target, now_ns, s->message, sizeof(s->message));
	s->is_ready = true;
	gate_note_speech(&c->target, c->port, true);
	write_on(c, s);
}

static void
invite(struct stand_in *s)
{
	raw_send(peer_of(s), http_request_continue, strlen(http_request_continue));
}

void
stand_in_read(struct conn *c, const char *bytes, size_t size)
{
	struct stand_in *s = stand_in_of(c);
	enum http_need need = REQUEST_MORE;
	size_t taken;

	if (s == NULL || s->is_ready)
		return;
	for (; size > 0 && (need == REQUEST_MORE || need == REQUEST_CONTINUE);
	     bytes += taken, size -= taken) {
		need = http_request_read(&s->request, bytes, size, &taken);
		if (need == REQUEST_CONTINUE)
			invite(s);
	}
	s->since_ns = gate_now_ns();
	set_awaited(s, !http_request_has_head(&s->request));
	if (need == REQUEST_READY)
		answer(c, s);
	else if (need == REQUEST_FOREIGN)
		stand_in_cut_other(c);
}

void
stand_in_go_on(struct conn *c)
{
	struct stand_in *s = stand_in_of(c);
	char piece[2048];
	ssize_t n = 0;

	if (s == NULL)
		return;
	while (stand_in_of(c) == s && (n = raw_recv(peer_of(s), piece, sizeof(piece))) > 0)
		stand_in_read(c, piece, (size_t)n);
	if (stand_in_of(c) != s)
		return;
	if (s->is_ready)
		write_on(c, s);
	else if (n != -EAGAIN && n != -EINTR)
		stand_in_cut(c);
}

/* An end by reset leaves nothing behind in the kernel, where an orderly one stays a minute. */
static void
end_at_once(int fd, const struct conn *c)
{
	if (!c->is_shared && fd >= 0 && loopback_file(fd) == c->file)
		raw_reset_at_close(fd);
}

void
stand_in_end(struct conn *c, int fd)
{
	struct stand_in *s = stand_in_of(c);

	if (load_relaxed(&c->stands_in) == STAND_IN_ANSWERED)
		end_at_once(fd, c);
	if (s == NULL)
		return;
	if (!c->is_shared && fd >= 0)
		raw_disconnect(peer_of(s));
	leave(c, s, STAND_IN_CUT);
}
