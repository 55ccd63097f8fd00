/*
 * What happens to the transfers in a multi handle: they ask the gate when libcurl is
 * first let at them, not when they are added.  Until then nothing goes out and the
 * program may still change its mind, and a refusal fails there as libcurl's own errors
 * do.  They end when libcurl says so, which it is asked after each drive, since many
 * programs never ask; else when the program takes them out.
 *
 * errno is kept.
 */
#ifndef SHIM_CURL_DRIVE_H
#define SHIM_CURL_DRIVE_H

#include "shim/curl_multis.h"

/* One call that lets libcurl at its transfers. */
struct curl_drive {
	CURLM *multi; /* NULL: none of it is known */
	uint64_t id;  /* see curl_transfers_begin(); 0: none of its transfers is ours */
};

/* Before the real function; m may be NULL.  frame: of the hook. */
struct curl_drive curl_drive_begin(struct curl_multi *m, CURLM *multi, const void *frame);

/* After it.  is_whole: libcurl has gone through all of the transfers. */
void curl_drive_end(const struct curl_drive *d, bool is_whole);

/* The next message for the program, with how many follow it; NULL: none. */
CURLMsg *curl_drive_read(struct curl_multi *m, CURLM *multi, int *queued);

/* Whether this thread is inside a drive of that multi handle. */
bool curl_drive_is_on(const CURLM *multi);

/* A handle was taken out, or is about to be cleaned up; all of them were. */
void curl_drive_leave(struct curl_handle *h);
void curl_drive_leave_all(struct curl_multi *m);

/* The handle is a new one at the address of one that went unseen. */
void curl_drive_forget(struct curl_handle *h);

/* An option of a handle was set that a refusal may have taken. */
void curl_drive_option(const struct curl_handle *h, void *handle, int option);

/* A duplicate of a handle was made, which must not lack what a refusal has taken. */
void curl_drive_duplicate(const struct curl_handle *h, void *copy);

/* In a forked child: the transfers under way are the parent's. */
void curl_drive_after_fork(void);

#endif
