/*
 * What the other hooks tell the edge of libcurl.
 *
 * A transfer (curl_easy_perform) is one call, and nothing that libcurl does inside it
 * is counted again.
 */
#ifndef SHIM_HOOK_CURL_H
#define SHIM_HOOK_CURL_H

#include <stdbool.h>

#define CURL_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec"), visibility("hidden")))

/* This thread makes a transfer whose answer has not begun, as far as was seen, or is ours. */
extern CURL_THREAD_LOCAL bool curl_transfer_waits;

void curl_transfer_look(void);

/*
 * Called where a transfer reads or waits: sees whether the first byte of its answer is
 * there, so that a long body does not count as a call without an answer; or gives the
 * answer that is ours to give.  errno is kept.
 */
static inline void
curl_transfer_progress(void)
{
	if (__builtin_expect(curl_transfer_waits, 0))
		curl_transfer_look();
}

/*
 * A look-up of name ended with eai (0: it was found), on any thread.  libcurl has one
 * code for a name that does not exist and for a resolver that does not answer; this
 * tells them apart.  No lock; errno is not touched.
 */
void curl_note_lookup(const char *name, int eai);

#endif
