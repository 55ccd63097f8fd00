/*
 * What the program is allowed to do.
 *
 * Privileges belong to a thread; libc changes those of all threads it knows.  One that
 * it does not know of has to look whether the program still has what it had.
 */
#ifndef SHIM_CREDENTIALS_H
#define SHIM_CREDENTIALS_H

#include <stdint.h>

/*
 * A number for the users, groups, capabilities and filters of the program's first
 * thread; 0 where there is no /proc.  Raw system calls alone.
 */
uint64_t credentials_of_program(void);

#endif
