/*
 * A conversation out of any bytes: one for how it is split, two for the size of what is
 * sent (big-endian), what is sent, and what is received.
 *
 * Readers take no more than they are given, and something of it; they make the same events
 * behind the same bytes however it is split, and what was seen by number only does no harm.
 */
#ifndef FUZZ_TALK_H
#define FUZZ_TALK_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/talk_event.h"

/* both is the reader's two structs in one. */
struct talk_reader {
	size_t (*sent)(void *both, const char *bytes, size_t size, struct talk_event *e);
	size_t (*received)(void *both, const char *bytes, size_t size, struct talk_event *e);
};

struct talk_run {
	const struct talk_reader *reader;
	_Alignas(16) char both[512];
	uint64_t events; /* a number for all that was told, and where */
	bool is_over;
};

typedef size_t part_size(size_t at, unsigned seed);

static inline void
talk_note(struct talk_run *run, const struct talk_event *e, size_t at)
{
	const uint64_t told[] = {at, (uint64_t)e->what, (uint64_t)e->silence, e->stream, e->status};

	assert(e->what <= TALK_LOST && e->status <= 999);
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		run->events = (run->events ^ told[i]) * UINT64_C(0x100000001b3);
	run->is_over = e->what == TALK_LOST || e->what == TALK_UPGRADE;
}

/* A part in memory of just its size, so that a read behind its end is noticed. */
static inline void
talk_feed(struct talk_run *run, bool is_sent, const char *bytes, size_t size, size_t at)
{
	char *copy = malloc(size);

	if (!copy)
		abort();
	if (bytes)
		memcpy(copy, bytes, size);
	for (size_t taken = 0; taken < size && !run->is_over;) {
		const char *rest = bytes ? copy + taken : NULL;
		struct talk_event e;
		size_t n = (is_sent ? run->reader->sent : run->reader->received)(run->both, rest,
										 size - taken, &e);

		assert(n > 0 && n <= size - taken);
		taken += n;
		assert(taken == size || e.what != TALK_NOTHING);
		if (e.what != TALK_NOTHING)
			talk_note(run, &e, at + taken);
	}
	free(copy);
}

static inline void
talk_side(struct talk_run *run, bool is_sent, const char *bytes, size_t size, part_size *part,
	  unsigned seed)
{
	for (size_t at = 0; at < size && !run->is_over;) {
		size_t n = part(at, seed);

		n = n < size - at ? n : size - at;
		talk_feed(run, is_sent, bytes + at, n, at);
		at += n;
	}
}

static inline size_t
part_whole(size_t at, unsigned seed)
{
	(void)at;
	(void)seed;
	return SIZE_MAX;
}

static inline size_t
part_byte(size_t at, unsigned seed)
{
	(void)at;
	(void)seed;
	return 1;
}

static inline size_t
part_odd(size_t at, unsigned seed)
{
	return 1 + (at * 7 + seed) % (seed + 2);
}

static inline uint64_t
talk_events(const struct talk_reader *reader, const char *bytes, size_t sent, size_t received,
	    part_size *part, unsigned seed)
{
	struct talk_run run = {.reader = reader};

	talk_side(&run, true, bytes, sent, part, seed);
	talk_side(&run, false, bytes + sent, received, part, seed);
	return run.events;
}

/* As where a program sends its bodies by sendfile(). */
static inline void
talk_unseen(const struct talk_reader *reader, const char *bytes, size_t sent, size_t received,
	    unsigned seed)
{
	struct talk_run run = {.reader = reader};
	size_t seen_sent = sent > seed ? sent - seed : sent;
	size_t seen_received = received > seed ? received - seed : received;

	talk_side(&run, true, bytes, seen_sent, part_whole, seed);
	talk_feed(&run, true, NULL, sent - seen_sent + 1, seen_sent);
	run.is_over = false;
	talk_side(&run, false, bytes + sent, seen_received, part_whole, seed);
	talk_feed(&run, false, NULL, received - seen_received + 1, seen_received);
}

static inline void
talk_fuzz(const struct talk_reader *reader, const uint8_t *data, size_t size)
{
	if (size < 3)
		return;
	const char *bytes = (const char *)data + 3;
	size_t sent = (size_t)(data[1] << 8 | data[2]);

	size -= 3;
	sent = sent < size ? sent : size;
	uint64_t whole = talk_events(reader, bytes, sent, size - sent, part_whole, 0);

	assert(talk_events(reader, bytes, sent, size - sent, part_byte, 0) == whole);
	assert(talk_events(reader, bytes, sent, size - sent, part_odd, data[0]) == whole);
	talk_unseen(reader, bytes, sent, size - sent, data[0]);
}

#endif
