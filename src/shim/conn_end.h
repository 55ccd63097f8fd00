/* How a connection ends, for conn.c. */
#ifndef SHIM_CONN_END_H
#define SHIM_CONN_END_H

#include "shim/conn_table.h"

/* What servers send right after a handshake, as this process learned it. */
extern struct tls_tickets conn_tickets;

/* Whether a connection on which a system call failed so is of no more use. */
bool conn_error_ends(int error);

/* Locked: an error, 0: the other side ended the stream. */
void conn_fail(struct conn *c, int error, uint64_t now_ns);

#endif
