/*
 * From the words of a command line to the file that is executed in the end: through PATH,
 * symbolic links, scripts, env, and wrappers that end in an exec.
 */
#ifndef CLI_DOCTOR_FIND_H
#define CLI_DOCTOR_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/doctor_elf.h"

struct found {
	int status;	 /* 0: fd and elf hold the program; else as "cutout run" would exit */
	int fd;		 /* open for reading, or -1; the caller closes it */
	char head[1024]; /* the beginning of the file */
	size_t head_len;
	struct elf elf;
	char path[PATH_MAX]; /* without symbolic links; where status is not 0, what is wrong */
	const char *error;   /* why; NULL where status is 0 */
	const char *wrapper; /* NULL, or why nothing of it is seen: then nothing else is set */
};

/* Looks for what argv names; argv must stay as long as nothing is changed in it. */
void find_program(char *const argv[], struct found *out);

/* Bytes of the file found, for elf_source; context is the struct found. */
size_t find_read(void *context, uint64_t at, void *out, size_t size);

/* NULL, or what makes the loader drop LD_PRELOAD when this user starts the file. */
const char *find_privilege(const struct found *f);

bool find_is_shell(const char *path);

/* The part of a path behind its last slash. */
const char *find_base(const char *path);

#endif
