#include "shim/conn.h"

#include <errno.h>
#include <sys/socket.h>

#include "shim/conn_calls.h"
#include "shim/conn_end.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/hooks.h"
#include "shim/refusal.h"
#include "sys/rawnet.h"

#define EDGE "connect"

struct tls_tickets conn_tickets;

bool
conn_open(int fd, const struct attempt *a, const struct gate_call *call, uint64_t now_ns)
{
	struct conn_ref ref;
	struct conn *c = (unsigned)fd < FDS_MAX ? conn_new(fd, &ref) : NULL;

	if (c == NULL)
		return false;
	c->addr = a->addr;
	c->port = a->port;
	c->name = a->name;
	c->target = a->call.target;
	c->has_target = !a->is_unjudged;
	c->edge = EDGE;
	c->is_fresh = true;
	c->sent[CONN_OUTSIDE].server = (uint32_t)names_hash(&a->addr) + (uint32_t)a->port;
	c->connected_ns = c->wrote_ns = c->read_ns = now_ns;
	if (call != NULL) {
		c->asked[0] = (struct asked){.call = *call, .is_counted = true, .is_fresh = true};
		gate_pause(&c->asked[0].call);
		store_relaxed(&c->is_paused, 1);
		c->is_quiet = true;
		c->count = 1;
	}
	conn_add(ref, fd);
	conn_unlock(c);
	return true;
}

/* The bytes of parts one after the other, no more than size of them. */
struct reading {
	const struct conn_bytes *bytes;
	size_t part, offset, left;
};

static size_t
piece(const struct reading *r, const char **at)
{
	const struct conn_bytes *b = r->bytes;
	size_t there = b->parts == NULL	    ? r->left
		       : r->part < b->count ? b->parts[r->part].iov_len - r->offset
					    : 0;

	*at = b->parts == NULL || there == 0 ? NULL
					     : (const char *)b->parts[r->part].iov_base + r->offset;
	return there < r->left ? there : r->left;
}

static void
advance(struct reading *r, size_t n)
{
	r->offset += n;
	r->left -= n;
	while (r->bytes->parts != NULL && r->part < r->bytes->count &&
	       r->offset == r->bytes->parts[r->part].iov_len) {
		r->part++;
		r->offset = 0;
	}
}

static struct reading
read_from(const struct conn_bytes *bytes, size_t size)
{
	struct reading r = {.bytes = bytes, .left = size};

	advance(&r, 0);
	return r;
}

static void
restart(struct conn *c, int side, bool by_turns)
{
	c->restarts++;
	if (by_turns) {
		talk_by_turns(&c->sent[side], &c->received[side], c->count > 0 && !c->is_quiet);
		conn_call_unread(c);
	} else {
		/* What follows a CONNECT is a connection of its own, what follows a 101 is not. */
		talk_restart(&c->sent[side], &c->received[side],
			     !c->is_quiet && c->sent[side].protocol == TALK_HTTP1);
	}
}

/* At the first byte of a request: whom it is for. */
static void
look_for_proxied(struct conn *c, const char *at, size_t size, uint64_t now_ns, bool *is_connect)
{
	struct span host;
	uint16_t port;

	*is_connect = false;
	if (at != NULL && http1_proxied(at, size, &host, &port, is_connect))
		conn_call_retarget(c, host, port != 0 ? port : 80, now_ns);
}

/* What waits in the kernel is no answer to what is asked now. */
static void
note_waiting(struct conn *c, struct talk_sent *sent)
{
	int waiting = sent->protocol == TALK_TLS ? raw_bytes_waiting((int)load_relaxed(&c->fd)) : 0;

	if (waiting > 0)
		tls_waits(&sent->as.tls, (size_t)waiting);
}

