/*
 * A transfer of libcurl as one call at the gate, whichever interface makes it.
 *
 * Errno is not kept.
 */
#ifndef SHIM_CURL_CALL_H
#define SHIM_CURL_CALL_H

#include <curl/curl.h>

#include "shim/curl_dest.h"
#include "shim/gate.h"

#define CURL_EDGE "curl"

typedef CURLcode curl_getinfo_fn(CURL *, CURLINFO, ...);

struct curl_call {
	void *handle;
	curl_getinfo_fn *getinfo;
	struct curl_dest dest;
	struct gate_call at_gate;
	bool is_counted;       /* stands at the gate: curl_call_end() or its like must follow */
	bool may_queue;	       /* libcurl may hold it back for want of a free connection */
	uint64_t began_ns;     /* when it no longer did; 0: not yet */
	int64_t first_byte_us; /* when the answer was seen to begin; 0: not yet */
	int64_t stale_us;      /* what libcurl has of the transfer before, for a while */
};

/*
 * Asks for a transfer on handle, of which h is known, and fills *c; where a fallback is to
 * make it, handle is set so.  GATE_PASS: not ours.
 * GATE_ADMIT: what libcurl does for it is no other call; c->is_counted or not.
 * GATE_REFUSE: curl_call_refuse() must follow, or
 * curl_answer_begin() that succeeds.
 */
enum gate_answer curl_call_ask(struct curl_handle *h, void *handle, struct curl_call *c);

/*
 * The handle is from now on one whose last transfer was refused.  message: room for
 * CURL_ERROR_SIZE bytes, or NULL.
 */
void curl_call_refuse(struct curl_handle *h, const struct curl_call *c, char *message);

/* The same for a refusal that is counted already. */
void curl_call_set_refused(struct curl_handle *h, const struct curl_call *c, char *message);

/*
 * The program is told of the end of a transfer on this thread: with c, that it was
 * refused; with NULL, anything else.
 */
void curl_call_told(const struct curl_call *c);

/* For a call that is counted: whether its answer has begun, as libcurl tells. */
bool curl_call_look(struct curl_call *c);

/* A call that was just admitted may be held back, and can never become overdue. */
void curl_call_may_queue(struct curl_call *c);

/* How a call that is counted ended: by libcurl's code, */
void curl_call_end(const struct curl_handle *h, const struct curl_call *c, CURLcode code);

/* by the program, which took it out of its multi handle, */
void curl_call_leave(const struct curl_call *c);

/* or so that nobody can tell. */
void curl_call_forget(const struct curl_call *c);

#endif
