/* How look-ups ended, for telling what libcurl's code leaves open. */
#ifndef SHIM_CURL_LOOKUPS_H
#define SHIM_CURL_LOOKUPS_H

#include <stdbool.h>

#include "core/settings.h"

/*
 * Whether the latest look-up of that name was answered by a resolver, or not made at
 * all for want of something local: then the name is at fault, not the resolver.
 */
bool curl_lookup_is_neutral(struct span name);

#endif
