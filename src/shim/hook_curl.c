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

#include "shim/curl_answer.h"
#include "shim/curl_detour.h"
#include "shim/curl_drive.h"
#include "shim/curl_fallback.h"
#include "shim/curl_hooks.h"
#include "shim/curl_refusal.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

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
begin(struct curl_handle *h, CURL *handle, const void *frame, struct curl_transfer *t)
{
	enum gate_answer answer = GATE_PASS;

	if (curl_transfers_may_begin(handle))
		answer = curl_call_ask(h, handle, &t->call);
	if (answer == GATE_ADMIT) {
		t->frame = frame;
		t->is_answered = false;
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

static CURLcode
refuse_in_text(struct curl_handle *h, const struct curl_call *c)
{
	curl_call_refuse(h, c, h->error_buffer);
	curl_call_told(c);
	return CURLE_COULDNT_CONNECT;
}

/* libcurl makes the transfer, and gets its answer from the shim. */
static CURLcode
refuse_by_answer(struct curl_handle *h, CURL *handle, CURLcode (*perform)(CURL *),
		 const void *frame, struct curl_transfer *t)
{
	CURLcode code;

	t->frame = frame;
	t->is_answered = true;
	t->id = curl_transfers_begin(t);
	code = perform(handle);
	curl_transfers_end(t->id, t);
	if (curl_answer_end(h, handle, code)) {
		curl_call_told(NULL);
		return code;
	}
	curl_call_set_refused(h, &t->call, h->error_buffer);
	curl_call_told(&t->call);
	return CURLE_COULDNT_CONNECT;
}

EXPORT CURLcode
curl_easy_perform(CURL *handle)
{
	struct curl_handle *h = curl_known(handle, FRAME);
	CURLcode (*perform)(CURL *) = curl_real("curl_easy_perform", h, CALLER);
	struct curl_transfer t;
	enum gate_answer answer;
	CURLcode code;
	int saved = errno;

	if (perform == NULL)
		return CURLE_FAILED_INIT;
	if (h == NULL || curl_job_is_in(h))
		return perform(handle);
	if (!curl_transfers_has(handle)) {
		curl_answer_leave(h, handle);
		curl_fallback_leave(h, handle);
	}
	answer = begin(h, handle, FRAME, &t);
	if (answer == GATE_REFUSE) {
		code = curl_answer_begin(h, handle, &t.call)
			       ? refuse_by_answer(h, handle, perform, FRAME, &t)
			       : refuse_in_text(h, &t.call);
		errno = saved;
		return code;
	}
	curl_handle_used(h);
	errno = saved;
	code = perform(handle);
	curl_call_told(NULL);
	if (answer == GATE_ADMIT) {
		end(h, t.id, code);
		curl_fallback_leave(h, handle);
	}
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
		curl_drive_forget(h);
		curl_handle_reset(h);
		h->library = (const void *)(uintptr_t)init;
	}
	return handle;
}

EXPORT CURL *
curl_easy_duphandle(CURL *handle)
{
	struct curl_handle *from = curl_known(handle, FRAME), *to;
	CURL *(*duplicate)(CURL *) = curl_real("curl_easy_duphandle", from, CALLER);
	CURL *copy = duplicate != NULL ? duplicate(handle) : NULL;

	if (from != NULL && copy != NULL) {
		curl_drive_duplicate(from, copy);
		curl_fallback_duplicate(from, copy);
	}
	if (from != NULL && copy != NULL && from->answer != NULL)
		curl_detour_undo(from, copy);
	if (from != NULL && (to = note_handle(copy, from->library, NULL)) != NULL) {
		curl_drive_forget(to);
		curl_handle_copy(to, from);
		to->library = from->library;
	}
	return copy;
}

EXPORT void
curl_easy_reset(CURL *handle)
{
	struct curl_handle *h = curl_known(handle, FRAME);
	void (*reset)(CURL *) = curl_real("curl_easy_reset", h, CALLER);

	if (reset != NULL)
		reset(handle);
	if (h != NULL)
		curl_handle_reset(h);
}

EXPORT void
curl_easy_cleanup(CURL *handle)
{
	struct curl_handle *h = curl_known(handle, FRAME);
	void (*cleanup)(CURL *) = curl_real("curl_easy_cleanup", h, CALLER);

	curl_transfers_drop_handle(handle);
	if (h != NULL) {
		curl_drive_leave(h);
		curl_answer_leave(h, handle);
		curl_fallback_leave(h, handle);
		curl_job_free(h);
		curl_handle_remove(h);
	}
	if (cleanup != NULL)
		cleanup(handle);
}

EXPORT CURLcode
curl_easy_setopt(CURL *handle, CURLoption option, ...)
{
	struct curl_handle *h = curl_known(handle, FRAME);
	CURLcode (*setopt)(CURL *, CURLoption, ...) = curl_real("curl_easy_setopt", h, CALLER);
	va_list args;

	va_start(args, option);
	void *value = va_arg(args, void *);
	va_end(args);
	if (setopt == NULL)
		return CURLE_FAILED_INIT;

	CURLcode code = setopt(handle, option, value);

	if (h == NULL && code == CURLE_OK)
		h = note_handle(handle, (const void *)(uintptr_t)setopt, CALLER);
	if (h != NULL && code == CURLE_OK) {
		curl_handle_note(h, (int)option, value);
		curl_drive_option(h, handle, (int)option);
	}
	return code;
}

/* Asked first, so that what this libcurl does not know is an error after a refusal too. */
EXPORT CURLcode
curl_easy_getinfo(CURL *handle, CURLINFO info, ...)
{
	struct curl_handle *h = curl_known(handle, FRAME);
	curl_getinfo_fn *getinfo = curl_real("curl_easy_getinfo", h, CALLER);
	va_list args;

	va_start(args, info);
	void *out = va_arg(args, void *);
	va_end(args);
	if (getinfo == NULL)
		return CURLE_FAILED_INIT;

	CURLcode code = getinfo(handle, info, out);

	if (h != NULL && (h->is_refused || h->is_answered) && code == CURLE_OK) {
		const struct curl_refusal r = {h->refused_errno,
					       h->refused_url != NULL ? h->refused_url : ""};

		if (h->is_refused)
			curl_refusal_info(&r, (int)info, out);
		else
			curl_answer_info(&r, (int)info, out);
	}
	return code;
}
