#include "core/answer.h"

#include <string.h>

#include "core/text.h"

const char answer_default_message[] =
	"{dependency} is temporarily unavailable (circuit open: {reason}). Do not retry now. "
	"Proceed without it, use an alternative, or escalate with what you have. "
	"Next check in {retry_in}.";

#define SECOND_NS UINT64_C(1000000000)

static void
put_failed_share(struct text *t, const struct breaker_config *c, const struct breaker_snapshot *now)
{
	uint32_t failed = now->trip_failed, total = now->trip_total;

	if (total == 0 || failed == 0 || failed > total) {
		text_string(t, "at least ");
		text_share(t, c->failure_permille);
		text_string(t, " of the calls failed");
		return;
	}
	if (failed == total && total > 1)
		text_string(t, "all ");
	else if (failed * UINT64_C(2) == total)
		text_string(t, "half of ");
	else
		text_format(t, "%u of ", failed);
	text_format(t, total == 1 ? "%u call failed" : "%u calls failed", total);
}

static void
put_count_in_a_row(struct text *t, const struct breaker_config *c)
{
	bool is_one = c->consecutive == 1;

	if (c->latency_ns > 0)
		text_format(t,
			    is_one ? "%u failed or slow call" : "%u failed or slow calls in a row",
			    c->consecutive);
	else
		text_format(t, is_one ? "%u failure" : "%u failures in a row", c->consecutive);
}

/* What made it trip, or what kept it open. */
static void
put_reason(struct text *t, const struct settings *s, const struct breaker_snapshot *now)
{
	const struct breaker_config *c = &s->breaker;

	switch (now->reason) {
	case REASON_CONSECUTIVE:
		put_count_in_a_row(t, c);
		break;
	case REASON_FAILURE_RATE:
		put_failed_share(t, c, now);
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
		text_string(t, now->held ? "held open by hand" : "opened by hand");
		break;
	default:
		text_string(t, "recovering");
		return;
	}
	if (now->recovering)
		text_string(t, ", recovering");
}

/* In words for people: whole seconds, the last one "under 1s". */
static void
put_retry_in(struct text *t, const struct breaker_snapshot *now)
{
	uint64_t seconds = (now->retry_in_ns + SECOND_NS / 2) / SECOND_NS;

	if (now->held)
		text_string(t, "an unknown time");
	else if (seconds == 0)
		text_string(t, "under 1s");
	else if (seconds < 120)
		text_format(t, "%us", (unsigned)seconds);
	else
		text_format(t, "%um", (unsigned)((seconds + 30) / 60));
}

static void
put_dependency(struct text *t, const char *breaker)
{
	text_plain(t, breaker, strcspn(breaker, "/"));
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
		put_dependency(t, breaker);
	else if (i == 1)
		text_plain(t, slash != NULL ? slash + 1 : "",
			   slash != NULL ? strlen(slash + 1) : 0);
	else if (i == 2)
		put_reason(t, s, now);
	else
		put_retry_in(t, now);
	return len;
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
		const char *brace;

		if (taken == 0) {
			brace = memchr(rest.at + 1, '{', rest.len - 1);
			taken = brace != NULL ? (size_t)(brace - rest.at) : rest.len;
			text_plain(&t, rest.at, taken);
		}
		rest.at += taken;
		rest.len -= (uint32_t)taken;
	}
	return t.len;
}

/* " carrier's fallbacks a.example and b.example are unavailable as well." */
static void
put_fallbacks(struct text *t, const struct answer_fallbacks *f, const char *breaker)
{
	text_string(t, " ");
	put_dependency(t, breaker);
	text_string(t, f->count > 1 ? "'s fallbacks " : "'s fallback ");
	for (unsigned i = 0; i < f->count; i++) {
		if (i > 0)
			text_string(t, i + 1 < f->count ? ", " : " and ");
		text_plain(t, f->names[i].at, f->names[i].len);
	}
	text_string(t, f->count > 1 ? " are unavailable as well." : " is unavailable as well.");
}

size_t
answer_message_without(const struct answer_fallbacks *f, const struct settings *s,
		       const char *breaker, const struct breaker_snapshot *now, char *out,
		       size_t size)
{
	char sentence[ANSWER_TEXT_MAX];
	struct text t =
		text_over(sentence, size / 2 < sizeof(sentence) ? size / 2 + 1 : sizeof(sentence));
	struct text rest;
	size_t len;

	put_fallbacks(&t, f, breaker);
	len = answer_message(s, breaker, now, out, size - t.len);
	rest = text_over(out + len, size - len);
	text_bytes(&rest, sentence, t.len);
	return len + rest.len;
}

size_t
answer_reason(const struct settings *s, const struct breaker_snapshot *now, char *out, size_t size)
{
	struct text t = text_over(out, size);

	put_reason(&t, s, now);
	return t.len;
}
