/*
 * A connection that stands in for one to a dependency whose breaker is open: its other
 * end is the shim's own, which reads the program's HTTP request and writes the answer.
 *
 * It is a connection of conn_table.h as well, by whose lock it is kept, and all but
 * stand_in_open() wants that lock held.  What the program sends is taken from the program
 * and never sent, so it is seen whole and never waits for room; what passed by the hooks
 * is found at the other end.
 */
#ifndef SHIM_STAND_IN_H
#define SHIM_STAND_IN_H

#include <sys/socket.h>

#include "core/answer.h"
#include "core/http_request.h"
#include "shim/attempt.h"
#include "shim/conn_table.h"

#define STAND_INS 128 /* without an answer at a time */

/* Instead of a place in a connection's stands_in. */
#define STAND_IN_ANSWERED UINT32_C(0xFFFFFFFE) /* and ended in order */
#define STAND_IN_CUT UINT32_C(0xFFFFFFFF)      /* reset */

struct stand_in {
	atomic_u32 is_taken;
	int peer;
	uint64_t peer_file; /* see loopback_file() */
	struct conn_ref ref;
	uint64_t since_ns; /* last byte of the request's head, or the connect */
	bool is_awaited;   /* that head is not complete */
	bool is_ready;	   /* to be answered */
	size_t written;	   /* of the answer */
	struct http_request request;
	size_t message_len;
	char name[BREAKER_NAME_MAX + 1];
	char message[ANSWER_MESSAGE_MAX];
};

/* How many are awaited. */
extern atomic_u32 stand_ins_awaited;

/*
 * Connects fd to a new one for a refused attempt to reach asked.  True: *error is 0 or
 * EINPROGRESS, as connect() would tell.  False: it is refused without.
 */
bool stand_in_open(int fd, const struct sockaddr *asked, const struct attempt *a, int *error);

/* NULL: it is answered, cut, or none. */
struct stand_in *stand_in_of(const struct conn *c);

/* The one at a place, 1 to STAND_INS; it need not be taken. */
struct stand_in *stand_in_at(uint32_t place);

/* The program has sent this. */
void stand_in_read(struct conn *c, const char *bytes, size_t size);

/* Looks for what passed by the hooks, and writes on where there was no room. */
void stand_in_go_on(struct conn *c);

/* Resets it. */
void stand_in_cut(struct conn *c);

/* The same for one whose program speaks something else than HTTP. */
void stand_in_cut_other(struct conn *c);

/* The program is about to close fd, the last descriptor; -1: it was closed unseen. */
void stand_in_end(struct conn *c, int fd);

#endif
