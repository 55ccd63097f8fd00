/*
 * What is done at each fork, without a reference that a C library other than glibc
 * lacks: musl loads what is preloaded as well, and ends a program where one is missing.
 */
#ifndef SYS_ATFORK_H
#define SYS_ATFORK_H

/* As pthread_atfork(before, NULL, in_child); does nothing where libc has no such call. */
void atfork_register(void (*before)(void), void (*in_child)(void));

#endif
