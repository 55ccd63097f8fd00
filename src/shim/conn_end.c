#include "shim/conn_end.h"

#include <errno.h>
#include <sys/socket.h>

#include "shim/conn.h"
#include "shim/conn_calls.h"
#include "shim/conn_kernel.h"
#include "shim/fds.h"
#include "shim/guard.h"
#include "shim/refusal.h"
#include "shim/stand_ins.h"
#include "sys/neterr.h"

#define GIVE_UP_NS UINT64_C(1000000000)

bool
conn_error_ends(int error)
{
	return neterr_blames_peer(error);
}

/*
 * In TLS that only the socket shows, what came before the end decides whether the question
 * was answered, and what silence says.
 */
static bool
judge_tls(struct conn *c, bool by_client, bool has_unread, uint64_t now_ns)
{
	const struct talk_sent *s = &c->sent[CONN_OUTSIDE];
	const struct tls_received *r = &c->received[CONN_OUTSIDE].as.tls;
	struct asked *a = &c->asked[0];
	enum tls_answered answered;

	if (s->protocol != TALK_TLS || c->is_linked || c->is_quiet || c->count == 0)
		return false;
	answered = tls_was_answered(&s->as.tls, r, &conn_tickets, false, now_ns);
	a->silence = (uint8_t)tls_silence(&s->as.tls, r, &conn_tickets, has_unread, now_ns);
	a->is_doubted = answered != TLS_UNANSWERED;
	if (!a->is_doubted)
		a->first_ns = 0;
	/* A server that breaks off may have sent its tickets and no more. */
	return by_client && answered == TLS_ANSWERED;
}

/* In TLS a goodbye, which is nothing that was asked, comes after it. */
static uint64_t
asked_ns(const struct conn *c)
{
	const struct talk_sent *s = &c->sent[CONN_OUTSIDE];

	return s->protocol == TALK_TLS && !c->is_linked && s->as.tls.asked > 0 ? s->as.tls.sent_ns
									       : c->wrote_ns;
}

static uint64_t
silent_ns(const struct conn *c, const struct conn_kernel *k, uint64_t now_ns)
{
	uint64_t last_ns = asked_ns(c);

	/* In a handshake and before it both sides talk. */
	if (c->is_quiet && c->read_ns > last_ns)
		last_ns = c->read_ns;
	if (c->is_quiet && k->was_asked)
		return k->sent_ns;
	return now_ns > last_ns ? now_ns - last_ns : 0;
}

static void
end(struct conn *c, struct conn_end *how, uint64_t now_ns)
{
	how->is_answered = judge_tls(c, how->how == CONN_CLOSED, how->has_unread, now_ns);
	conn_call_end_all(c, how, now_ns);
	c->is_over = true;
}

void
conn_fail(struct conn *c, int error, uint64_t now_ns)
{
	struct conn_end how = {.how = error != 0 ? CONN_FAILED : CONN_EOF, .error = error};
	struct conn_kernel k;

	if (c->is_over || c->is_refused)
		return;
	refusal_outdate(REFUSAL_CONNECT, error);
	if (c->count > 0 && !conn_ask_kernel((int)load_relaxed(&c->fd), c, &k))
		how.how = CONN_VANISHED;
	end(c, &how, now_ns);
}

/* A connect without a question that is closed soon is good whatever the kernel knows. */
static bool
is_brief(const struct conn *c, uint64_t now_ns)
{
	return c->is_quiet && c->wrote_bytes == 0 && now_ns - c->connected_ns < GIVE_UP_NS;
}

/* The program wants no more. */
static void
give_up(struct conn *c, int fd, uint64_t now_ns)
{
	struct conn_end how = {.how = CONN_CLOSED};
	struct conn_kernel k;

	if (c->is_over || c->count == 0)
		return;
	if (is_brief(c, now_ns)) {
		store_relaxed(&c->waits_since_ns, 0);
	} else if (c->is_refused || !conn_ask_kernel(fd, c, &k)) {
		how.how = CONN_VANISHED;
	} else {
		how.has_unread = k.has_unread;
		how.was_asked = k.was_asked;
		how.is_sending = k.is_sending;
		how.silent_ns = silent_ns(c, &k, now_ns);
		if (k.is_reset && !k.has_unread) {
			how.how = CONN_FAILED;
			how.error = ECONNRESET;
		} else if (k.has_ended && !k.has_unread && !c->is_half_closed) {
			how.how = CONN_EOF;
		}
	}
	end(c, &how, now_ns);
}

