/*
 * What a transfer of libcurl says of the dependency.  Pure.
 */
#ifndef SHIM_CURL_OUTCOME_H
#define SHIM_CURL_OUTCOME_H

#include "core/breaker.h"
#include "core/settings.h"

#define CURL_DETAIL_MAX 16

/* How a transfer ended. */
struct curl_end {
	int code;	   /* CURLcode */
	unsigned status;   /* of HTTP; 0: there was none, or it was not HTTP */
	bool local_errno;  /* no connection for a reason of this machine's own */
	bool name_missing; /* no address because the name has none */
	bool was_held;	   /* back by libcurl, for the longer part of its time */
	bool is_stale;	   /* a connection that was kept, and no answer on it */
};

/* How far a transfer was that the program did not wait for. */
struct curl_left {
	bool has_answer;    /* its first byte, at least */
	unsigned status;    /* as in struct curl_end, where it has_answer */
	bool was_held;	    /* as in struct curl_end */
	bool is_sending;    /* the question was not yet out */
	uint64_t waited_ns; /* since it began */
};

/*
 * A status that fails, fails whatever came after it.  Else the code decides: what says
 * something of the dependency fails; an answer that says no (FTP's "no such file" as
 * HTTP's 404) is one; what is local, or a code that is not known, is neutral, as is the end of a
 * connection that was kept: the server may have closed it before the question came.
 */
enum outcome curl_outcome(const struct curl_end *e, const struct status_ranges *fail_status);

/*
 * A client that gives up after a second or more without an answer tells of a failure, and
 * so does a status that fails; else it had its own reasons.
 */
enum outcome curl_left_outcome(const struct curl_left *l, const struct status_ranges *fail_status);

/* For the log: the status where it decided, "left" with an answer, "gave-up" without. */
void curl_left_detail(const struct curl_left *l, const struct status_ranges *fail_status,
		      char out[CURL_DETAIL_MAX]);

/* For the log: the status where it decided ("503"), else the code ("curl-28"). */
void curl_detail(const struct curl_end *e, const struct status_ranges *fail_status,
		 char out[CURL_DETAIL_MAX]);

/* Whether an errno of a failed connect tells of this machine alone. */
bool curl_errno_is_local(int number);

#endif
