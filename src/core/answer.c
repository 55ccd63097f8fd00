#include "core/answer.h"

#include <string.h>

#include "core/text.h"

const char answer_default_message[] =
	"{dependency} is temporarily unavailable (circuit open: {reason}). Do not retry now. "
	"Proceed without it, use an alternative, or escalate with what you have. "
	"Next check in {retry_in}.";

#define SECOND_NS UINT64_C(1000000000)

/* What made it trip, or what kept it open. */
static void
put_reason(struct text *t, const struct settings *s, const struct breaker_snapshot *now)
{
	const struct breaker_config *c = &s->breaker;

	switch (now->reason) {
	case REASON_CONSECUTIVE:
		text_format(t,
			    c->latency_ns > 0 ? "%u failed or slow calls in a row"
					      : "%u failures in a row",
			    c->consecutive);
		break;
	case REASON_FAILURE_RATE:
		text_share(t, c->failure_permille);
		text_string(t, " of the calls or more failed");
		break;
	case REASON_LATENCY:
		text_string(t, "answers take over ");
		text_duration(t, c->latency_ns);
		break;
	case REASON_PROBE_FAILED:
		text_string(t, "the last check failed");
		break;
	case REASON_LEASE_EXPIRED:
		text_string(t, "the last check got no answer");
		break;
	case REASON_LATE_FAILURE:
		text_string(t, "calls still fail");
		break;
	case REASON_MANUAL:
		text_string(t, "held open by hand");
		break;
	default:
		text_string(t, "recovering");
		break;
	}
	if (now->recovering && now->reason != REASON_PROBE_OK)
		text_string(t, ", recovering");
}

/* In words for people: whole seconds, the last one "under 1s". */
static void
put_retry_in(struct text *t, const struct breaker_snapshot *now)
{
	uint64_t seconds = (now->retry_in_ns + SECOND_NS / 2) / SECOND_NS;

	if (seconds == 0)
		text_string(t, "under 1s");
	else if (seconds < 120)
		text_format(t, "%us", (unsigned)seconds);
	else
		text_format(t, "%um", (unsigned)((seconds + 30) / 60));
}

/* Puts the value of the placeholder at the start of rest; its length, 0 when it is none. */
static size_t
put_value(struct text *t, struct span rest, const struct settings *s, const char *breaker,
	  const struct breaker_snapshot *now)
{
	const char *slash = strchr(breaker, '/');
	static const char *const names[] = {"{dependency}", "{region}", "{reason}", "{retry_in}"};
	size_t len = 0;
	unsigned i;

	for (i = 0; i < 4; i++) {
		len = strlen(names[i]);
		if (rest.len >= len && memcmp(rest.at, names[i], len) == 0)
			break;
	}
	if (i == 4)
		return 0;
	if (i == 0)
		text_bytes(t, breaker, slash != NULL ? (size_t)(slash - breaker) : strlen(breaker));
	else if (i == 1)
		text_string(t, slash != NULL ? slash + 1 : "");
	else if (i == 2)
		put_reason(t, s, now);
	else
		put_retry_in(t, now);
	return len;
}

/* Takes away the bytes of a character that was cut in the middle. */
static void
end_whole(struct text *t)
{
	size_t back = 0;

	while (back < t->len && back < 4 && ((uint8_t)t->at[t->len - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back == t->len)
		return;
	uint8_t lead = (uint8_t)t->at[t->len - 1 - back];
	size_t needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;

	if (needs > back + 1)
		t->len -= back + 1;
	t->at[t->len] = '\0';
}

size_t
answer_message(const struct settings *s, const char *breaker, const struct breaker_snapshot *now,
	       char *out, size_t size)
{
	struct span rest = s->message;
	struct text t = text_over(out, size);

	if (rest.len == 0)
		rest = (struct span){answer_default_message, sizeof(answer_default_message) - 1};
	while (rest.len > 0) {
		size_t taken = *rest.at == '{' ? put_value(&t, rest, s, breaker, now) : 0;

		if (taken == 0) {
			char c = *rest.at;

			/* A control character would end a line or hide text. */
			if ((uint8_t)c < 0x20 || c == 0x7f)
				c = ' ';
			text_bytes(&t, &c, 1);
			taken = 1;
		}
		rest.at += taken;
		rest.len -= (uint32_t)taken;
	}
	end_whole(&t);
	return t.len;
}

size_t
answer_reason(const struct settings *s, const struct breaker_snapshot *now, char *out, size_t size)
{
	struct text t = text_over(out, size);

	put_reason(&t, s, now);
	return t.len;
}