/* False: refused. */
static bool
question(struct conn *c, struct talk_sent *sent, const struct talk_event *e, const char *at,
	 size_t size, uint64_t now_ns, struct gate_target *refused)
{
	bool is_connect;

	if (c->ahead > 0) {
		c->ahead--;
		return true;
	}
	look_for_proxied(c, at, size, now_ns, &is_connect);
	if (!conn_call_begin(c, e, now_ns, refused))
		return false;
	note_waiting(c, sent);
	if (is_connect)
		conn_call_is_tunnel(c);
	return true;
}

/* Feeds what is about to be sent.  False: a question in it is refused. */
static bool
feed_sent(struct conn *c, struct conn_sending *s, size_t size, uint64_t now_ns,
	  struct gate_target *refused)
{
	struct talk_sent *sent = &c->sent[s->side];
	struct reading r = read_from(&s->bytes, size);
	bool counts = s->side == CONN_INSIDE || !c->is_linked;
	struct talk_event e;
	const char *at;
	size_t n;

	while ((n = piece(&r, &at)) > 0) {
		size_t taken = talk_sent(sent, &c->received[s->side], at, n, now_ns, &e);

		if (e.what == TALK_QUESTION && counts) {
			s->questions++;
			c->has_asked |= s->side == CONN_OUTSIDE;
			if (!question(c, sent, &e, taken > 0 && at != NULL ? at + taken - 1 : at,
				      n - (taken > 0 ? taken - 1 : 0), now_ns, refused))
				return false;
		} else if (e.what == TALK_CANCEL && counts) {
			conn_call_cancel(c, e.stream, now_ns);
		} else if (e.what == TALK_ONE_WAY && counts) {
			conn_call_one_way(c);
		} else if (e.what == TALK_UPGRADE || e.what == TALK_LOST) {
			restart(c, s->side, e.what == TALK_LOST);
		}
		advance(&r, taken);
	}
	return true;
}

static void
note_hello(struct conn *c, struct conn_ref ref)
{
	const struct talk_sent *s = &c->sent[CONN_OUTSIDE];
	uint64_t hello = s->protocol == TALK_TLS ? s->as.tls.hello.random : 0;

	if (hello == 0 || hello == c->seen_hello)
		return;
	c->seen_hello = hello;
	c->has_asked = false;
	conn_name_hello(c, ref, hello);
	conn_note_speech(c);
}

/* Outside of the lock: the connection is really shut down, so that nobody waits. */
static void
cut(int fd, const struct gate_target *refused)
{
	int saved = errno;

	REAL(shutdown)(fd, SHUT_RDWR);
	errno = saved;
	refusal_set(REFUSAL_CONNECT, ECONNRESET, refused);
}

static bool
sends(struct conn_ref ref, const struct conn_bytes *bytes, int side, struct conn_sending *s)
{
	struct conn *c = conn_lock(ref);
	struct gate_target refused;

	s->ref = (struct conn_ref){0, 0};
	if (c == NULL)
		return true;
	bool was_refused = c->is_refused, goes = !was_refused;
	int fd = (int)load_relaxed(&c->fd);

	if (goes && !c->is_over) {
		*s = (struct conn_sending){
			.ref = ref,
			.bytes = *bytes,
			.before = c->sent[side],
			.restarts = c->restarts,
			.side = (uint8_t)side,
		};
		goes = feed_sent(c, s, bytes->size, gate_now_ns(), &refused);
		c->is_refused = !goes;
		if (side == CONN_OUTSIDE)
			note_hello(c, ref);
	}
	conn_unlock(c);
	if (!goes && !was_refused)
		cut(fd, &refused);
	return goes;
}

bool
conn_sends(struct conn_ref ref, const struct conn_bytes *bytes, struct conn_sending *s)
{
	return sends(ref, bytes, CONN_OUTSIDE, s);
}

/* What was not written is as if it had never been fed, but its questions have begun. */
static void
put_back(struct conn *c, const struct conn_sending *s, size_t written, uint64_t now_ns)
{
	struct conn_sending again = *s;

	if (c->restarts != s->restarts)
		return;
	c->sent[s->side] = s->before;
	c->ahead += s->questions;
	again.questions = 0;
	feed_sent(c, &again, written, now_ns, NULL);
}

