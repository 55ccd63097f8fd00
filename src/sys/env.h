/*
 * The environment, read without locks and without allocation, so before main() and
 * under a lock of the program's as well.
 */
#ifndef SYS_ENV_H
#define SYS_ENV_H

#include <limits.h>

#include "core/match.h"

/* The value of a variable; NULL where it is unset or empty. */
const char *env_get(const char *name);

/*
 * The rules file to obey: CUTOUT_RULES, else the first of the usual places where
 * there is anything.  NULL: none, so the built-in rules.  The result is in buffer or
 * in the environment.
 */
const char *env_rules_path(char buffer[PATH_MAX]);

/*
 * The proxies that http_proxy, https_proxy and all_proxy name, in either case.  Their
 * names are copied to memory of the module's own: one call in a process.
 */
void env_proxies(struct proxies *out);

#endif
