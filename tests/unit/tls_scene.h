/* One connection, made by hand, and what a test says of it. */
#ifndef TESTS_UNIT_TLS_SCENE_H
#define TESTS_UNIT_TLS_SCENE_H

#include "tests/unit/tls_support.h"

#define FINISHED 69
#define GET 200
#define PAUSE (1200 * MS)

static struct tls_tickets learned;
static struct tls_talk t;

static const struct tls_words plain = {
	.name = "api.carrier.example", .version = TLS_1_3, .cipher = 0x1302};

static inline int
fresh(void **state)
{
	(void)state;
	memset(&learned, 0, sizeof(learned));
	memset(&t, 0, sizeof(t));
	t.learned = &learned;
	tls_talk_begin(&t);
	return 0;
}

static inline void
sends(size_t length)
{
	t.now_ns += MS;
	tls_talk_data(&t, true, length);
}

static inline void
gets(size_t length)
{
	t.now_ns += MS;
	tls_talk_data(&t, false, length);
}

static inline void
hellos(const struct tls_words *w)
{
	tls_talk_begin(&t);
	tls_talk_hello(&t, true, w);
	t.now_ns += MS;
	tls_talk_hello(&t, false, w);
}

/* As OpenSSL does it: extensions, certificate, its proof, Finished. */
static inline void
shakes_hands(const struct tls_words *w)
{
	hellos(w);
	if (w->version == TLS_1_3) {
		gets(23);
		if (!w->is_resumed) {
			gets(2374);
			gets(281);
		}
		gets(FINISHED);
		sends(FINISHED);
	} else {
		tls_talk_record(&t, true, TLS_CHANGE_CIPHER, 1, NULL);
		tls_talk_record(&t, true, TLS_HANDSHAKE, 40, NULL);
		tls_talk_record(&t, false, TLS_CHANGE_CIPHER, 1, NULL);
		tls_talk_record(&t, false, TLS_HANDSHAKE, 40, NULL);
	}
	assert_true(t.sent.is_finished);
	assert_int_equal(t.questions, 0);
}

static inline void
waits(void)
{
	t.now_ns += 2 * SECOND;
}

static inline enum talk_silence
silence(void)
{
	return tls_talk_silence(&t);
}

static inline enum tls_answered
closed_by(bool server)
{
	return tls_was_answered(&t.sent, &t.received, &learned, server, t.now_ns);
}

static inline void
asks_and_is_answered(size_t times)
{
	while (times-- > 0) {
		t.now_ns += 100 * MS;
		sends(GET);
		gets(150);
		gets(27);
	}
}

#endif
