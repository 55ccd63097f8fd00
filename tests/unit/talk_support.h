/*
 * A conversation that a reader of a protocol is fed with: whole, split in two at every
 * place, and byte by byte; what it says of it must be the same each time.
 */
#ifndef TESTS_UNIT_TALK_SUPPORT_H
#define TESTS_UNIT_TALK_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/talk_event.h"

/* sent and received are the reader's two structs. */
struct talk_reader {
	size_t (*sent)(void *sent, const char *bytes, size_t size, struct talk_event *e);
	size_t (*received)(void *received, const void *sent, const char *bytes, size_t size,
			   struct talk_event *e);
};

struct talk_piece {
	bool is_sent;
	const char *bytes; /* NULL: seen by number only */
	size_t size;
};

#define SENT(literal)                                                                              \
	{                                                                                          \
		true, literal, sizeof(literal) - 1                                                 \
	}
#define RECEIVED(literal)                                                                          \
	{                                                                                          \
		false, literal, sizeof(literal) - 1                                                \
	}
#define SENT_UNSEEN(size)                                                                          \
	{                                                                                          \
		true, NULL, size                                                                   \
	}
#define RECEIVED_UNSEEN(size)                                                                      \
	{                                                                                          \
		false, NULL, size                                                                  \
	}

#define TALK_TRACE_MAX 4096

struct talk_run {
	const struct talk_reader *reader;
	_Alignas(16) char sent[512], received[512];
	size_t sent_bytes, received_bytes;
	bool is_over;		    /* nothing that follows can be read */
	char what[TALK_TRACE_MAX];  /* the events, in words */
	char where[TALK_TRACE_MAX]; /* behind which byte of its side each came */
};

static inline void
talk_note(struct talk_run *run, const struct talk_piece *piece, const struct talk_event *e)
{
	static const char *const words[] = {
		[TALK_QUESTION] = "question", [TALK_ASKED] = "asked", [TALK_CANCEL] = "cancel",
		[TALK_ONE_WAY] = "one-way",   [TALK_FIRST] = "first", [TALK_ANSWER] = "answer",
		[TALK_DOUBT] = "doubt",	      [TALK_ABORT] = "abort", [TALK_UPGRADE] = "upgrade",
		[TALK_LOST] = "lost",
	};
	size_t len = strlen(run->what), at = strlen(run->where);

	assert_true(len + 40 < sizeof(run->what) && at + 20 < sizeof(run->where));
	len += (size_t)sprintf(run->what + len, "%s%s", len > 0 ? " " : "", words[e->what]);
	if (e->stream != 0)
		len += (size_t)sprintf(run->what + len, "#%u", (unsigned)e->stream);
	if (e->what == TALK_ANSWER || e->what == TALK_ABORT)
		sprintf(run->what + len, "=%u", (unsigned)e->status);
	run->is_over = e->what == TALK_LOST || e->what == TALK_UPGRADE;
	if (piece->bytes != NULL || !run->is_over)
		sprintf(run->where + at, "%s%zu", at > 0 ? " " : "",
			piece->is_sent ? run->sent_bytes : run->received_bytes);
}

static inline void
talk_feed(struct talk_run *run, const struct talk_piece *piece)
{
	size_t taken = 0;

	while (taken < piece->size && !run->is_over) {
		const char *rest = piece->bytes != NULL ? piece->bytes + taken : NULL;
		size_t size = piece->size - taken, n;
		struct talk_event e;

		if (piece->is_sent)
			n = run->reader->sent(run->sent, rest, size, &e);
		else
			n = run->reader->received(run->received, run->sent, rest, size, &e);
		assert_true(n > 0 && n <= size);
		assert_true(n == size || e.what != TALK_NOTHING);
		*(piece->is_sent ? &run->sent_bytes : &run->received_bytes) += n;
		taken += n;
		if (e.what != TALK_NOTHING)
			talk_note(run, piece, &e);
	}
}

/* The piece in parts of so many bytes; a copy of just its size shows a read behind its end. */
static inline void
talk_feed_parts(struct talk_run *run, const struct talk_piece *piece, size_t first, size_t others)
{
	size_t size = first, at = 0;

	while (at < piece->size) {
		struct talk_piece part = *piece;
		char copy[1 << 17];

		part.size = piece->size - at < size ? piece->size - at : size;
		assert_true(part.size <= sizeof(copy));
		if (piece->bytes != NULL)
			part.bytes = memcpy(copy + sizeof(copy) - part.size, piece->bytes + at,
					    part.size);
		talk_feed(run, &part);
		at += part.size;
		size = others;
	}
}

/* Every piece whole, but the one of this number in two; SIZE_MAX: every one byte by byte. */
static inline void
talk_run(struct talk_run *run, const struct talk_reader *reader, const struct talk_piece *pieces,
	 size_t count, size_t which, size_t split)
{
	memset(run, 0, sizeof(*run));
	run->reader = reader;
	for (size_t i = 0; i < count; i++) {
		if (which == SIZE_MAX)
			talk_feed_parts(run, &pieces[i], 1, 1);
		else
			talk_feed_parts(run, &pieces[i], i == which ? split : SIZE_MAX, SIZE_MAX);
	}
}

static inline void
talk_assert_same(const struct talk_run *run, const struct talk_run *whole)
{
	assert_string_equal(run->what, whole->what);
	assert_string_equal(run->where, whole->where);
}

/* Both lists have a word for each event; where NULL: wherever. */
static inline void
talk_assert_at(const struct talk_reader *reader, const struct talk_piece *pieces, size_t count,
	       const char *what, const char *where)
{
	struct talk_run whole, run;

	talk_run(&whole, reader, pieces, count, 0, SIZE_MAX);
	assert_string_equal(whole.what, what);
	if (where != NULL)
		assert_string_equal(whole.where, where);
	talk_run(&run, reader, pieces, count, SIZE_MAX, 1);
	talk_assert_same(&run, &whole);
	for (size_t i = 0; i < count; i++)
		for (size_t split = 1; split < pieces[i].size && split < 2000; split++) {
			talk_run(&run, reader, pieces, count, i, split);
			talk_assert_same(&run, &whole);
		}
}

#endif
