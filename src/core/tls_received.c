#include "core/tls_kind.h"

/* No ticket is longer than the handshake, nor than this where that is short. */
#define TICKET_BYTES_MAX 1200

/* Tickets that a server sends at a time: two, as a rule. */
#define TICKETS_MAX 2

/* A gap in which nobody sends tickets: so much, and this many times what they took. */
#define GAP_NS UINT64_C(5000000)
#define GAP_SPREADS 8

static void
lose(struct tls_received *r, struct talk_event *e)
{
	r->is_lost = true;
	e->what = TALK_LOST;
}

/*
 * By what came before it: all of the tickets that are known of this server, or a record of
 * another length, by more than one server's tickets are known to vary.
 */
static bool
is_no_ticket(const struct tls_received *r, const struct tls_sent *s,
	     const struct tls_tickets *learned)
{
	uint16_t length = r->record.length;
	struct tls_run known;

	if (learned && !r->is_uneven &&
	    tls_tickets_known(learned, tls_key(s, r), r->hello.has_psk, &known) &&
	    r->run.count == known.count && (known.count == 0 || r->run.length == known.length))
		return true;
	if (r->run.count == 0 || length == r->run.length)
		return false;
	return !tls_tickets_are_near(length, r->run.length) || !learned ||
	       !tls_tickets_are_like(learned, tls_key(s, r), length);
}

static bool
is_answer(const struct tls_received *r, const struct tls_sent *s, const struct tls_tickets *learned)
{
	uint16_t length = r->record.length;

	if (tls_may_be_h2(s, r))
		return false;
	if (!tls_is_1_3(r))
		return true;
	if (tls_is_control(length))
		return false;
	if (r->turns > 0 || s->is_late || r->is_mixed || r->run.count >= TICKETS_MAX)
		return true;
	if (length > TICKET_BYTES_MAX && length > s->handshake)
		return true;
	return is_no_ticket(r, s, learned);
}

/*
 * None of the tickets came before the client's Finished, as Go's do: then the server's own
 * Finished was its last record, or its only one, since tickets have another key.
 */
static bool
has_no_earlier_tickets(const struct tls_received *r)
{
	return r->flight == 1 || tls_is_finished(r, r->last);
}

static enum tls_evidence
evidence(const struct tls_received *r, uint64_t now_ns)
{
	uint64_t gap_ns = now_ns - r->last_ns;
	uint64_t spread_ns = r->last_ns - r->run_ns;

	return gap_ns >= GAP_NS && gap_ns / GAP_SPREADS >= spread_ns ? TLS_EVIDENCE_GAP
								     : TLS_EVIDENCE_NONE;
}

/* What came between Finished and the record at hand, which is the first answer. */
static void
learn(const struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
      uint64_t now_ns)
{
	struct tls_run run = r->run;
	bool is_resumed = r->hello.has_psk;

	if (s->asked != 1 || r->turns > 0 || !tls_is_1_3(r) || r->is_mixed || r->is_uneven ||
	    r->has_control || run.count > TICKETS_MAX)
		return;
	if (s->is_late) {
		tls_tickets_learn(learned, tls_key(s, r), is_resumed, run, TLS_EVIDENCE_EARLY);
		return;
	}
	if (run.count == 0 || tls_tickets_are_near(r->record.length, run.length))
		return;
	if (run.count > 1 || is_resumed || has_no_earlier_tickets(r))
		tls_tickets_learn(learned, tls_key(s, r), is_resumed, run, evidence(r, now_ns));
}

static void
count(struct tls_received *r)
{
	uint16_t length = r->record.length;

	if (tls_is_control(length)) {
		r->has_control = true;
		return;
	}
	if (r->run.count == 0)
		r->run.length = length;
	else if (!tls_tickets_are_near(length, r->run.length))
		r->is_mixed = true;
	else if (length != r->run.length)
		r->is_uneven = true;
	if (r->run.count < UINT8_MAX)
		r->run.count++;
}

static void
answered(struct tls_received *r, const struct tls_sent *s)
{
	r->answered = s->asked;
	if (r->turns < UINT8_MAX)
		r->turns++;
}

static void
data_begins(struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
	    uint64_t now_ns, struct talk_event *e)
{
	uint64_t from = r->read - TLS_HEADER_BYTES;
	bool is_since = s->asked > 0 && from >= s->mark;

	if (!s->is_finished || from < s->finished_at) {
		r->first = r->flight == 0 ? r->record.length : r->first;
		r->last = r->record.length;
		r->flight = (uint8_t)(r->flight + (r->flight < UINT8_MAX));
		return;
	}
	if (is_since && r->answered != s->asked) {
		e->what = is_answer(r, s, learned) ? TALK_ANSWER : TALK_DOUBT;
		if (e->what == TALK_ANSWER && learned)
			learn(r, s, learned, now_ns);
	}
	if (r->turns == 0)
		count(r);
	if (e->what == TALK_ANSWER)
		answered(r, s);
	r->run_ns = r->begun == 0 ? now_ns : r->run_ns;
	r->last_ns = now_ns;
	r->begun = from + 1;
}

static void
read_hello(struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
	   const char *bytes, size_t size, struct talk_event *e)
{
	if (tls_hello_is_done(&r->hello))
		return;
	if (tls_hello_read(&r->hello, bytes, size) == TLS_HELLO_BAD)
		lose(r, e);
	else if (learned && tls_hello_is_done(&r->hello) && tls_is_1_3(r) && r->hello.has_psk)
		tls_tickets_resumed(learned, tls_key(s, r));
}

static void
record_begins(struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
	      uint64_t now_ns, struct talk_event *e)
{
	if (r->record.type == TLS_DATA)
		data_begins(r, s, learned, now_ns, e);
	else if (r->record.type == TLS_HANDSHAKE && tls_hello_is_retry(&r->hello))
		r->hello = (struct tls_hello){0};
}

size_t
tls_received(struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
	     const char *bytes, size_t size, uint64_t now_ns, struct talk_event *e)
{
	size_t at = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	if (r->is_lost)
		return size;
	while (at < size && e->what == TALK_NOTHING) {
		const char *from = bytes ? bytes + at : NULL;
		enum tls_piece piece;
		size_t taken = tls_record_next(&r->record, from, size - at, &piece);

		at += taken;
		r->read += taken;
		r->hello.is_server = true;
		if (piece == TLS_PIECE_BAD)
			lose(r, e);
		else if (piece == TLS_PIECE_HEAD)
			record_begins(r, s, learned, now_ns, e);
		else if (piece == TLS_PIECE_BODY && r->record.type == TLS_HANDSHAKE)
			read_hello(r, s, learned, from, taken, e);
	}
	return at;
}
