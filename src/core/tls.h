/*
 * TLS as it passes a socket, for programs whose TLS library cannot be hooked.  Types and
 * lengths of records are all there is to see: which of them begin a question is certain
 * (what the client sends after its Finished), which of them are an answer often is not.
 * Session tickets (TLS 1.3) and the SETTINGS of HTTP/2 are records like an answer.
 *
 * What silence says is judged by three rules, all of which need TALK_ANSWER to have come
 * from the same dependency before, on this connection or another one:
 *   1. no record since the first question of a connection;
 *   2. no record since a later one that began while nothing else was under way, was sent in
 *      one burst and was like those before it, two of which or more were answered;
 *   3. since the first question the server's tickets, as learned from answered connections
 *      (tls_tickets.h), all of them and nothing more.
 * Not judged: HTTP/2 once the server has sent anything; tickets that are not known; a
 * connection on which questions were sent in pieces over time; early data.
 *
 * Moments are monotonic and do not go back from call to call.  Both sides of a connection
 * are used under one lock of the caller's; struct tls_tickets needs none.
 */
#ifndef CORE_TLS_H
#define CORE_TLS_H

#include "core/talk_event.h"
#include "core/tls_hello.h"
#include "core/tls_record.h"
#include "core/tls_tickets.h"

/* For the caller to set: server.  To read: hello (random: 0 until it passed), is_finished. */
struct tls_sent {
	struct tls_hello hello;
	uint64_t mark;	      /* bytes received, or waiting, when the question at hand began */
	uint64_t asked_ns;    /* when that was */
	uint64_t sent_ns;     /* its last record, or the last one before it */
	uint32_t server;      /* any number that tells servers apart, such as of the address */
	uint32_t asked;	      /* questions so far, the number of the one at hand */
	uint32_t handshake;   /* bytes of it, of both directions */
	uint32_t finished_at; /* bytes received when the client's Finished was sent */
	struct tls_record record;
	uint16_t bytes;	   /* length of the first record of the question at hand */
	uint16_t largest;  /* of the questions before it */
	uint16_t smallest; /* likewise */
	uint8_t before;	   /* records between ServerHello and Finished: a certificate */
	bool is_lost;	   /* cannot be read any further */
	bool has_retried;  /* the second ClientHello was begun */
	bool has_changed;  /* the cipher (CCS) */
	bool is_finished;  /* the handshake is over as far as the client goes */
	bool is_clear;	   /* the question at hand began while nothing was under way */
	bool is_late;	   /* and long after what was sent before it */
	bool goes_one_way; /* a question was not sent in one burst */
};

/* To read: hello (version, cipher, has_psk: a session of TLS 1.3 was taken up again). */
struct tls_received {
	struct tls_hello hello;
	uint64_t read;	   /* bytes */
	uint64_t begun;	   /* where the last record of data began, plus 1; 0: none since Finished */
	uint64_t run_ns;   /* when the first of the run came */
	uint64_t last_ns;  /* when the last record of data came */
	uint32_t answered; /* number of the last question that was answered for certain */
	struct tls_record record;
	uint16_t first;	    /* length of the first encrypted record */
	uint16_t last;	    /* and of the last one before the client's Finished */
	uint8_t flight;	    /* how many these were, saturating */
	uint8_t turns;	    /* questions that were answered for certain, saturating */
	struct tls_run run; /* the records after Finished, while they are of one length */
	bool is_lost;
	bool is_mixed;	  /* they are not */
	bool is_uneven;	  /* they are nearly, see tls_tickets_are_near() */
	bool has_control; /* or one was an alert or a KeyUpdate, to judge by its length */
};

_Static_assert(sizeof(struct tls_sent) <= 96 && sizeof(struct tls_received) <= 96, "small");

/*
 * TALK_QUESTION with the last byte of the header of a question's first record; silence is
 * what tls_silence() says by then.  One that comes while the earlier question is in doubt
 * says that this was answered.  TALK_LOST: it is no TLS, or not from its beginning.
 */
size_t tls_sent(struct tls_sent *s, const struct tls_received *r, const char *bytes, size_t size,
		uint64_t now_ns, struct talk_event *e);

/*
 * After TALK_QUESTION, before it is written: bytes wait in the kernel to be read (FIONREAD).
 * They are no answer to it.
 */
void tls_waits(struct tls_sent *s, size_t bytes);

/*
 * TALK_ANSWER (status 0) with the header of a record that cannot be anything else,
 * TALK_DOUBT with one that may be: if it is, it is the first byte of the answer.  Learns
 * from answers; learned may be NULL.  TALK_LOST as above.
 */
size_t tls_received(struct tls_received *r, const struct tls_sent *s, struct tls_tickets *learned,
		    const char *bytes, size_t size, uint64_t now_ns, struct talk_event *e);

/*
 * What it would mean if the question at hand got no answer, by what is known now:
 * SILENCE_FAILS (rule 2, which has its proof on the connection), SILENCE_FAILS_IF_PROVEN
 * (rules 1 and 3; that the program waits is no proof: every client of TLS does), else
 * SILENCE_SAYS_NOTHING, also where it was answered or nothing was asked.  Cheap; for the
 * moment when the client gives up, or a limit is near.  waiting: bytes that wait to be
 * read.  Whether the client has waited for long enough is the caller's to judge: a second.
 */
enum talk_silence tls_silence(const struct tls_sent *s, const struct tls_received *r,
			      const struct tls_tickets *learned, size_t waiting, uint64_t now_ns);

/* The last record that was sent has the length of an alert: a client that leaves in order. */
bool tls_says_goodbye(const struct tls_sent *s, const struct tls_received *r);

enum tls_answered { TLS_UNANSWERED, TLS_ANSWERED, TLS_UNKNOWN };

/*
 * At the end of a connection: whether the question at hand was answered.  TLS_ANSWERED may
 * be inferred, from a client that leaves within a second after a record that may be an
 * answer, or a server that ends the stream after it: then it is an outcome, but no proof
 * that the dependency answers.  TLS_UNANSWERED: tls_silence() tells what that means.
 * TLS_UNKNOWN: neutral.
 */
enum tls_answered tls_was_answered(const struct tls_sent *s, const struct tls_received *r,
				   const struct tls_tickets *learned, bool server_ended,
				   uint64_t now_ns);

#endif
