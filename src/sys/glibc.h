/*
 * The oldest C library that the shim loads on is glibc 2.31.
 *
 * A library built on a newer one binds to the newest version of each symbol, and so no
 * longer loads on an older one. glibc 2.34 moved libdl and libpthread into libc and
 * gave all that was in them a new version: dlsym@GLIBC_2.34 for dlsym@GLIBC_2.2.5. On
 * an older glibc they are there only if the program itself loaded libdl or
 * libpthread, so such a reference is bound to the old version and weak as well.
 *
 * Only shim/libdl.c needs this; all others call what it offers. What else is too new
 * is not called at all:
 *
 *   dlopen, dladdr ...                      libdl_sym
 *   pthread_create                          raw_clone
 *   stat, fstat, lstat, fstatat (2.33)      raw_fstat, statx (2.28)
 *   pthread_once                            an atomic flag
 *   pthread_sigmask (2.32)                  raw_sigprocmask
 *   close_range, closefrom (2.34)           syscall(SYS_close_range)
 *   strtol, sscanf and their family (2.38)  the parsers of core
 *   arc4random (2.36), strlcpy (2.38)       getrandom (2.25), snprintf
 *
 * tests/lint/test_library.py reads the finished library and keeps this so.
 */
#ifndef SYS_GLIBC_H
#define SYS_GLIBC_H

#include <features.h>

#if defined(__x86_64__)
#define GLIBC_OLD "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define GLIBC_OLD "GLIBC_2.17"
#endif

#if defined(GLIBC_OLD) && __GLIBC_PREREQ(2, 34)
#define GLIBC_BIND_OLD(name) __asm__(".symver " #name "," #name "@" GLIBC_OLD)
#else
#define GLIBC_BIND_OLD(name) _Static_assert(1, "the build is as old as the oldest")
#endif

/* In scope where this is included, after <dlfcn.h>. */
#pragma weak dlsym
GLIBC_BIND_OLD(dlsym);

#endif
