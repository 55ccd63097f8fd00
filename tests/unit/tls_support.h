/*
 * A TLS connection as its records, fed to the reader: built by hand, or as recorded from
 * real programs (tests/unit/tls).
 */
#ifndef TESTS_UNIT_TLS_SUPPORT_H
#define TESTS_UNIT_TLS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/tls.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

struct tls_talk {
	struct tls_sent sent;
	struct tls_received received;
	struct tls_tickets *learned;
	uint64_t now_ns;
	size_t part;	    /* bytes that are fed at a time; 0: a record at a time */
	bool is_proven;	    /* an answer was certain, on this connection or an earlier one */
	unsigned questions; /* events, of this connection */
	unsigned answers;
	unsigned doubts;
	unsigned losses;
	enum talk_silence silence; /* as the last question said */
	bool is_one_way;	   /* the same */
};

static inline void
tls_talk_begin(struct tls_talk *t)
{
	memset(&t->sent, 0, sizeof(t->sent));
	memset(&t->received, 0, sizeof(t->received));
	t->now_ns = SECOND;
	t->questions = t->answers = t->doubts = t->losses = 0;
}

static inline void
tls_talk_note(struct tls_talk *t, const struct talk_event *e)
{
	t->questions += e->what == TALK_QUESTION;
	t->answers += e->what == TALK_ANSWER;
	t->doubts += e->what == TALK_DOUBT;
	t->losses += e->what == TALK_LOST;
	t->is_proven |= e->what == TALK_ANSWER;
	if (e->what == TALK_QUESTION) {
		t->silence = e->silence;
		t->is_one_way = e->is_one_way;
	}
}

/* From memory of just its size, so that a read behind its end is noticed. */
static inline void
tls_talk_feed(struct tls_talk *t, bool is_sent, const uint8_t *bytes, size_t size)
{
	size_t part = t->part > 0 ? t->part : size;

	for (size_t from = 0; from < size; from += part) {
		size_t n = size - from < part ? size - from : part, taken = 0;
		char *copy = malloc(n);

		assert_non_null(copy);
		memcpy(copy, bytes + from, n);
		while (taken < n) {
			struct talk_event e;
			size_t took =
				is_sent ? tls_sent(&t->sent, &t->received, copy + taken, n - taken,
						   t->now_ns, &e)
					: tls_received(&t->received, &t->sent, t->learned,
						       copy + taken, n - taken, t->now_ns, &e);

			assert_true(took > 0 && took <= n - taken);
			assert_true(took == n - taken || e.what != TALK_NOTHING);
			taken += took;
			tls_talk_note(t, &e);
		}
		free(copy);
	}
}

static inline void
tls_talk_record(struct tls_talk *t, bool is_sent, unsigned type, size_t length, const uint8_t *body)
{
	static uint8_t record[TLS_HEADER_BYTES + 20000];

	assert_true(length <= sizeof(record) - TLS_HEADER_BYTES);
	record[0] = (uint8_t)type;
	record[1] = record[2] = 3;
	record[3] = (uint8_t)(length >> 8);
	record[4] = (uint8_t)length;
	memset(record + TLS_HEADER_BYTES, 0, length);
	if (body)
		memcpy(record + TLS_HEADER_BYTES, body, length);
	tls_talk_feed(t, is_sent, record, TLS_HEADER_BYTES + length);
}

/* What the two hellos say. */
struct tls_words {
	const char *name; /* SNI; NULL: none */
	const char *alpn; /* the list as it is sent; NULL: none */
	unsigned version; /* chosen */
	unsigned cipher;  /* chosen */
	bool is_resumed;  /* offered and accepted */
	bool is_retry;	  /* the server asks for another ClientHello */
};

struct tls_bytes {
	uint8_t at[1024];
	size_t size;
};

static inline void
tls_put(struct tls_bytes *b, unsigned value, unsigned width)
{
	while (width-- > 0)
		b->at[b->size++] = (uint8_t)(value >> (8 * width));
}

