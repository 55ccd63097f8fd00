/*
 * The body of a request, read as JSON-RPC 2.0 in pieces of any size: what has to be
 * answered, under which id.  Memory is constant; params of any size are skipped.
 *
 * A message is an object with "jsonrpc": "2.0" and either a "method" or an "id" with a
 * "result" or an "error" (the answer to a question of the other side).  The body is one
 * of them or an array of them.  Of a name that stands twice the last counts.
 */
#ifndef CORE_JSONRPC_H
#define CORE_JSONRPC_H

#include "core/settings.h"

#define JSONRPC_MESSAGES_MAX 64
#define JSONRPC_ID_MAX 256   /* bytes of JSON */
#define JSONRPC_IDS_MAX 2560 /* of all ids, each with a byte before and one after */

/* All zero is a reader that has read nothing. */
struct jsonrpc {
	uint32_t nested;    /* brackets open inside a member's value */
	uint16_t ids_used;  /* bytes of ids that stand */
	uint16_t id_len;    /* of the message at hand, behind these */
	uint8_t state, key; /* of jsonrpc.c */
	uint8_t escape;	    /* 1: behind a backslash; 5 to 2: hexadecimal digits to come, and one */
	uint8_t word_len;   /* larger than the word: it is none that matters */
	uint8_t messages;
	bool is_batch, in_string, has_version, has_method, has_reply, has_id, is_tool;
	uint32_t unit; /* the digits so far */
	char word[12]; /* a name or a short string, without escapes */
	char ids[JSONRPC_IDS_MAX];
};

enum jsonrpc_kind {
	JSONRPC_NOT,   /* something else, incomplete, or beyond the bounds above */
	JSONRPC_QUIET, /* nothing in it wants an answer */
	JSONRPC_CALLS
};

/* bytes may be NULL where they were not seen: then it is JSONRPC_NOT. */
void jsonrpc_read(struct jsonrpc *j, const char *bytes, size_t size);

/* What it is if the body ends here. */
enum jsonrpc_kind jsonrpc_kind(const struct jsonrpc *j);

struct jsonrpc_call {
	struct span id; /* valid JSON as the request has it: number, string or null */
	bool is_tool;	/* tools/call */
};

/* The call at *at (0 at first), which is moved on to the next.  False: there is none. */
bool jsonrpc_next(const struct jsonrpc *j, size_t *at, struct jsonrpc_call *out);

#endif
