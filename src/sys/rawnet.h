/* System calls for sockets and waiting, as sys/raw.h has them for files. */
#ifndef SYS_RAWNET_H
#define SYS_RAWNET_H

#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#include "sys/raw.h"

int raw_socket(int domain, int type, int protocol);
int raw_connect(int fd, const void *address, socklen_t len);

/* The pending error of a socket, which it takes: 0 or an errno's number, or -errno. */
int raw_socket_error(int fd);

int raw_getpeername(int fd, struct sockaddr *address, socklen_t *len);

/* Bytes that came and are not read yet; -errno where that cannot be told. */
int raw_bytes_waiting(int fd);

/* Both ends close-on-exec. */
int raw_pipe(int ends[2]);

/* Waits at most wait_ns under the mask of signals (NULL: the one there is). */
int raw_poll(struct pollfd *fds, unsigned n, uint64_t wait_ns, const raw_sigset *mask);

#endif
