/* Where a transfer goes, as libcurl itself reads the URL. */
#ifndef SHIM_CURL_DEST_H
#define SHIM_CURL_DEST_H

#include "core/dest.h"
#include "shim/curl_handles.h"

struct curl_dest {
	char host[DEST_NAME_MAX + 2]; /* a trailing dot is none of the name */
	struct dest_addr addr;	      /* where host is an address */
	int32_t port;
	bool is_http; /* a status can be asked for */
};

/* False: no host (a file, a socket in the file system), no URL, or one that is bad. */
bool curl_dest_of(const struct curl_handle *h, struct curl_dest *out);

/* The host of a URL of that handle's library, where it has one. */
bool curl_dest_host(const struct curl_handle *h, const char *url, char host[DEST_NAME_MAX + 2]);

/* The URL as getinfo has it, a copy to be freed; NULL for want of memory. */
char *curl_dest_url(const struct curl_handle *h);

/* Points into d. */
struct dest curl_dest_value(const struct curl_dest *d);

#endif