void
conn_sent(const struct conn_sending *s, ssize_t result, int error)
{
	struct conn *c = conn_lock(s->ref);

	if (c == NULL)
		return;
	uint64_t now_ns = gate_now_ns();

	if (result > 0) {
		c->wrote_ns = now_ns;
		if (s->side == CONN_OUTSIDE)
			c->wrote_bytes += (uint64_t)result;
	}
	if (result < 0 ? !conn_error_ends(error) : (size_t)result < s->bytes.size)
		put_back(c, s, result > 0 ? (size_t)result : 0, now_ns);
	else if (result < 0)
		conn_fail(c, error, now_ns);
	conn_unlock(c);
}

static void
hear(struct conn *c, const struct talk_event *e, int side, uint64_t now_ns)
{
	switch (e->what) {
	case TALK_FIRST:
		conn_call_first(c, e->stream, now_ns);
		break;
	case TALK_ANSWER:
		conn_call_answer(c, e->stream, e->status, now_ns);
		break;
	case TALK_DOUBT:
		conn_call_doubt(c, now_ns);
		break;
	case TALK_ABORT:
		conn_call_abort(c, e->stream, e->status != 0, now_ns);
		break;
	case TALK_UPGRADE:
	case TALK_LOST:
		restart(c, side, e->what == TALK_LOST);
		break;
	default:
		break;
	}
}

static void
feed_received(struct conn *c, const struct conn_bytes *bytes, int side, size_t size,
	      uint64_t now_ns)
{
	struct reading r = read_from(bytes, size);
	bool counts = side == CONN_INSIDE || !c->is_linked;
	struct talk_event e;
	const char *at;
	size_t n;

	while ((n = piece(&r, &at)) > 0) {
		size_t taken = talk_received(&c->received[side], &c->sent[side], &conn_tickets, at,
					     n, now_ns, &e);

		if (counts || e.what == TALK_UPGRADE || e.what == TALK_LOST)
			hear(c, &e, side, now_ns);
		advance(&r, taken);
	}
}

/* A look ahead: the answer has begun, what it says comes with the bytes. */
static void
peek(struct conn *c, uint64_t now_ns)
{
	enum talk_protocol p = (enum talk_protocol)c->sent[CONN_OUTSIDE].protocol;

	if (p != TALK_TLS && p != TALK_HTTP2 && !c->is_quiet)
		conn_call_first(c, 0, now_ns);
}

void
conn_received(struct conn_ref ref, const struct conn_bytes *bytes, ssize_t result, int error,
	      bool peeked)
{
	struct conn *c;

	if ((result < 0 && !conn_error_ends(error)) || (result == 0 && bytes->size == 0) ||
	    (c = conn_lock(ref)) == NULL)
		return;
	uint64_t now_ns = gate_now_ns();

	if (result > 0)
		store_relaxed(&c->waits_since_ns, 0);
	if (result > 0 && peeked) {
		peek(c, now_ns);
	} else if (result > 0) {
		c->read_ns = now_ns;
		c->read_bytes += (uint64_t)result;
		feed_received(c, bytes, CONN_OUTSIDE, (size_t)result, now_ns);
	} else {
		conn_fail(c, result < 0 ? error : 0, now_ns);
	}
	conn_unlock(c);
}

bool
conn_sends_inside(struct conn_ref ref, const void *data, size_t size, struct conn_sending *s)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	bool goes = sends(ref, &(struct conn_bytes){&part, 1, size}, CONN_INSIDE, s);

	s->inside = part;
	s->bytes.parts = &s->inside;
	return goes;
}

void
conn_received_inside(struct conn_ref ref, const void *data, size_t size)
{
	struct iovec part = {(void *)(uintptr_t)data, size};
	struct conn *c = conn_lock(ref);

	if (c == NULL)
		return;
	feed_received(c, &(struct conn_bytes){&part, 1, size}, CONN_INSIDE, size, gate_now_ns());
	conn_unlock(c);
}