static inline void
tls_put_text(struct tls_bytes *b, const char *text)
{
	for (; *text != '\0'; text++)
		tls_put(b, (uint8_t)*text, 1);
}

static inline void
tls_put_extension(struct tls_bytes *b, unsigned type, unsigned size)
{
	tls_put(b, type, 2);
	tls_put(b, size, 2);
}

static inline void
tls_put_client_extensions(struct tls_bytes *b, const struct tls_words *w)
{
	if (w->name) {
		unsigned size = (unsigned)strlen(w->name);

		tls_put_extension(b, 0, size + 5);
		tls_put(b, size + 3, 2);
		tls_put(b, size, 3);
		tls_put_text(b, w->name);
	}
	tls_put_extension(b, 23, 0);
	if (w->alpn) {
		unsigned size = (unsigned)strlen(w->alpn);

		tls_put_extension(b, 16, size + 2);
		tls_put(b, size, 2);
		tls_put_text(b, w->alpn);
	}
	if (w->is_resumed) {
		tls_put_extension(b, 41, 4);
		tls_put(b, 0, 4);
	}
}

static inline void
tls_put_server_extensions(struct tls_bytes *b, const struct tls_words *w)
{
	if (w->version == TLS_1_3) {
		tls_put_extension(b, 43, 2);
		tls_put(b, w->version, 2);
	}
	if (w->version == TLS_1_3 && w->is_resumed) {
		tls_put_extension(b, 41, 2);
		tls_put(b, 0, 2);
	}
	if (w->version != TLS_1_3 && w->alpn) {
		tls_put_extension(b, 16, (unsigned)strlen(w->alpn) + 2);
		tls_put(b, (unsigned)strlen(w->alpn), 2);
		tls_put_text(b, w->alpn);
	}
}

/* The client's random is 1 to 32. */
static inline void
tls_put_hello(struct tls_bytes *b, bool is_client, const struct tls_words *w)
{
	static const uint8_t retry[] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11};
	size_t sizes[2];

	memset(b, 0, sizeof(*b));
	tls_put(b, is_client ? 1 : 2, 1);
	sizes[0] = b->size;
	tls_put(b, 0, 3);
	tls_put(b, 0x0303, 2);
	for (unsigned i = 0; i < 32; i++)
		tls_put(b, !is_client && w->is_retry && i < sizeof(retry) ? retry[i] : i + 1, 1);
	tls_put(b, 0, 1);
	if (is_client)
		tls_put(b, 4, 2);
	tls_put(b, is_client ? 0x13011302 : w->cipher, is_client ? 4 : 2);
	tls_put(b, is_client ? 0x0100 : 0, is_client ? 2 : 1);
	sizes[1] = b->size;
	tls_put(b, 0, 2);
	(is_client ? tls_put_client_extensions : tls_put_server_extensions)(b, w);
	size_t all = b->size;

	b->size = sizes[0];
	tls_put(b, (unsigned)(all - sizes[0] - 3), 3);
	b->size = sizes[1];
	tls_put(b, (unsigned)(all - sizes[1] - 2), 2);
	b->size = all;
}

static inline void
tls_talk_hello(struct tls_talk *t, bool is_sent, const struct tls_words *w)
{
	struct tls_bytes b;

	tls_put_hello(&b, is_sent, w);
	tls_talk_record(t, is_sent, TLS_HANDSHAKE, b.size, b.at);
}

static inline void
tls_talk_data(struct tls_talk *t, bool is_sent, size_t length)
{
	tls_talk_record(t, is_sent, TLS_DATA, length, NULL);
}

static inline enum talk_silence
tls_talk_silence(const struct tls_talk *t)
{
	return tls_silence(&t->sent, &t->received, t->learned, 0, t->now_ns);
}

static inline bool
tls_talk_fails(const struct tls_talk *t)
{
	enum talk_silence silence = tls_talk_silence(t);

	return silence == SILENCE_FAILS || (silence == SILENCE_FAILS_IF_PROVEN && t->is_proven);
}

#endif
