/*
 * What the bytes of a connection say about questions and answers: the vocabulary that
 * all readers of protocols share (http1.h, http2.h, tls.h), each of which is two plain
 * structs, one for what the program sends and one for what it receives.
 *
 * A reader is fed with bytes as they pass, split anywhere, and returns how many it took:
 * up to and with the byte that made the event, or all of them with TALK_NOTHING.  Bytes
 * that were seen by number only (sendfile, splice) are NULL.  All zero is a reader that
 * has read nothing.  The side that sends may be copied, fed, and put back as it was when
 * the system call then wrote less.
 */
#ifndef CORE_TALK_EVENT_H
#define CORE_TALK_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum talk_what {
	TALK_NOTHING,
	TALK_QUESTION, /* sent: a question begins with this byte */
	TALK_ASKED,    /* sent: it is complete, the answer is the other side's turn */
	TALK_CANCEL,   /* sent: the program wants no answer any more */
	TALK_ONE_WAY,  /* sent: what was asked may need no answer, nor what follows by turns */
	TALK_FIRST,    /* received: the first byte of an answer */
	TALK_ANSWER,   /* received: it is an answer, with this status where one can be read */
	TALK_DOUBT,    /* received: may be an answer or not; silence says nothing from now on */
	TALK_ABORT,    /* received: there will be no answer; status 1: the dependency's fault */
	TALK_UPGRADE,  /* either: what follows on both sides is another protocol */
	TALK_LOST      /* either: cannot be read any further */
};

/* What it means when a question stays without an answer. */
enum talk_silence {
	SILENCE_SAYS_NOTHING,
	SILENCE_FAILS_IF_AWAITED, /* a failure where the program was seen to wait for it */
	SILENCE_FAILS_IF_PROVEN,  /* or where the dependency was seen to answer before */
	SILENCE_FAILS
};

struct talk_event {
	enum talk_what what;
	enum talk_silence silence; /* TALK_QUESTION */
	bool is_one_way; /* TALK_QUESTION: may need none, so that a late one says nothing */
	uint32_t stream; /* which question: 0 where they are answered in order */
	uint16_t status; /* TALK_ANSWER: 100 to 999, 0: cannot be told */
};

#endif
