/*
 * How each server's session tickets look from outside (TLS 1.3): so many records of the
 * same length after the client's Finished.  They are learned from answered connections,
 * since nothing else tells a ticket from an answer.
 *
 * Kept apart by key, which stands for the server, the names asked for, the cipher and
 * whether a client certificate was sent, and by whether a session was taken up again.
 *
 * One for a process, all zero at first.  Each entry is one word: any number of threads may
 * use it at once, without a lock; two that learn at the same time may lose one observation,
 * as may two keys that fall on the same entry.
 */
#ifndef CORE_TLS_TICKETS_H
#define CORE_TLS_TICKETS_H

#include "core/atomics.h"

#include <stddef.h>

#define TLS_SERVERS_MAX 64

struct tls_tickets {
	atomic_u64 words[TLS_SERVERS_MAX][2]; /* of full handshakes, of resumed ones */
};

struct tls_run {
	uint16_t length; /* of each record */
	uint8_t count;	 /* records; 0: no tickets come */
};

/*
 * How an observed run is known to be tickets and no piece of the answer: it is not; it
 * was followed by a gap that only an answer makes; it was there before the question.
 */
enum tls_evidence { TLS_EVIDENCE_NONE, TLS_EVIDENCE_GAP, TLS_EVIDENCE_EARLY };

void tls_tickets_learn(struct tls_tickets *t, uint64_t key, bool is_resumed, struct tls_run run,
		       enum tls_evidence evidence);

/* A session of this server was taken up again: so it does send tickets. */
void tls_tickets_resumed(struct tls_tickets *t, uint64_t key);

/*
 * True: the run is known; *run is what comes before an answer on such a connection.  What
 * was contradicted once has to be learned anew, what was contradicted twice is never known.
 */
bool tls_tickets_known(const struct tls_tickets *t, uint64_t key, bool is_resumed,
		       struct tls_run *run);

/*
 * A record of this length looks like the tickets that were seen in twos or more from this
 * server, or that are known.
 */
bool tls_tickets_are_like(const struct tls_tickets *t, uint64_t key, uint16_t length);

/* As long as another one, or one block of the cipher more or less, as OpenSSL's may be. */
bool tls_tickets_are_near(uint16_t length, uint16_t other);

#endif
