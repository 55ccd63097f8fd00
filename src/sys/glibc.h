/*
 * The oldest C library that the shim loads on is glibc 2.31.
 *
 * A program built on a newer one binds to the newest version of each symbol, and
 * so no longer loads on an older one. glibc 2.34 moved libdl and libpthread into
 * libc and gave all that was in them a new version. Include this header, after
 * <dlfcn.h> or <pthread.h>, wherever one of the names below is called: it binds
 * them to the version that every glibc has, and makes them weak, because before
 * 2.34 they are there only if the program itself loaded libdl or libpthread.
 * Test for null before the call, or go through shim/libdl.h, which finds them
 * always. A source that defines one of the names must not include this header.
 *
 * What has no older version to bind to is not called at all:
 *   stat, fstat, lstat, fstatat (2.33)      statx (2.28)
 *   pthread_once                            an atomic flag
 *   pthread_sigmask (libpthread till 2.32)  sigprocmask, the same on Linux
 *   close_range, closefrom (2.34)           syscall(SYS_close_range)
 *   strtol, sscanf and their family (2.38)  the parsers of core
 *   arc4random (2.36), strlcpy (2.38)       getrandom (2.25), snprintf
 * tests/lint/test_library.py reads the finished library and keeps this so.
 */
#ifndef SYS_GLIBC_H
#define SYS_GLIBC_H

#include <features.h>

#if defined(__x86_64__)
#define GLIBC_OLD "GLIBC_2.2.5"
#define GLIBC_OLD_DLINFO "GLIBC_2.3.3"
#define GLIBC_OLD_SETNAME "GLIBC_2.12"
#elif defined(__aarch64__)
#define GLIBC_OLD "GLIBC_2.17"
#define GLIBC_OLD_DLINFO "GLIBC_2.17"
#define GLIBC_OLD_SETNAME "GLIBC_2.17"
#endif

#if defined(GLIBC_OLD) && __GLIBC_PREREQ(2, 34)
#define GLIBC_BIND(name, version) __asm__(".symver " #name "," #name "@" version)
#else
#define GLIBC_BIND(name, version) struct glibc_nothing
#endif

#ifdef _DLFCN_H
#pragma weak dlsym
#pragma weak dladdr
#pragma weak dlinfo
GLIBC_BIND(dlsym, GLIBC_OLD);
GLIBC_BIND(dladdr, GLIBC_OLD);
GLIBC_BIND(dlinfo, GLIBC_OLD_DLINFO);
#endif

#ifdef _PTHREAD_H
#pragma weak pthread_create
#pragma weak pthread_detach
#pragma weak pthread_join
#pragma weak pthread_kill
#pragma weak pthread_setname_np
GLIBC_BIND(pthread_create, GLIBC_OLD);
GLIBC_BIND(pthread_detach, GLIBC_OLD);
GLIBC_BIND(pthread_join, GLIBC_OLD);
GLIBC_BIND(pthread_kill, GLIBC_OLD);
GLIBC_BIND(pthread_setname_np, GLIBC_OLD_SETNAME);
#endif

#endif
