/*
 * The multi handles of libcurl, and the transfers in them.
 *
 * Two tables of fixed size and lists between them.  No lock: libcurl has a multi handle,
 * with all that is in it, used by one thread at a time, whichever that is.  May allocate;
 * errno is kept.
 */
#ifndef SHIM_CURL_MULTIS_H
#define SHIM_CURL_MULTIS_H

#include <curl/curl.h>

#include "shim/curl_call.h"
#include "shim/curl_handles.h"

#define CURL_MULTIS_MAX 1024

enum curl_job_state {
	CURL_JOB_NEW,	   /* added, and not asked for yet */
	CURL_JOB_REFUSED,  /* until libcurl says that it failed */
	CURL_JOB_ANSWERED, /* refused by an answer, until libcurl says how that went */
	CURL_JOB_WAITING,  /* under way and counted, no answer yet */
	CURL_JOB_GOING,	   /* under way, nothing more to look for */
	CURL_JOB_OVER,	   /* ended, or none of ours */
	CURL_JOB_STATES
};

/* A handle that is, or was, in a multi handle. */
struct curl_job {
	struct curl_multi *multi; /* NULL: in none */
	struct curl_job *next, *previous;
	struct curl_handle *handle;
	enum curl_job_state state;
	uint32_t process;	       /* see curl_drive_after_fork() */
	char message[CURL_ERROR_SIZE]; /* of a refusal */
	struct curl_call call;
};

struct curl_jobs {
	struct curl_job *first, *last;
	unsigned count;
};

/* A message of libcurl's that the program has not read yet. */
struct curl_said {
	const void *handle;
	CURLMsg *message;
};

typedef CURLMsg *curl_info_read_fn(CURLM *, int *);

struct curl_multi {
	_Atomic(const void *) key; /* the multi handle; NULL: free */
	const void *library;	   /* an address in the libcurl that it is of */
	curl_info_read_fn *info_read;
	long max_of_host, max_of_all; /* connections; 0: no limit */
	uint64_t looked_ns;	      /* when the answers were last looked for */
	struct curl_jobs jobs[CURL_JOB_STATES];
	struct curl_said *said;
	unsigned said_count, said_size;
};

/* NULL: not known. */
struct curl_multi *curl_multis_find(const void *multi);

/* Finds it or makes an entry.  NULL: the table is full, or that libcurl is too strange. */
struct curl_multi *curl_multis_add(const void *multi, const void *library);

/* Nothing may be in it any more. */
void curl_multis_remove(struct curl_multi *m);

/* h is added, as the last.  NULL: it is in one already, or there is no memory. */
struct curl_job *curl_job_join(struct curl_multi *m, struct curl_handle *h);

void curl_job_move(struct curl_job *j, enum curl_job_state state);

/* Whether h is in a multi handle. */
bool curl_job_is_in(const struct curl_handle *h);

/* Out of its multi handle, if in any. */
void curl_job_part(struct curl_job *j);

/* h's job, which is in no multi handle, is freed. */
void curl_job_free(struct curl_handle *h);

/* Room for one message more.  False: no memory. */
bool curl_said_reserve(struct curl_multi *m);
void curl_said_put(struct curl_multi *m, CURLMsg *message);

/* The oldest.  NULL: none. */
CURLMsg *curl_said_take(struct curl_multi *m);

/* Those of that handle are gone, as libcurl frees them with it. */
void curl_said_drop(struct curl_multi *m, const void *handle);

#endif
