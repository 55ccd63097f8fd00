/* The system calls of a connection by number, as syscall() passes them. */
#ifndef SHIM_SYSCALL_NAMES_H
#define SHIM_SYSCALL_NAMES_H

#include <stdbool.h>

/*
 * Makes the call through its hook, where it is one for a descriptor that is followed, or
 * that may become so.  False: it is another, and nothing was done.
 */
bool syscall_by_name(long number, const long a[6], long *result);

#endif
