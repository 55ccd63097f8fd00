/*
 * A refusal as an HTTP answer to a transfer of libcurl, which makes it itself: over a
 * pair of sockets, at whose other end stands the shim.  What is asked is read, and the
 * answer written, whenever the program's thread passes by; no thread, no waiting.
 *
 * What libcurl does not let through (what is no plain HTTP/1.1 on its way all the same)
 * ends as a refusal in text.  errno is kept.
 */
#ifndef SHIM_CURL_ANSWER_H
#define SHIM_CURL_ANSWER_H

#include "shim/curl_call.h"

struct curl_answer;

/*
 * For a transfer that is refused, on handle, whose entry is h; before libcurl is let at it.
 * False: it is to be refused in text, and nothing has changed.
 */
bool curl_answer_begin(struct curl_handle *h, void *handle, const struct curl_call *c);

/* Reads and writes what can be; a may be NULL. */
void curl_answer_serve(struct curl_answer *a);

/*
 * The transfer is over; libcurl's code for it.  The handle is as the program has set it, and what
 * its error buffer tells of a status ends with the message.
 * False: the answer did not come through for a reason that is none of the program's.
 */
bool curl_answer_end(struct curl_handle *h, void *handle, CURLcode code);

/* The same, and nobody asks for the code. */
void curl_answer_leave(struct curl_handle *h, void *handle);

/* The handle itself is gone. */
void curl_answer_forget(struct curl_handle *h);

#endif
