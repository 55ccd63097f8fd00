/*
 * What curl_easy_getinfo() tells after a refusal: the same as after a connect that
 * failed at once, and nothing of the transfer before.
 */
#ifndef SHIM_CURL_REFUSAL_H
#define SHIM_CURL_REFUSAL_H

#include <stdbool.h>

struct curl_refusal {
	int error;	 /* what refuse_errno says */
	const char *url; /* as libcurl would have it, never NULL */
};

/*
 * Writes the value of info (a CURLINFO) to *out, of whatever type info has.  False:
 * info is none of the last transfer, the real function knows.
 */
bool curl_refusal_info(const struct curl_refusal *r, int info, void *out);

/*
 * The same after an answer, whose transfer was libcurl's own: puts right in *out, which
 * libcurl has written, what it took another way for.  error says nothing.
 */
void curl_answer_info(const struct curl_refusal *r, int info, void *out);

#endif
