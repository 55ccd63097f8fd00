/*
 * curl_easy_perform() as one call, and what must be known for it.
 *
 * The variadic functions pass one argument on.  Whatever its type (long, pointer,
 * function, curl_off_t), the calling conventions of 64-bit machines hand it over as one
 * whole register, so a pointer-sized argument carries it without change.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "shim/curl_handles.h"
#include "shim/curl_refusal.h"
#include "shim/curl_transfers.h"
#include "shim/guard.h"
#include "shim/hooks.h"
#include "shim/init.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

#define CALLER __builtin_return_address(0)
#define FRAME __builtin_frame_address(0)

_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8 && sizeof(curl_off_t) == 8,
	       "one argument of any type is one register");

static struct curl_handle *
known(const void *handle, const void *frame)
{
	init_now();
	curl_transfers_drop_dead(frame);
	return handle != NULL && gate_rules() != NULL ? curl_handle_find(handle) : NULL;
}

/* A known handle says which libcurl it is of; else the caller's is meant. */
static void *
real_of(const char *name, const struct curl_handle *h, const void *caller)
{
	return real_for(name, h != NULL ? h->library : caller);
}

/* libcurl's own handles, as for DNS over HTTPS, are not noted: it frees them unseen. */
static struct curl_handle *
note_handle(const void *handle, const void *library, const void *caller)
{
	if (handle == NULL || gate_rules() == NULL || real_is_curl(caller))
		return NULL;
	return curl_handle_add(handle, library);
}

/* GATE_ADMIT: t->id must be ended, and the call recorded if it is counted. */
static enum gate_answer
begin(const struct curl_handle *h, CURL *handle, const void *frame, struct curl_transfer *t)
{
	enum gate_answer answer = GATE_PASS;

	if (curl_transfers_may_begin(handle))
		answer = curl_call_ask(h, handle, &t->call);
	if (answer == GATE_ADMIT) {
		t->frame = frame;
		t->id = curl_transfers_begin(t);
	}
	return answer;
}

static void
end(const struct curl_handle *h, uint64_t id, CURLcode code)
{
	struct curl_transfer t;
	int saved = errno;

	if (curl_transfers_end(id, &t) && t.call.is_counted)
		curl_call_end(h, &t.call, code);
	errno = saved;
}

EXPORT CURLcode
curl_easy_perform(CURL *handle)
{
	struct curl_handle *h = known(handle, FRAME);
	CURLcode (*perform)(CURL *) = real_of("curl_easy_perform", h, CALLER);
	struct curl_transfer t;
	enum gate_answer answer;
	CURLcode code;
	int saved = errno;

	if (perform == NULL)
		return CURLE_FAILED_INIT;
	if (h == NULL)
		return perform(handle);
	answer = begin(h, handle, FRAME, &t);
	if (answer == GATE_REFUSE) {
		curl_call_refuse(h, &t.call, h->error_buffer);
		errno = saved;
		return CURLE_COULDNT_CONNECT;
	}
	curl_handle_used(h);
	errno = saved;
	code = perform(handle);
	if (answer == GATE_ADMIT)
		end(h, t.id, code);
	return code;
}

EXPORT CURL *
curl_easy_init(void)
{
	CURL *(*init)(void) = real_for("curl_easy_init", CALLER);
	CURL *handle = init != NULL ? init() : NULL;
	struct curl_handle *h;

	init_now();
	h = note_handle(handle, (const void *)(uintptr_t)init, CALLER);
	if (h != NULL) {
		curl_handle_reset(h);
		h->library = (const void *)(uintptr_t)init;
	}
	return handle;
}

EXPORT CURL *
curl_easy_duphandle(CURL *handle)
{
	struct curl_handle *from = known(handle, FRAME), *to;
	CURL *(*duplicate)(CURL *) = real_of("curl_easy_duphandle", from, CALLER);
	CURL *copy = duplicate != NULL ? duplicate(handle) : NULL;

	if (from != NULL && (to = note_handle(copy, from->library, NULL)) != NULL) {
		curl_handle_copy(to, from);
		to->library = from->library;
	}
	return copy;
}

EXPORT void
curl_easy_reset(CURL *handle)
{
	struct curl_handle *h = known(handle, FRAME);
	void (*reset)(CURL *) = real_of("curl_easy_reset", h, CALLER);

	if (reset != NULL)
		reset(handle);
	if (h != NULL)
		curl_handle_reset(h);
}

EXPORT void
curl_easy_cleanup(CURL *handle)
{
	struct curl_handle *h = known(handle, FRAME);
	void (*cleanup)(CURL *) = real_of("curl_easy_cleanup", h, CALLER);

	curl_transfers_drop_handle(handle);
	if (h != NULL)
		curl_handle_remove(h);
	if (cleanup != NULL)
		cleanup(handle);
}

/* A transfer in a multi handle: what was said of a refusal is over. */
EXPORT CURLMcode
curl_multi_add_handle(CURLM *multi, CURL *handle)
{
	struct curl_handle *h = known(handle, FRAME);
	CURLMcode (*add)(CURLM *, CURL *) = real_of("curl_multi_add_handle", h, CALLER);

	if (h != NULL)
		curl_handle_used(h);
	return add != NULL ? add(multi, handle) : CURLM_INTERNAL_ERROR;
}

EXPORT CURLcode
curl_easy_setopt(CURL *handle, CURLoption option, ...)
{
	struct curl_handle *h = known(handle, FRAME);
	CURLcode (*setopt)(CURL *, CURLoption, ...) = real_of("curl_easy_setopt", h, CALLER);
	va_list args;

	va_start(args, option);
	void *value = va_arg(args, void *);
	va_end(args);
	if (setopt == NULL)
		return CURLE_FAILED_INIT;

	CURLcode code = setopt(handle, option, value);

	if (h == NULL && code == CURLE_OK)
		h = note_handle(handle, (const void *)(uintptr_t)setopt, CALLER);
	if (h != NULL && code == CURLE_OK)
		curl_handle_note(h, (int)option, value);
	return code;
}

/* Asked first, so that what this libcurl does not know is an error after a refusal too. */
EXPORT CURLcode
curl_easy_getinfo(CURL *handle, CURLINFO info, ...)
{
	struct curl_handle *h = known(handle, FRAME);
	curl_getinfo_fn *getinfo = real_of("curl_easy_getinfo", h, CALLER);
	va_list args;

	va_start(args, info);
	void *out = va_arg(args, void *);
	va_end(args);
	if (getinfo == NULL)
		return CURLE_FAILED_INIT;

	CURLcode code = getinfo(handle, info, out);

	if (h != NULL && h->is_refused && code == CURLE_OK) {
		const struct curl_refusal r = {h->refused_errno,
					       h->refused_url != NULL ? h->refused_url : ""};

		curl_refusal_info(&r, (int)info, out);
	}
	return code;
}
