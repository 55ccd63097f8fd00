/*
 * A connection over loopback between a descriptor of the program's and one of the shim's,
 * made within one call and without a thread.
 */
#ifndef SHIM_LOOPBACK_H
#define SHIM_LOOPBACK_H

#include <stdint.h>
#include <sys/socket.h>

struct loopback {
	int peer;	    /* the shim's end: does not block, close-on-exec, a high number */
	uint64_t peer_file; /* see loopback_file() */
	uint64_t own_file;  /* of the program's end */
};

/*
 * Connects fd, a stream socket without a connection; asked is whereto the program wants
 * to.  Returns what connect() would: 0, or -EINPROGRESS where fd does not block, although
 * the connection stands by then.  Any other -errno: it could not be had, and fd is as it
 * was.  Signals wait meanwhile; it takes a tenth of a second at the very most.
 */
int loopback_connect(int fd, const struct sockaddr *asked, struct loopback *out);

/* A number for the open file behind fd, which no other has; 0: there is none. */
uint64_t loopback_file(int fd);

#endif
