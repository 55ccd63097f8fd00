#include "core/tls.h"
#include "core/tls_kind.h"

/* Answered questions on a connection that show how it is used. */
#define TURNS_ENOUGH 2

/* Above this, earlier questions are no measure for how small the next one may be. */
#define LARGE_BYTES 512

/* Rule 3: the server's tickets, all of them, and nothing else. */
static bool
has_only_tickets(const struct tls_sent *s, const struct tls_received *r,
		 const struct tls_tickets *learned)
{
	struct tls_run known;

	if (!learned || !tls_is_1_3(r) || tls_may_be_h2(s, r) || r->is_uneven || r->has_control ||
	    r->record.left > 0)
		return false;
	return tls_tickets_known(learned, tls_key(s, r), r->hello.has_psk, &known) &&
	       known.count > 0 && r->run.count == known.count && r->run.length == known.length;
}

bool
tls_is_like_those_before(const struct tls_sent *s)
{
	uint16_t enough = s->largest < LARGE_BYTES ? s->largest : LARGE_BYTES;
	uint16_t least = s->bytes < s->smallest ? s->bytes : s->smallest;

	return 2 * least >= enough && s->bytes <= 2 * s->largest;
}

enum talk_silence
tls_silence(const struct tls_sent *s, const struct tls_received *r,
	    const struct tls_tickets *learned, size_t waiting, uint64_t now_ns)
{
	bool has_record = r->begun > s->mark;
	bool is_burst = s->sent_ns - s->asked_ns <= TLS_BURST_NS;

	if (s->asked == 0 || s->is_lost || r->is_lost || r->answered == s->asked)
		return SILENCE_SAYS_NOTHING;
	if (waiting > 0 || r->record.have > 0)
		return SILENCE_SAYS_NOTHING;
	/* The client may still have been sending. */
	if (!is_burst && now_ns - s->sent_ns < TLS_PAUSE_NS)
		return SILENCE_SAYS_NOTHING;
	if (s->asked == 1)
		return !has_record || has_only_tickets(s, r, learned) ? SILENCE_FAILS_IF_PROVEN
								      : SILENCE_SAYS_NOTHING;
	if (has_record || !s->is_clear || !is_burst || s->goes_one_way || r->turns < TURNS_ENOUGH ||
	    !tls_is_like_those_before(s))
		return SILENCE_SAYS_NOTHING;
	return SILENCE_FAILS;
}

enum tls_answered
tls_was_answered(const struct tls_sent *s, const struct tls_received *r,
		 const struct tls_tickets *learned, bool server_ended, uint64_t now_ns)
{
	bool is_soon = now_ns - r->last_ns < TLS_PAUSE_NS;

	if (s->asked > 0 && r->answered == s->asked)
		return TLS_ANSWERED;
	if (s->asked == 0 || r->begun <= s->mark || has_only_tickets(s, r, learned))
		return r->record.have > 0 ? TLS_UNKNOWN : TLS_UNANSWERED;
	if (tls_may_be_h2(s, r))
		return TLS_UNKNOWN;
	/* Two of a length are tickets more often than not, as is what looks like one. */
	if (r->run.count != 1 ||
	    (learned && tls_tickets_are_like(learned, tls_key(s, r), r->run.length)))
		return TLS_UNKNOWN;
	return is_soon || server_ended ? TLS_ANSWERED : TLS_UNKNOWN;
}
