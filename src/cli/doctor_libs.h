/* The libraries that the loader of this machine would load with a program. */
#ifndef CLI_DOCTOR_LIBS_H
#define CLI_DOCTOR_LIBS_H

#include <stdbool.h>

/* name as the program has it; path NULL: it is not found. */
typedef void libs_found(void *context, const char *name, const char *path);

/*
 * Asks the loader, which maps the program and its libraries and runs nothing of them.
 * False: it cannot be asked, or does not take the program.
 */
bool libs_list(const char *program, libs_found *found, void *context);

#endif
