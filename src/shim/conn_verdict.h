/*
 * What it means for a question when its connection ends before the answer: the rules of
 * what fails, what is good and what says nothing.  Beside it, what a connection speaks.
 */
#ifndef SHIM_CONN_VERDICT_H
#define SHIM_CONN_VERDICT_H

#include "shim/conn_table.h"

enum conn_how {
	CONN_FAILED,  /* a system call, with an errno */
	CONN_EOF,     /* the other side ended the stream */
	CONN_CLOSED,  /* the program gave up */
	CONN_VANISHED /* it is not known how */
};

struct conn_end {
	enum conn_how how;
	int error;	    /* CONN_FAILED */
	bool was_asked;	    /* something was sent that was not seen */
	bool has_unread;    /* something came that the program has not read, or unseen */
	bool is_sending;    /* the other side has not taken all that was sent */
	bool is_answered;   /* what was in doubt was an answer */
	uint64_t silent_ns; /* since the program last sent something */
};

struct verdict {
	enum outcome outcome;
	bool was_connect;   /* no question, and the connect was good */
	const char *detail; /* a constant, or in buffer */
	char buffer[24];
};

/* a is one of c's. */
void conn_verdict(const struct conn *c, const struct asked *a, const struct conn_end *end,
		  uint64_t now_ns, struct verdict *out);

/* From the question to the first byte of its answer, or to now where none has come. */
uint64_t conn_latency_ns(const struct asked *a, uint64_t now_ns);

/* What an answer comes to whose first byte was noted; status 0: it has none. */
enum outcome conn_answer_outcome(const struct asked *a, unsigned status);

/* Whether it says something that the program waits: every client of TLS does. */
bool conn_tells_by_waiting(const struct conn *c);

/* Whether silence is a failure; awaited: the program was seen to wait a second or more. */
bool conn_may_fail(const struct asked *a, bool awaited);

/* What is spoken on the connection is remembered of its port. */
void conn_note_speech(const struct conn *c);

#endif
