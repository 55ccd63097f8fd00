/*
 * What this thread was refused last, so that the text for its error can be asked for.
 *
 * It holds for the one error number until the thread's next connect, look-up or transfer
 * that goes well, or that the system itself fails with that number.
 */
#ifndef SHIM_REFUSAL_H
#define SHIM_REFUSAL_H

#include "shim/gate.h"

enum refusal_kind { REFUSAL_CONNECT, REFUSAL_RESOLVE, REFUSAL_CURL, REFUSAL_KINDS };

/* The text is made when it is asked for: a refusal itself costs next to nothing. */
void refusal_set(enum refusal_kind kind, int number, const struct gate_target *t);
void refusal_clear(enum refusal_kind kind);

/* The system has failed this thread with that number: its text is the system's again. */
void refusal_outdate(enum refusal_kind kind, int number);

/* The message when this thread was refused with that number, else NULL.  errno is kept. */
char *refusal_text(enum refusal_kind kind, int number);

#endif
