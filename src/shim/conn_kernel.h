/* What the kernel knows of a connection.  errno is kept. */
#ifndef SHIM_CONN_KERNEL_H
#define SHIM_CONN_KERNEL_H

#include "shim/conn_table.h"

struct conn_kernel {
	bool is_reset;	  /* the other side, or the kernel, gave it up */
	bool has_ended;	  /* the other side sends no more */
	bool was_asked;	  /* more was sent than was seen */
	bool has_unread;  /* more came than was seen, or waits to be read */
	bool is_sending;  /* the other side has not taken all that was sent */
	uint64_t sent_ns; /* how long ago it last sent something */
};

/* False: fd is not that connection's any more. */
bool conn_ask_kernel(int fd, const struct conn *c, struct conn_kernel *out);

#endif
