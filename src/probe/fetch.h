/*
 * One request by libcurl, which is loaded only now: for the cutout command alone.
 *
 * Certificates, proxies and look-ups are libcurl's and its environment's; redirects
 * are not followed.
 */
#ifndef PROBE_FETCH_H
#define PROBE_FETCH_H

#include <stdint.h>

enum fetch_end {
	FETCH_ANSWERED, /* with a status */
	FETCH_FAILED,	/* no answer */
	FETCH_LOCAL,	/* could not be tried */
	FETCH_NO_LIBRARY
};

struct fetched {
	enum fetch_end end;
	unsigned status;
	char error[256]; /* a sentence where there is no answer */
};

/* A GET of the URL; where json is not NULL, a POST of that.  Zero milliseconds: no limit. */
void fetch(const char *url, const char *json, uint64_t timeout_ms, struct fetched *out);

#endif
