#include "shim/conn_calls.h"

#include <string.h>

#include "core/text.h"
#include "shim/conn_kernel.h"
#include "sys/log.h"

#define GIVE_UP_NS UINT64_C(1000000000)

static struct dest
dest_of(const struct conn *c, char buf[DEST_NAME_MAX + 1])
{
	size_t far_len = strlen(c->far_host);
	struct dest d = {{buf, 0}, c->addr, c->port};

	if (far_len == 0) {
		d.name = names_text(c->name, buf);
		return d;
	}
	d = (struct dest){.name = {c->far_host, (uint32_t)far_len}, .port = c->far_port};
	if (dest_addr_parse(d.name, &d.addr))
		d.name.len = 0;
	return d;
}

static void
record(const struct conn *c, const struct asked *a, enum outcome outcome, const char *detail,
       uint64_t now_ns)
{
	char buf[DEST_NAME_MAX + 1];
	struct dest d = {{buf, 0}, c->addr, c->port};

	if (!a->is_counted)
		return;
	if (outcome == OUTCOME_FAIL || log_wants(LOG_DEBUG))
		d = dest_of(c, buf);
	gate_done(&a->call, &d, c->edge, now_ns, conn_latency_ns(a, now_ns), outcome, detail);
}

static void
take_out(struct conn *c, unsigned i, struct asked *out)
{
	*out = c->asked[i];
	c->count--;
	memmove(&c->asked[i], &c->asked[i + 1], (c->count - i) * sizeof(c->asked[0]));
}

static void
end(struct conn *c, unsigned i, enum outcome outcome, const char *detail, uint64_t now_ns)
{
	struct asked a;

	take_out(c, i, &a);
	record(c, &a, outcome, detail, now_ns);
}

/* Answers without a number come in the order of their questions. */
static struct asked *
find(struct conn *c, uint32_t stream)
{
	for (unsigned i = 0; i < c->count; i++)
		if (stream == 0 || c->asked[i].stream == stream)
			return &c->asked[i];
	return NULL;
}

static unsigned
index_of(const struct conn *c, const struct asked *a)
{
	return (unsigned)(a - c->asked);
}

/*
 * What may need no answer must not become overdue, or be lost with its process: not before
 * the program is seen to wait for it.
 */
static void
let_wait(struct conn *c, struct asked *a, uint64_t start_ns)
{
	bool pauses = !conn_may_fail(a, false);

	if (!a->is_counted)
		return;
	if (!pauses)
		gate_resume(&a->call, start_ns);
	else
		gate_pause(&a->call);
	a->call.ticket.start_ns = start_ns;
	if (a->is_fresh)
		store_relaxed(&c->is_paused, pauses && conn_may_fail(a, true));
}

/* The time between a connect and what is awaited was nobody's. */
static uint64_t
start_from(const struct conn *c, const struct asked *a, uint64_t now_ns)
{
	return now_ns - (c->connected_ns - a->call.ticket.start_ns);
}

void
conn_call_waits(struct conn *c, bool waits, uint64_t now_ns)
{
	struct asked *a = &c->asked[0];
	uint64_t start_ns = a->call.ticket.start_ns;

	if (c->count == 0 || !a->is_counted || !a->is_fresh || !conn_tells_by_waiting(c))
		return;
	if (!waits)
		gate_pause(&a->call);
	else
		gate_resume(&a->call, c->is_quiet ? start_from(c, a, now_ns) : start_ns);
	a->call.ticket.start_ns = start_ns;
}

/* The connect's own call goes on. */
static void
begin_first(struct conn *c, const struct talk_event *e, uint64_t now_ns)
{
	struct asked *a = &c->asked[0];

	c->is_quiet = false;
	a->stream = e->stream;
	a->silence = (uint8_t)e->silence;
	a->is_one_way = e->is_one_way;
	let_wait(c, a, start_from(c, a, now_ns));
}

static void
push(struct conn *c, const struct talk_event *e, const struct gate_call *call, bool is_counted)
{
	struct asked *a = &c->asked[c->count++];

	*a = (struct asked){
		.stream = e->stream,
		.silence = (uint8_t)e->silence,
		.is_counted = is_counted,
		.is_fresh = c->is_fresh,
		.is_one_way = e->is_one_way,
	};
	if (!is_counted)
		return;
	a->call = *call;
	let_wait(c, a, call->ticket.start_ns);
}

/* A question already asked is left to end as it will, unless it waits too long itself. */
static bool
spares(const struct conn *c, uint64_t now_ns)
{
	for (unsigned i = 0; i < c->count; i++)
		if (now_ns - c->asked[i].call.ticket.start_ns < GIVE_UP_NS)
			return true;
	return false;
}

static void
refuse(const struct conn *c, const struct gate_target *target, uint64_t now_ns)
{
	char buf[DEST_NAME_MAX + 1];
	struct dest d = dest_of(c, buf);

	gate_refused(target, &d, c->edge, now_ns);
}

/* The connect was a call of its own. */
static void
end_quiet(struct conn *c, uint64_t now_ns)
{
	c->is_quiet = false;
	c->asked[0].first_ns = c->connected_ns;
	end(c, 0, OUTCOME_OK, "connected", now_ns);
}

/* What was in doubt was the answer, since the program asks on. */
static void
end_doubted(struct conn *c, uint64_t now_ns)
{
	while (c->count > 0 && c->asked[0].is_doubted)
		end(c, 0, OUTCOME_OK, "answered", now_ns);
}

static void
find_target(struct conn *c)
{
	char buf[DEST_NAME_MAX + 1];
	struct dest d = dest_of(c, buf);

	c->has_target = gate_find(&d, &c->target);
}

