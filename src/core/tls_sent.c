#include "core/tls_kind.h"

/* Of a client's certificate and what goes with it; more is something unknown. */
#define BEFORE_FINISHED_MAX 8

/* What is sent sooner after the question before may be the rest of that, answered early. */
#define BODY_LATER_NS UINT64_C(2000000)

static void
lose(struct tls_sent *s, struct talk_event *e)
{
	s->is_lost = true;
	e->what = TALK_LOST;
}

static void
finish(struct tls_sent *s, const struct tls_received *r, uint64_t now_ns)
{
	s->is_finished = true;
	s->finished_at = (uint32_t)r->read;
	s->handshake += s->finished_at;
	s->sent_ns = now_ns;
}

static void
begin_question(struct tls_sent *s, const struct tls_received *r, uint64_t now_ns,
	       struct talk_event *e)
{
	if (s->largest < s->bytes)
		s->largest = s->bytes;
	if (s->asked == 1 || s->smallest > s->bytes)
		s->smallest = s->bytes;
	s->bytes = s->record.length;
	s->asked++;
	s->mark = r->read;
	s->is_clear =
		r->record.have == 0 && r->record.left == 0 && now_ns - s->sent_ns >= BODY_LATER_NS;
	s->is_late = now_ns - s->sent_ns >= TLS_PAUSE_NS;
	s->asked_ns = now_ns;
	s->sent_ns = now_ns;
	e->what = TALK_QUESTION;
	e->silence = tls_silence(s, r, NULL, 0, now_ns);
	e->is_one_way = s->asked > 1 && !tls_is_like_those_before(s);
}

/*
 * While an answer is in doubt, what follows soon belongs to the question.  In HTTP/2 all
 * does: much of what a client sends there asks nothing.
 */
static bool
is_next_question(const struct tls_sent *s, const struct tls_received *r, uint64_t now_ns)
{
	if (s->asked == 0 || r->answered == s->asked)
		return true;
	return r->begun > s->mark && now_ns - s->sent_ns >= TLS_PAUSE_NS && !tls_may_be_h2(s, r);
}

static void
data_begins(struct tls_sent *s, const struct tls_received *r, uint64_t now_ns, struct talk_event *e)
{
	uint16_t length = s->record.length;

	if (!s->is_finished) {
		/* Before the ServerHello it is early data. */
		if (!tls_hello_is_done(&r->hello) || s->before >= BEFORE_FINISHED_MAX)
			lose(s, e);
		else if (tls_is_1_3(r) && tls_is_finished(r, length))
			finish(s, r, now_ns);
		else
			s->before++;
		return;
	}
	if (tls_is_1_3(r) && tls_is_control(length))
		return;
	if (is_next_question(s, r, now_ns))
		begin_question(s, r, now_ns, e);
	else if (now_ns - s->asked_ns > TLS_BURST_NS)
		s->goes_one_way = true;
	s->sent_ns = now_ns;
}

bool
tls_says_goodbye(const struct tls_sent *s, const struct tls_received *r)
{
	if (s->is_lost || !s->is_finished || s->record.have != 0 || s->record.left != 0)
		return false;
	if (s->record.type == TLS_DATA)
		return tls_is_1_3(r) && tls_is_control(s->record.length);
	return s->record.type == TLS_ALERT;
}

static void
record_begins(struct tls_sent *s, const struct tls_received *r, uint64_t now_ns,
	      struct talk_event *e)
{
	bool is_handshake = s->record.type == TLS_HANDSHAKE;

	if (!tls_hello_is_done(&s->hello) && !is_handshake) {
		lose(s, e);
	} else if (s->record.type == TLS_DATA) {
		data_begins(s, r, now_ns, e);
	} else if (s->record.type == TLS_CHANGE_CIPHER) {
		s->has_changed = true;
	} else if (is_handshake && tls_hello_is_retry(&r->hello) && !s->has_retried) {
		s->hello = (struct tls_hello){0};
		s->has_retried = true;
	} else if (is_handshake && s->has_changed && !s->is_finished && !tls_is_1_3(r)) {
		finish(s, r, now_ns);
	}
}

size_t
tls_sent(struct tls_sent *s, const struct tls_received *r, const char *bytes, size_t size,
	 uint64_t now_ns, struct talk_event *e)
{
	size_t at = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	if (s->is_lost)
		return size;
	while (at < size && e->what == TALK_NOTHING) {
		const char *from = bytes ? bytes + at : NULL;
		enum tls_piece piece;
		size_t taken = tls_record_next(&s->record, from, size - at, &piece);

		at += taken;
		if (!s->is_finished)
			s->handshake += (uint32_t)taken;
		if (piece == TLS_PIECE_BAD)
			lose(s, e);
		else if (piece == TLS_PIECE_HEAD)
			record_begins(s, r, now_ns, e);
		else if (piece == TLS_PIECE_BODY && s->record.type == TLS_HANDSHAKE &&
			 tls_hello_read(&s->hello, from, taken) == TLS_HELLO_BAD)
			lose(s, e);
	}
	return at;
}

void
tls_waits(struct tls_sent *s, size_t bytes)
{
	s->mark += bytes;
	s->is_clear &= bytes == 0;
}
