/*
 * Which section and which breaker a destination meets: the first section in file
 * order one of whose matches fits.
 */
#ifndef CORE_MATCH_H
#define CORE_MATCH_H

#include "core/dest.h"
#include "core/rules.h"

#define BREAKER_NAME_MAX 255 /* without the terminating zero */
#define PROXIES_MAX 8

/* The proxies of the environment, which [*] leaves out. */
struct proxies {
	uint32_t count;
	struct dest dest[PROXIES_MAX];
};

struct met {
	const struct section *section;
	const struct rule_match *match;
	char breaker[BREAKER_NAME_MAX + 1]; /* carrier, carrier/eu, or the host for [*] */
};

/*
 * Finds the section at or after *from (an index, 0 at first) that d meets, and
 * leaves *from behind it, so that a caller can go on to further ones.  A port that
 * is unknown fits every port.  A match by address fits only where d has an address,
 * one by name only where it has a name.  proxies may be NULL.  False: none.
 */
bool match_next(const struct ruleset *rules, const struct proxies *proxies, const struct dest *d,
		uint32_t *from, struct met *out);

/* The first one. */
bool match_find(const struct ruleset *rules, const struct proxies *proxies, const struct dest *d,
		struct met *out);

/* Whether d may be one of the proxies; a port that either lacks fits any. */
bool match_is_proxy(const struct proxies *proxies, const struct dest *d);

#endif
