/*
 * A transfer that goes nowhere: without a URL libcurl fails it by itself, before any
 * look-up, proxy, connection or callback of the program, and tells so by its own means.
 */
#ifndef SHIM_CURL_HIDE_H
#define SHIM_CURL_HIDE_H

#include <stdbool.h>

#include "shim/curl_handles.h"

/* Takes the URL from the handle, whose entry is h.  False: that libcurl does not let us. */
bool curl_hide(const struct curl_handle *h, void *handle);

/* Gives the handle, or a duplicate of it, what the program has set. */
void curl_unhide(const struct curl_handle *h, void *handle);

/* Whether that option is one of those that were taken. */
bool curl_hides(int option);

#endif
