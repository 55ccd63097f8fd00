/*
 * LD_PRELOAD as a list: paths with colons or spaces between them, which nothing can
 * escape.
 */
#ifndef CORE_PRELOADS_H
#define CORE_PRELOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

/* The first entry in s, whose length is *len; 0: the list is at its end. */
const char *preloads_entry(const char *s, size_t *len);

/*
 * Whether the list can hold this path and the loader takes it as it is written: no
 * space, no colon, no dollar sign.
 */
bool preloads_can_hold(const char *path);

/* More than libraries and list become when they are joined. */
#define PRELOADS_JOINED_EXTRA 3

/*
 * Writes the list with libraries in front, but behind the runtimes of sanitizers,
 * which end a program that loads them later.
 */
void preloads_join(struct text *t, const char *libraries, const char *list);

#endif
