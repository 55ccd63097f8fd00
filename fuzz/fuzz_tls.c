/*
 * Any bytes as both sides of a TLS connection, in turns: each has one byte for who speaks
 * and how much time passes, two for its size (big-endian), and what is said.
 *
 * Readers take no more than they are given, and something of it; they tell the same and come
 * to the same state however it is split; the judgements never contradict each other.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/tls.h"

#define TURN_BYTES 3
#define IS_SENT 1
#define IS_UNSEEN 2
#define WAITS 4

struct connection {
	struct tls_sent sent;
	struct tls_received received;
	struct tls_tickets learned;
	uint64_t now_ns;
	uint64_t events; /* a number for all that was told */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
judge(const struct connection *c)
{
	enum talk_silence silence = tls_silence(&c->sent, &c->received, &c->learned, 0, c->now_ns);
	enum tls_answered answered =
		tls_was_answered(&c->sent, &c->received, &c->learned, false, c->now_ns);

	assert(silence <= SILENCE_FAILS && answered <= TLS_UNKNOWN);
	assert(silence == SILENCE_SAYS_NOTHING || answered == TLS_UNANSWERED);
	assert(silence == SILENCE_SAYS_NOTHING || c->sent.asked > 0);
	assert(c->received.answered <= c->sent.asked);
	assert(tls_silence(&c->sent, &c->received, &c->learned, 1, c->now_ns) ==
	       SILENCE_SAYS_NOTHING);
}

static void
note(struct connection *c, const struct talk_event *e, bool is_sent)
{
	assert(e->what <= TALK_LOST);
	assert(is_sent ? e->what != TALK_ANSWER && e->what != TALK_DOUBT
		       : e->what != TALK_QUESTION);
	c->events = (c->events ^ (uint64_t)e->what ^ (uint64_t)e->silence << 8) *
		    UINT64_C(0x100000001b3);
}

/* A part in memory of just its size, so that a read behind its end is noticed. */
static void
feed(struct connection *c, bool is_sent, const uint8_t *bytes, size_t size)
{
	char *copy = malloc(size);

	if (!copy)
		abort();
	if (bytes)
		memcpy(copy, bytes, size);
	for (size_t taken = 0; taken < size;) {
		const char *rest = bytes ? copy + taken : NULL;
		struct talk_event e;
		size_t n = is_sent ? tls_sent(&c->sent, &c->received, rest, size - taken, c->now_ns,
					      &e)
				   : tls_received(&c->received, &c->sent, &c->learned, rest,
						  size - taken, c->now_ns, &e);

		assert(n > 0 && n <= size - taken);
		taken += n;
		assert(taken == size || e.what != TALK_NOTHING);
		if (e.what != TALK_NOTHING) {
			note(c, &e, is_sent);
			judge(c);
		}
	}
	free(copy);
}

static void
turn(struct connection *c, unsigned how, const uint8_t *bytes, size_t size, size_t part)
{
	uint32_t asked = c->sent.asked;

	c->now_ns += (uint64_t)(how >> 3) * UINT64_C(50000000);
	for (size_t at = 0; at < size; at += part) {
		size_t n = size - at < part ? size - at : part;

		feed(c, (how & IS_SENT) != 0, (how & IS_UNSEEN) != 0 ? NULL : bytes + at, n);
	}
	if ((how & WAITS) != 0 && c->sent.asked != asked)
		tls_waits(&c->sent, 10);
	judge(c);
}

static void
run(struct connection *c, const uint8_t *data, size_t size, size_t part)
{
	memset(c, 0, sizeof(*c));
	c->now_ns = UINT64_C(1000000000);
	for (size_t at = 0; at + TURN_BYTES <= size;) {
		size_t said = (size_t)(data[at + 1] << 8 | data[at + 2]);
		size_t left = size - at - TURN_BYTES;

		said = said < left ? said : left;
		turn(c, data[at], data + at + TURN_BYTES, said, part);
		at += TURN_BYTES + said;
	}
}

static void
check_same(const struct connection *a, const struct connection *b)
{
	assert(a->events == b->events);
	assert(a->sent.is_lost == b->sent.is_lost && a->received.is_lost == b->received.is_lost);
	if (!a->sent.is_lost && !a->received.is_lost)
		assert(memcmp(a, b, sizeof(*a)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t parts[] = {1, 100};
	struct connection whole, split;

	run(&whole, data, size, SIZE_MAX);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		run(&split, data, size, parts[i]);
		check_same(&split, &whole);
	}
	return 0;
}
