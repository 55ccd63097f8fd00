/*
 * What the Accept lines of a request ask for (RFC 9110, section 12.5.1), as far as an
 * answer in JSON or in plain text can follow them.
 */
#ifndef CORE_ACCEPT_H
#define CORE_ACCEPT_H

#include "core/settings.h"

/* The best weight in thousandths, plus one, of each kind of range; 0: not named. */
struct accept {
	uint16_t json; /* application/json or a +json type */
	uint16_t any_application;
	uint16_t text; /* any text type but an event stream's */
	uint16_t any;
	uint16_t events; /* text/event-stream */
};

/* Adds one line to *a, which is all zero at first. */
void accept_read(struct accept *a, struct span value);

/*
 * Whether plain text suits better than JSON: it has the larger weight, or the same where
 * JSON is accepted by a wildcard for everything alone.  False without any line.
 */
bool accept_prefers_text(const struct accept *a);

/* Whether an event stream is asked for by name. */
bool accept_wants_events(const struct accept *a);

#endif
