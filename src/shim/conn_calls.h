/*
 * The questions of a connection as calls at the gate: each begins once and ends once, with
 * the outcome that its end stands for.  All of them under the connection's lock.
 */
#ifndef SHIM_CONN_CALLS_H
#define SHIM_CONN_CALLS_H

#include "shim/conn_verdict.h"

/*
 * A question begins.  False: it is refused, *refused says by whom, and the connection is
 * to be shut down; counted and logged.
 */
bool conn_call_begin(struct conn *c, const struct talk_event *e, uint64_t now_ns,
		     struct gate_target *refused);

/* Another destination is asked from here on, through a proxy. */
void conn_call_retarget(struct conn *c, struct span host, int32_t port, uint64_t now_ns);

/* The newest question is a CONNECT. */
void conn_call_is_tunnel(struct conn *c);

/*
 * The program was seen to wait for the answer to the first question, or for a greeting;
 * waits: false, where it did not after all.
 */
void conn_call_waits(struct conn *c, bool waits, uint64_t now_ns);

/* The first byte of an answer; the answer itself; something that may be one. */
void conn_call_first(struct conn *c, uint32_t stream, uint64_t now_ns);
void conn_call_answer(struct conn *c, uint32_t stream, unsigned status, uint64_t now_ns);
void conn_call_doubt(struct conn *c, uint64_t now_ns);

/* There will be no answer: the dependency said so, or the program wants none. */
void conn_call_abort(struct conn *c, uint32_t stream, bool blames_peer, uint64_t now_ns);
void conn_call_cancel(struct conn *c, uint32_t stream, uint64_t now_ns);

/* What is asked may need no answer: neither silence nor a late one says anything. */
void conn_call_one_way(struct conn *c);

/* What is asked cannot be read as HTTP: what silence means changes. */
void conn_call_unread(struct conn *c);

/* The connection ends, for all that still wait. */
void conn_call_end_all(struct conn *c, const struct conn_end *end, uint64_t now_ns);

/* In a forked child: they are the parent's. */
void conn_call_forget(struct conn *c);

#endif
