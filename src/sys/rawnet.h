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
int raw_getsockname(int fd, struct sockaddr *address, socklen_t *len);

/* Ends the connection: the other side is told by a reset. */
int raw_disconnect(int fd);

/* The same is what its close will be. */
int raw_reset_at_close(int fd);

int raw_bind(int fd, const void *address, socklen_t len);
int raw_listen(int fd, int backlog);

/* The descriptor is close-on-exec and does not block. */
int raw_accept(int fd, void *address, socklen_t *len);

/* Options whose value is an int; the second gives it, or -errno. */
int raw_set_option(int fd, int level, int option, int value);
int raw_get_option(int fd, int level, int option);

/* Neither waits nor raises a signal. */
ssize_t raw_send(int fd, const void *data, size_t size);
ssize_t raw_recv(int fd, void *data, size_t size);

/* how is SHUT_RD, SHUT_WR or SHUT_RDWR. */
int raw_shutdown(int fd, int how);

/* Bytes that came and are not read yet; -errno where that cannot be told. */
int raw_bytes_waiting(int fd);

/* Both ends close-on-exec. */
int raw_pipe(int ends[2]);

int raw_socketpair(int domain, int type, int protocol, int ends[2]);

/* Waits at most wait_ns under the mask of signals (NULL: the one there is). */
int raw_poll(struct pollfd *fds, unsigned n, uint64_t wait_ns, const raw_sigset *mask);

#endif
