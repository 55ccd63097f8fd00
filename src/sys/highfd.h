/*
 * Where the shim keeps its descriptors: above what programs count on, and below where the
 * kernel's table grows large.
 */
#ifndef SYS_HIGHFD_H
#define SYS_HIGHFD_H

/* The lowest such number; 3 where the limit leaves no room.  errno is kept. */
int highfd_first(void);

#endif
