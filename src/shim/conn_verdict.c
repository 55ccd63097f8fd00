#include "shim/conn_verdict.h"

#include <errno.h>

#include "sys/log.h"
#include "sys/neterr.h"

#define GIVE_UP_NS UINT64_C(1000000000)

bool
conn_may_fail(const struct asked *a, bool awaited)
{
	switch ((enum talk_silence)a->silence) {
	case SILENCE_FAILS:
		return true;
	case SILENCE_FAILS_IF_PROVEN:
		return awaited || gate_is_proven(&a->call.target);
	case SILENCE_FAILS_IF_AWAITED:
		return awaited;
	default:
		return false;
	}
}

uint64_t
conn_latency_ns(const struct asked *a, uint64_t now_ns)
{
	uint64_t start_ns = a->call.ticket.start_ns;
	uint64_t end_ns = a->first_ns != 0 ? a->first_ns : now_ns;

	return end_ns > start_ns ? end_ns - start_ns : 0;
}

enum outcome
conn_answer_outcome(const struct asked *a, unsigned status)
{
	if (a->is_tunnel)
		return status >= 500 ? OUTCOME_FAIL : OUTCOME_NEUTRAL;
	if (status != 0 && a->is_counted &&
	    status_in(&a->call.target.section->settings.fail_status, status))
		return OUTCOME_FAIL;
	if (status == 0 && a->is_one_way && a->is_counted &&
	    gate_is_slow(&a->call, conn_latency_ns(a, a->first_ns)))
		return OUTCOME_NEUTRAL;
	return OUTCOME_OK;
}

bool
conn_tells_by_waiting(const struct conn *c)
{
	return c->is_linked || c->sent[CONN_OUTSIDE].protocol != TALK_TLS;
}

static bool
waits_for_bytes(const struct conn *c, uint64_t now_ns)
{
	uint64_t since_ns = load_relaxed(&c->waits_since_ns);

	return since_ns != 0 && now_ns - since_ns >= GIVE_UP_NS;
}

/* Nobody answers half a question: it is the program that let it be, in an upload for one. */
static bool
is_own_silence(const struct conn *c, const struct conn_end *end, uint64_t now_ns)
{
	const struct talk_sent *s = &c->sent[c->is_linked ? CONN_INSIDE : CONN_OUTSIDE];

	return s->protocol == TALK_HTTP1 && c->count == 1 && http1_is_asking(&s->as.http1) &&
	       !end->is_sending && !waits_for_bytes(c, now_ns);
}

static bool
waited(const struct conn *c, const struct asked *a, uint64_t silent_ns, uint64_t now_ns)
{
	bool tells = conn_tells_by_waiting(c);

	/* Of those that are asked side by side one may wait while others are answered. */
	if (a->stream != 0)
		silent_ns = now_ns - a->call.ticket.start_ns;
	return silent_ns >= GIVE_UP_NS && conn_may_fail(a, tells && waits_for_bytes(c, now_ns));
}

/* A connection that is used again may be closed by the other side at any time. */
static bool
is_race(const struct asked *a, int error)
{
	return !a->is_fresh && (error == ECONNRESET || error == EPIPE || error == ECONNABORTED);
}

static enum outcome
judge(const struct conn *c, const struct asked *a, const struct conn_end *end, uint64_t now_ns)
{
	if (a->is_doubted)
		return end->is_answered ? OUTCOME_OK : OUTCOME_NEUTRAL;
	if (a->first_ns != 0)
		return OUTCOME_NEUTRAL;
	switch (end->how) {
	case CONN_FAILED:
		return neterr_blames_peer(end->error) && !is_race(a, end->error) ? OUTCOME_FAIL
										 : OUTCOME_NEUTRAL;
	case CONN_EOF:
		return a->is_fresh ? OUTCOME_FAIL : OUTCOME_NEUTRAL;
	case CONN_CLOSED:
		return !end->has_unread && waited(c, a, end->silent_ns, now_ns) &&
				       !is_own_silence(c, end, now_ns)
			       ? OUTCOME_FAIL
			       : OUTCOME_NEUTRAL;
	default:
		return OUTCOME_NEUTRAL;
	}
}

static bool
is_in_handshake(const struct conn *c)
{
	const struct talk_sent *s = &c->sent[CONN_OUTSIDE];

	return s->protocol == TALK_TLS && !s->as.tls.is_finished;
}

/* What the program waited for without a question was a greeting, a handshake, or nothing. */
static bool
awaits_first(const struct conn *c, const struct conn_end *end)
{
	return load_relaxed(&c->waits_since_ns) != 0 || end->was_asked || is_in_handshake(c);
}

static enum outcome
judge_quiet(const struct conn *c, const struct asked *asked, const struct conn_end *end,
	    uint64_t now_ns)
{
	struct asked a = *asked;
	bool awaits = awaits_first(c, end);

	a.silence = is_in_handshake(c) ? SILENCE_FAILS : SILENCE_FAILS_IF_PROVEN;
	if (end->how == CONN_CLOSED && (end->has_unread || !awaits))
		return OUTCOME_OK;
	if (end->how != CONN_CLOSED && !awaits && now_ns - c->connected_ns >= GIVE_UP_NS)
		return OUTCOME_NEUTRAL;
	return judge(c, &a, end, now_ns);
}

static const char *
detail_of(const struct asked *a, const struct conn_end *end, struct verdict *v)
{
	if (v->outcome == OUTCOME_OK)
		return v->was_connect ? "connected" : "answered";
	if (a->is_doubted || a->first_ns != 0)
		return "unknown";
	switch (end->how) {
	case CONN_FAILED:
		return errno_name(end->error, v->buffer);
	case CONN_EOF:
		return "eof";
	case CONN_CLOSED:
		return "gave-up";
	default:
		return "lost";
	}
}

void
conn_verdict(const struct conn *c, const struct asked *a, const struct conn_end *end,
	     uint64_t now_ns, struct verdict *out)
{
	out->outcome = c->is_quiet ? judge_quiet(c, a, end, now_ns) : judge(c, a, end, now_ns);
	out->was_connect = c->is_quiet && out->outcome == OUTCOME_OK && !end->has_unread;
	out->detail = detail_of(a, end, out);
}

void
conn_note_speech(const struct conn *c)
{
	unsigned protocol = c->sent[CONN_OUTSIDE].protocol;

	if (c->has_target && c->far_host[0] == '\0' && protocol != TALK_UNKNOWN)
		gate_note_speech(&c->target, c->port, protocol == TALK_HTTP1);
}
