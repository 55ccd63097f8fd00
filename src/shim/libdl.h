/*
 * dlsym, wherever it is.
 *
 * The library is linked to libc alone and loads on glibc 2.31, where dlsym is not in
 * libc but in libdl, which a program may or may not have loaded.
 */
#ifndef SHIM_LIBDL_H
#define SHIM_LIBDL_H

/*
 * dlsym(handle, name), RTLD_NEXT as seen from this library included. With
 * RTLD_NEXT the functions of libdl ("dladdr", "dlopen") are always found.
 * Null when there is none. On glibc before 2.34 the first call may load libdl.
 */
void *libdl_sym(void *handle, const char *name);

#endif
