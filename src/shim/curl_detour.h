/*
 * A transfer that goes another way: libcurl itself makes it, as plain HTTP over a socket
 * that is given to it, and so by the program's own callbacks, timers and counts.
 *
 * It goes to a path of a socket in the file system, which libcurl takes for a reason to
 * look up no name, use no proxy and share no connection.  There need not be such a file.
 */
#ifndef SHIM_CURL_DETOUR_H
#define SHIM_CURL_DETOUR_H

#include <curl/curl.h>
#include <stdbool.h>

#include "shim/curl_handles.h"

/* What libcurl connects to, if it does not believe that the socket is connected. */
#define CURL_DETOUR_PATH "/dev/null/cutout"

/* Whether a connect is the one to that path. */
bool curl_detour_leads_to(const struct sockaddr *sa, socklen_t len);

/* Makes the socket: connected, and libcurl's own from then on; CURL_SOCKET_BAD: none. */
typedef curl_socket_t curl_detour_fn(void *context, curlsocktype, struct curl_sockaddr *);

/*
 * Sets the handle, whose entry is h, on that way to url (http).  False: that libcurl does
 * not let us, and nothing has changed.
 */
bool curl_detour_set(const struct curl_handle *h, void *handle, const char *url,
		     curl_detour_fn *open_socket, void *context);

/* Gives the handle, or a duplicate of it, what the program has set. */
void curl_detour_undo(const struct curl_handle *h, void *handle);

#endif