void
conn_failed(struct conn_ref ref, int error)
{
	struct conn *c = conn_error_ends(error) ? conn_lock(ref) : NULL;

	if (c == NULL)
		return;
	conn_fail(c, error, gate_now_ns());
	conn_unlock(c);
}

/* Who says goodbye after long silence waits for the other side's end, and for no answer. */
static bool
leaves_tls(const struct conn *c, uint64_t now_ns)
{
	const struct talk_sent *s = &c->sent[CONN_OUTSIDE];

	return s->protocol == TALK_TLS && !c->is_linked && now_ns - asked_ns(c) >= GIVE_UP_NS &&
	       tls_says_goodbye(&s->as.tls, &c->received[CONN_OUTSIDE].as.tls);
}

void
conn_shutdown(int fd, int how)
{
	struct conn *c = conn_lock(conn_at(fd));
	uint64_t now_ns = gate_now_ns();

	if (c == NULL)
		return;
	if (how == SHUT_WR)
		c->is_half_closed = true;
	if (how != SHUT_WR || leaves_tls(c, now_ns))
		give_up(c, fd, now_ns);
	conn_unlock(c);
}

void
conn_waits(struct conn_ref ref, uint64_t now_ns)
{
	struct conn *c = conn_wait_begin(ref, now_ns) ? conn_lock(ref) : NULL;

	if (c == NULL)
		return;
	conn_call_waits(c, true, now_ns);
	conn_unlock(c);
}

void
conn_waited(struct conn_ref ref, uint64_t since_ns, uint64_t now_ns)
{
	struct conn *c = conn_wait_end(ref, since_ns, now_ns) ? conn_lock(ref) : NULL;

	if (c == NULL)
		return;
	conn_call_waits(c, false, now_ns);
	conn_unlock(c);
}

void
conn_leaves_inside(struct conn_ref ref)
{
	struct conn *c = conn_lock(ref);
	uint64_t now_ns = gate_now_ns();

	if (c == NULL)
		return;
	if (now_ns - c->wrote_ns >= GIVE_UP_NS)
		give_up(c, (int)load_relaxed(&c->fd), now_ns);
	conn_unlock(c);
}

/* In a vfork child the books are the parent's, whose descriptor stays open. */
static bool
drop(int fd, struct conn_ref *ref)
{
	return guard_owns_books() && conn_drop(fd, ref);
}

void
conn_close(int fd)
{
	struct conn_ref ref;

	if (!drop(fd, &ref))
		return;
	struct conn *c = conn_lock_last(ref);

	if (load_relaxed(&c->is_lost) != 0)
		conn_call_end_all(c, &(struct conn_end){.how = CONN_VANISHED}, gate_now_ns());
	else
		give_up(c, fd, gate_now_ns());
	stand_in_end(c, fd);
	conn_free(c);
}

void
conn_lose(int fd)
{
	struct conn_ref ref;

	if (!drop(fd, &ref))
		return;
	struct conn *c = conn_lock_last(ref);

	conn_call_end_all(c, &(struct conn_end){.how = CONN_VANISHED}, gate_now_ns());
	stand_in_end(c, -1);
	conn_free(c);
}

void
conn_copy(int fd, int to)
{
	struct conn_ref ref = conn_at(fd);

	if (ref.place != 0 && guard_owns_books() && conn_hold(ref))
		conn_add(ref, to);
}

void
conn_at_exit(void)
{
	for (unsigned fd = 0; fd < fds_end() && guard_owns_books(); fd++) {
		struct conn *c = conn_lock(conn_at((int)fd));

		if (c == NULL)
			continue;
		give_up(c, (int)fd, gate_now_ns());
		conn_unlock(c);
	}
}

static void
note_shared(struct conn *c)
{
	c->is_shared = true;
}

void
conn_before_fork(void)
{
	stand_ins_before_fork();
	conn_each(note_shared);
}

static void
leave_to_parent(struct conn *c)
{
	conn_call_forget(c);
	c->is_shared = true;
}

void
conn_after_fork(void)
{
	conn_each_after_fork(leave_to_parent);
}
