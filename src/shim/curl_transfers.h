/*
 * The transfers that a thread is in the middle of: more than one where a callback
 * makes another.  What drives a multi handle stands here as one that is not counted.
 *
 * They are kept apart from the stack that they run on, since a callback may leave its
 * transfer by longjmp().  Such a one is found out when libcurl is next called from
 * as near to the stack's base, or its handle is cleaned up, and ends neutral.  A
 * program that runs transfers on several stacks in one thread may so see one taken for
 * left: it is not counted then, and no other harm is done.
 */
#ifndef SHIM_CURL_TRANSFERS_H
#define SHIM_CURL_TRANSFERS_H

#include "shim/curl_call.h"

#define CURL_TRANSFERS_MAX 4 /* deeper ones are not counted */

struct curl_transfer {
	uint64_t id;
	const void *frame; /* of the hook, on the stack */
	bool is_answered;  /* it goes by curl_answer.h */
	struct curl_call call;
};

/* False: too deep, or this thread is in the middle of a transfer of that very handle. */
bool curl_transfers_may_begin(const void *handle);

/* Whether this thread is in the middle of that handle's, or multi handle's. */
bool curl_transfers_has(const void *handle);

/* Enters t, which is copied.  Returns its number for curl_transfers_end(). */
uint64_t curl_transfers_begin(const struct curl_transfer *t);

/* Leaves it.  False: it was taken for left already. */
bool curl_transfers_end(uint64_t id, struct curl_transfer *out);

/* Ends those that were left: of frames that are gone, or of that handle. */
void curl_transfers_drop_dead(const void *frame);
void curl_transfers_drop_handle(const void *handle);

#endif
