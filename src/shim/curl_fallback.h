/*
 * A transfer whose dependency is open and that goes to a fallback: libcurl connects to that,
 * and all else is as the program has set it, the URL, the Host and the name that TLS checks.
 *
 * May allocate.
 */
#ifndef SHIM_CURL_FALLBACK_H
#define SHIM_CURL_FALLBACK_H

#include "shim/curl_call.h"

struct curl_fallback;

/*
 * For a call that is refused: asks for it at the fallbacks.  GATE_REFUSE: none serves, and
 * *c is as it was.  Else as gate_ask(); c is a call to the fallback, and c->handle, whose
 * entry is h, is set to go there.
 */
enum gate_answer curl_fallback_ask(struct curl_handle *h, struct curl_call *c);

/* The transfer is over: handle is as the program has set it.  Errno is kept. */
void curl_fallback_leave(struct curl_handle *h, void *handle);

/* So is copy, a duplicate of the handle. */
void curl_fallback_duplicate(const struct curl_handle *h, void *copy);

/* The handle itself is gone.  Errno is kept. */
void curl_fallback_forget(struct curl_handle *h);

#endif
