/*
 * Where the TLS of a program is: in a library that the hooks stand before, in one that
 * they do not know, or in the program itself.
 */
#ifndef CLI_DOCTOR_TLS_H
#define CLI_DOCTOR_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/doctor_elf.h"

#define TLS_NAME_MAX 128

/* Where a library's name comes from, its first 127 bytes are enough. */
struct tls_libs {
	char curl[TLS_NAME_MAX], known[TLS_NAME_MAX], unknown[TLS_NAME_MAX]; /* "": none */
};

/* Notes what the library of that name means. */
void tls_library(struct tls_libs *libs, const char *name);

/* What bytes of a program may tell of it. */
struct tls_marks {
	const char *built_in; /* the name of a TLS library that is part of it; or NULL */
	const char *loaded;   /* one that it names, as if to load it itself; or NULL */
	bool is_go;
};

/* Reads the whole file. */
void tls_look(const struct elf_source *source, struct tls_marks *out);

/* What is known of a program by its name. */
struct tls_program {
	const char *name;   /* also with digits and dots behind it */
	bool is_seen;	    /* its TLS passes the hooks */
	const char *where;  /* where its TLS is; unless the file or its libraries tell */
	const char *remark; /* or NULL */
};

/* NULL: nothing is. */
const struct tls_program *tls_known_program(const char *base);

#endif