bool
conn_call_begin(struct conn *c, const struct talk_event *e, uint64_t now_ns,
		struct gate_target *refused)
{
	struct conn_kernel kernel;
	struct gate_call call;
	enum gate_answer answer = GATE_PASS;

	conn_note_speech(c);
	if (c->is_quiet && gate_is_current(&c->asked[0].call)) {
		begin_first(c, e, now_ns);
		c->is_fresh = false;
		return true;
	}
	if (c->is_quiet)
		end_quiet(c, now_ns);
	if (e->stream == 0)
		end_doubted(c, now_ns);
	if (c->count == CONN_QUESTIONS || c->overflow > 0) {
		c->overflow++;
		return true;
	}
	/* It gave way while the connection asked nothing. */
	if (c->has_target && !gate_is_there(&c->target))
		find_target(c);
	if (c->has_target)
		answer = gate_ask(&c->target, now_ns, &call);
	if (answer == GATE_REFUSE && !spares(c, now_ns) &&
	    conn_ask_kernel((int)load_relaxed(&c->fd), c, &kernel)) {
		refuse(c, &c->target, now_ns);
		*refused = c->target;
		return false;
	}
	push(c, e, &call, answer == GATE_ADMIT);
	c->is_fresh = false;
	return true;
}

void
conn_call_retarget(struct conn *c, struct span host, int32_t port, uint64_t now_ns)
{
	if (host.len == 0 || host.len > DEST_NAME_MAX)
		return;
	if (c->is_quiet)
		end_quiet(c, now_ns);
	memcpy(c->far_host, host.at, host.len);
	c->far_host[host.len] = '\0';
	c->far_port = port;
	find_target(c);
}

void
conn_call_is_tunnel(struct conn *c)
{
	if (c->count > 0)
		c->asked[c->count - 1].is_tunnel = true;
}

void
conn_call_first(struct conn *c, uint32_t stream, uint64_t now_ns)
{
	struct asked *a = find(c, stream);

	if (a == NULL || a->first_ns != 0)
		return;
	a->first_ns = now_ns;
	if (a->is_counted)
		gate_pause(&a->call);
}

/* What a proxy says to CONNECT; true: the way is free, and the question is still to come. */
static bool
tunnel_opens(struct conn *c, struct asked *a, unsigned status, uint64_t now_ns)
{
	if (status < 200 || status > 299)
		return false;
	a->is_tunnel = false;
	a->first_ns = 0;
	if (a->is_counted)
		gate_pause(&a->call);
	c->is_quiet = true;
	c->is_fresh = true;
	c->connected_ns = now_ns;
	return true;
}

void
conn_call_answer(struct conn *c, uint32_t stream, unsigned status, uint64_t now_ns)
{
	struct asked *a = find(c, stream);
	char detail[24];
	struct text t = text_over(detail, sizeof(detail));

	if (a == NULL) {
		c->overflow -= stream == 0 && c->overflow > 0;
		return;
	}
	if (a->is_tunnel && tunnel_opens(c, a, status, now_ns))
		return;
	if (a->first_ns == 0)
		a->first_ns = now_ns;
	if (status != 0)
		text_number(&t, status);
	else
		text_string(&t, "answered");
	if (a->is_counted)
		gate_prove(&a->call.target);
	c->is_quiet = false;
	end(c, index_of(c, a), conn_answer_outcome(a, status), detail, now_ns);
}

void
conn_call_doubt(struct conn *c, uint64_t now_ns)
{
	struct asked *a = find(c, 0);

	if (a == NULL)
		return;
	if (a->stream == 0) {
		conn_call_first(c, 0, now_ns);
		a->is_doubted = true;
	}
	for (unsigned i = 0; i < c->count; i++)
		c->asked[i].silence = SILENCE_SAYS_NOTHING;
}

void
conn_call_abort(struct conn *c, uint32_t stream, bool blames_peer, uint64_t now_ns)
{
	struct asked *a = find(c, stream);

	if (a != NULL)
		end(c, index_of(c, a), blames_peer ? OUTCOME_FAIL : OUTCOME_NEUTRAL, "aborted",
		    now_ns);
}

void
conn_call_cancel(struct conn *c, uint32_t stream, uint64_t now_ns)
{
	struct asked *a = find(c, stream);

	if (a == NULL)
		return;
	bool waited = now_ns - a->call.ticket.start_ns >= GIVE_UP_NS && conn_may_fail(a, false);

	end(c, index_of(c, a), waited ? OUTCOME_FAIL : OUTCOME_NEUTRAL, "gave-up", now_ns);
}

void
conn_call_one_way(struct conn *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		c->asked[i].is_one_way = true;
		c->asked[i].silence = SILENCE_SAYS_NOTHING;
		let_wait(c, &c->asked[i], c->asked[i].call.ticket.start_ns);
	}
}

void
conn_call_unread(struct conn *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct asked *a = &c->asked[i];

		if (a->silence == SILENCE_FAILS)
			a->silence = SILENCE_FAILS_IF_PROVEN;
		let_wait(c, a, a->call.ticket.start_ns);
	}
}

void
conn_call_end_all(struct conn *c, const struct conn_end *how, uint64_t now_ns)
{
	struct verdict v;

	while (c->count > 0) {
		conn_verdict(c, &c->asked[0], how, now_ns, &v);
		if (v.was_connect)
			c->asked[0].first_ns = c->connected_ns;
		c->is_quiet = false;
		end(c, 0, v.outcome, v.detail, now_ns);
	}
}

void
conn_call_forget(struct conn *c)
{
	c->count = 0;
	c->overflow = c->ahead = 0;
	c->is_quiet = false;
}
