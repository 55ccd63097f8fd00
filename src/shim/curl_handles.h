/*
 * What the program has set on its handles of libcurl.
 *
 * A table of fixed size, found by the handle's address.  No lock: libcurl has each
 * handle used by one thread at a time, and so is its entry here.  Texts are copies.
 * May allocate; errno is kept.
 */
#ifndef SHIM_CURL_HANDLES_H
#define SHIM_CURL_HANDLES_H

#include <stdbool.h>

#include "core/atomics.h"
#include "shim/curl_refusal.h"

#define CURL_HANDLES_MAX 4096

/* What the program has set of the options that an answer or a fallback takes for itself. */
struct curl_options {
	char *protocol_names; /* whichever of these two was set last; NULL, 0: none */
	long protocols;
	long http_version, ip_version, fresh_connect;
	void *open_socket, *open_socket_data, *socket_options, *close_socket;
	void *connect_to;
};

struct curl_handle {
	_Atomic(const void *) key; /* the handle; NULL: free */
	const void *library;	   /* an address in the libcurl that it is of */
	char *url;		   /* NULL: not set, or not known */
	char *default_protocol;
	void *parsed_url; /* CURLOPT_CURLU: the program's own; goes before url */
	char *error_buffer;
	long port; /* 0: the URL's */
	long verbose;
	bool is_unix; /* goes to a socket in the file system */
	bool only_connects;
	struct curl_options options;
	bool is_refused, is_answered; /* see struct curl_refusal */
	int refused_errno;
	char *refused_url;		/* while one of them; may be NULL for want of memory */
	struct curl_job *job;		/* its life in multi handles, see curl_multis.h */
	struct curl_answer *answer;	/* while a transfer is answered, see curl_answer.h */
	struct curl_fallback *fallback; /* while it goes to one, see curl_fallback.h */
};

/* NULL: not known. */
struct curl_handle *curl_handle_find(const void *handle);

/* Finds it or makes an entry.  NULL: the table is full. */
struct curl_handle *curl_handle_add(const void *handle, const void *library);

/* The handle is gone, or new at the address of an old one. */
void curl_handle_remove(struct curl_handle *h);

/* Back to what a new handle is. */
void curl_handle_reset(struct curl_handle *h);

/* to is a duplicate of from: all but how its last transfer went. */
void curl_handle_copy(struct curl_handle *to, const struct curl_handle *from);

/* An option that was set, with its value as it was given. */
void curl_handle_note(struct curl_handle *h, int option, void *value);

/* The last transfer was refused, or no longer is the last.  url becomes the entry's own. */
void curl_handle_set_refused(struct curl_handle *h, int error, char *url);
void curl_handle_set_answered(struct curl_handle *h, char *url);
void curl_handle_used(struct curl_handle *h);

#endif
