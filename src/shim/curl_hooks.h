/* What the hooks of libcurl's two interfaces have in common. */
#ifndef SHIM_CURL_HOOKS_H
#define SHIM_CURL_HOOKS_H

#include "shim/curl_handles.h"
#include "shim/curl_transfers.h"
#include "shim/gate.h"
#include "shim/hooks.h"
#include "shim/init.h"
#include "shim/real.h"

#define CALLER __builtin_return_address(0)
#define FRAME __builtin_frame_address(0)

_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8 && sizeof(curl_off_t) == 8,
	       "one argument of any type is one register");

/* NULL: the handle is not known, or the shim does nothing. */
static inline struct curl_handle *
curl_known(const void *handle, const void *frame)
{
	init_now();
	curl_transfers_drop_dead(frame);
	return handle != NULL && gate_rules() != NULL ? curl_handle_find(handle) : NULL;
}

/* A known handle says which libcurl it is of; else the caller's is meant. */
static inline void *
curl_real(const char *name, const struct curl_handle *h, const void *caller)
{
	return real_for(name, h != NULL ? h->library : caller);
}

#endif
