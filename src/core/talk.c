#include "core/talk.h"

#define HANDSHAKE '\x16'
#define TLS_MAJOR '\x03'

/* Where HTTP/2 parts from every method of HTTP/1. */
static const char preface[] = "PRI ";
#define PREFACE_LEN (sizeof(preface) - 1)

/* Answered questions by turns after which a further one is taken for one. */
#define TURNS_PROVEN 2

/* Who sends on for so long has no need of an answer: telemetry, subscriptions, a long body. */
#define BURST_NS UINT64_C(1000000000)

void
talk_restart(struct talk_sent *s, struct talk_received *r, bool is_one_way)
{
	*s = (struct talk_sent){.is_one_way = is_one_way, .server = s->server};
	*r = (struct talk_received){.turns = 0};
}

void
talk_by_turns(struct talk_sent *s, struct talk_received *r, bool waits)
{
	talk_restart(s, r, s->is_one_way);
	s->protocol = TALK_TURNS;
	s->turns = waits;
	r->has_begun = true;
}

static enum talk_silence
silence_of_turn(const struct talk_sent *s)
{
	if (s->is_one_way)
		return SILENCE_SAYS_NOTHING;
	return s->turns == 0 || s->turns >= TURNS_PROVEN ? SILENCE_FAILS_IF_PROVEN
							 : SILENCE_FAILS_IF_AWAITED;
}

/* STARTTLS: a handshake where the next question would begin. */
static bool
begins_tls(const char *bytes, size_t size)
{
	return bytes != NULL && size >= 2 && bytes[0] == HANDSHAKE && bytes[1] == TLS_MAJOR;
}

static void
turn_goes_on(struct talk_sent *s, uint64_t now_ns, struct talk_event *e)
{
	if (s->asked_ns == 0)
		s->asked_ns = now_ns;
	if (s->is_one_way || now_ns - s->asked_ns < BURST_NS)
		return;
	s->is_one_way = true;
	e->what = TALK_ONE_WAY;
}

static size_t
turn_sent(struct talk_sent *s, const struct talk_received *r, const char *bytes, size_t size,
	  uint64_t now_ns, struct talk_event *e)
{
	if (s->turns != r->turns) {
		turn_goes_on(s, now_ns, e);
		return size;
	}
	if (begins_tls(bytes, size)) {
		e->what = TALK_UPGRADE;
		return 0;
	}
	e->what = TALK_QUESTION;
	e->silence = silence_of_turn(s);
	e->is_one_way = s->is_one_way;
	s->asked_ns = now_ns;
	s->turns++;
	return size;
}

/* The byte after one that begins a handshake. */
static void
settle_tls(struct talk_sent *s, const struct talk_received *r, char byte, uint64_t now_ns)
{
	static const char handshake = HANDSHAKE;
	struct talk_event none;

	s->protocol = byte == TLS_MAJOR ? TALK_TLS : TALK_TURNS;
	if (s->protocol != TALK_TLS)
		return;
	s->as.tls.server = s->server;
	tls_sent(&s->as.tls, &r->as.tls, &handshake, 1, now_ns, &none);
}

static void
settle_http(struct talk_sent *s, char byte)
{
	struct talk_event none;

	if (byte != preface[s->held])
		s->protocol = TALK_HTTP1;
	else if (++s->held == PREFACE_LEN) {
		s->protocol = TALK_HTTP2;
		http2_sent(&s->as.http2, preface, PREFACE_LEN, &none);
	}
}

/* Where the protocol is not told by this byte, it is held. */
static void
sniff(struct talk_sent *s, const struct talk_received *r, char byte, uint64_t now_ns)
{
	if (s->held > 0 && s->is_handshake) {
		settle_tls(s, r, byte, now_ns);
	} else if (s->held == 0 && byte == HANDSHAKE && !r->has_begun) {
		s->is_handshake = true;
		s->held = 1;
	} else if (s->held == 0 && (r->has_begun || byte < 'A' || byte > 'Z')) {
		s->protocol = TALK_TURNS;
	} else {
		settle_http(s, byte);
	}
}

static size_t
replay(struct talk_sent *s, struct talk_event *e)
{
	while (s->replayed < s->held && e->what == TALK_NOTHING)
		s->replayed += (uint8_t)http1_sent(&s->as.http1, preface + s->replayed,
						   (size_t)(s->held - s->replayed), e);
	return 0;
}

static size_t
sent_as(struct talk_sent *s, const struct talk_received *r, const char *bytes, size_t size,
	uint64_t now_ns, struct talk_event *e)
{
	switch ((enum talk_protocol)s->protocol) {
	case TALK_HTTP1:
		return s->replayed < s->held ? replay(s, e)
					     : http1_sent(&s->as.http1, bytes, size, e);
	case TALK_HTTP2:
		return http2_sent(&s->as.http2, bytes, size, e);
	case TALK_TLS:
		return tls_sent(&s->as.tls, &r->as.tls, bytes, size, now_ns, e);
	default:
		return turn_sent(s, r, bytes, size, now_ns, e);
	}
}

size_t
talk_sent(struct talk_sent *s, const struct talk_received *r, const char *bytes, size_t size,
	  uint64_t now_ns, struct talk_event *e)
{
	size_t taken = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	if (bytes == NULL && s->protocol == TALK_UNKNOWN)
		s->protocol = TALK_TURNS;
	while (s->protocol == TALK_UNKNOWN && taken < size) {
		sniff(s, r, bytes[taken], now_ns);
		taken += s->protocol == TALK_UNKNOWN || s->protocol == TALK_HTTP2;
	}
	while (taken < size && e->what == TALK_NOTHING)
		taken += sent_as(s, r, bytes != NULL ? bytes + taken : NULL, size - taken, now_ns,
				 e);
	return taken;
}

/* Before the first question it is a greeting, which answers the connect. */
static size_t
turn_received(struct talk_received *r, const struct talk_sent *s, size_t size, struct talk_event *e)
{
	if (s->turns != r->turns || !r->has_begun)
		e->what = TALK_ANSWER;
	r->turns = s->turns;
	r->has_begun = true;
	return size;
}

size_t
talk_received(struct talk_received *r, const struct talk_sent *s, struct tls_tickets *learned,
	      const char *bytes, size_t size, uint64_t now_ns, struct talk_event *e)
{
	*e = (struct talk_event){.what = TALK_NOTHING};
	if (size == 0)
		return 0;
	switch ((enum talk_protocol)s->protocol) {
	case TALK_HTTP1:
		return http1_received(&r->as.http1, &s->as.http1, bytes, size, e);
	case TALK_HTTP2:
		return http2_received(&r->as.http2, &s->as.http2, bytes, size, e);
	case TALK_TLS:
		return tls_received(&r->as.tls, &s->as.tls, learned, bytes, size, now_ns, e);
	default:
		return turn_received(r, s, size, e);
	}
}
