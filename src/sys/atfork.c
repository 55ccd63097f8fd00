#include "sys/atfork.h"

#include <stddef.h>

/*
 * glibc has pthread_atfork() in the part of it that is linked into each library, and that
 * part wants this function, which is in glibc since 2.3.2.
 */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object) __attribute__((weak));

/* By this glibc forgets them when the library is unloaded; the compiler has it. */
extern void *__dso_handle __attribute__((visibility("hidden")));

void
atfork_register(void (*before)(void), void (*in_child)(void))
{
	if (__register_atfork != NULL)
		__register_atfork(before, NULL, in_child, __dso_handle);
}
