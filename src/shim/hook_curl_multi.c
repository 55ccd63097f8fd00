/*
 * Transfers in a multi handle, each of them one call.
 *
 * libcurl uses these functions as well: in curl_easy_perform(), whose transfer is counted
 * there, and to look up names by HTTPS.  Such calls are passed on.
 */
#define CURL_DISABLE_TYPECHECK
#define CURL_ALLOW_OLD_MULTI_SOCKET
#include <curl/curl.h>
#include <errno.h>
#include <stdarg.h>

#include "shim/curl_answer.h"
#include "shim/curl_drive.h"
#include "shim/curl_hooks.h"

#undef curl_multi_setopt

static struct curl_multi *
known_multi(const void *multi, const void *caller, const void *frame)
{
	init_now();
	curl_transfers_drop_dead(frame);
	return multi != NULL && gate_rules() != NULL && !real_is_curl(caller)
		       ? curl_multis_find(multi)
		       : NULL;
}

static void *
real_multi(const char *name, const struct curl_multi *m, const void *caller)
{
	return real_for(name, m != NULL ? m->library : caller);
}

/*
 * Before the real function: its callbacks may call us.  An answer whose transfer was left
 * by a jump is none any more.
 */
static struct curl_job *
join(CURLM *multi, struct curl_handle *h, CURL *handle)
{
	if (h != NULL && !curl_job_is_in(h) && !curl_transfers_has(handle))
		curl_answer_leave(h, handle);

	struct curl_multi *m =
		multi != NULL && h != NULL ? curl_multis_add(multi, h->library) : NULL;

	return m != NULL ? curl_job_join(m, h) : NULL;
}

EXPORT CURLMcode
curl_multi_add_handle(CURLM *multi, CURL *handle)
{
	struct curl_handle *h = real_is_curl(CALLER) ? NULL : curl_known(handle, FRAME);
	CURLMcode (*add)(CURLM *, CURL *) = curl_real("curl_multi_add_handle", h, CALLER);

	if (add == NULL)
		return CURLM_INTERNAL_ERROR;

	struct curl_job *j = join(multi, h, handle);
	CURLMcode code = add(multi, handle);

	if (code == CURLM_OK && h != NULL)
		curl_handle_used(h);
	else if (j != NULL)
		curl_job_part(j);
	return code;
}

EXPORT CURLMcode
curl_multi_remove_handle(CURLM *multi, CURL *handle)
{
	struct curl_multi *m = known_multi(multi, NULL, FRAME);
	CURLMcode (*remove)(CURLM *, CURL *) = real_multi("curl_multi_remove_handle", m, CALLER);
	CURLMcode code = remove != NULL ? remove(multi, handle) : CURLM_INTERNAL_ERROR;
	struct curl_handle *h = m != NULL && code == CURLM_OK ? curl_handle_find(handle) : NULL;

	if (h != NULL && h->job != NULL && h->job->multi == m)
		curl_drive_leave(h);
	else if (m != NULL && code == CURLM_OK)
		curl_said_drop(m, handle);
	return code;
}

EXPORT CURLMcode
curl_multi_perform(CURLM *multi, int *running)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*perform)(CURLM *, int *) = real_multi("curl_multi_perform", m, CALLER);

	if (perform == NULL)
		return CURLM_INTERNAL_ERROR;

	struct curl_drive d = curl_drive_begin(m, multi, FRAME);
	CURLMcode code = perform(multi, running);

	curl_drive_end(&d, true);
	return code;
}

EXPORT CURLMcode
curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*action)(CURLM *, curl_socket_t, int, int *) =
		real_multi("curl_multi_socket_action", m, CALLER);

	if (action == NULL)
		return CURLM_INTERNAL_ERROR;

	struct curl_drive d = curl_drive_begin(m, multi, FRAME);
	CURLMcode code = action(multi, socket, events, running);

	curl_drive_end(&d, false);
	return code;
}

EXPORT
CURLMcode(curl_multi_socket)(CURLM *multi, curl_socket_t socket, int *running)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*old)(CURLM *, curl_socket_t, int *) =
		real_multi("curl_multi_socket", m, CALLER);

	if (old == NULL)
		return CURLM_INTERNAL_ERROR;

	struct curl_drive d = curl_drive_begin(m, multi, FRAME);
	CURLMcode code = old(multi, socket, running);

	curl_drive_end(&d, false);
	return code;
}

EXPORT CURLMcode
curl_multi_socket_all(CURLM *multi, int *running)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*all)(CURLM *, int *) = real_multi("curl_multi_socket_all", m, CALLER);

	if (all == NULL)
		return CURLM_INTERNAL_ERROR;

	struct curl_drive d = curl_drive_begin(m, multi, FRAME);
	CURLMcode code = all(multi, running);

	curl_drive_end(&d, true);
	return code;
}

EXPORT CURLMsg *
curl_multi_info_read(CURLM *multi, int *queued)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	curl_info_read_fn *info_read =
		(curl_info_read_fn *)real_multi("curl_multi_info_read", m, CALLER);

	if (m != NULL)
		return curl_drive_read(m, multi, queued);
	return info_read != NULL ? info_read(multi, queued) : NULL;
}

EXPORT CURLMcode
curl_multi_setopt(CURLM *multi, CURLMoption option, ...)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*setopt)(CURLM *, CURLMoption, ...) = real_multi("curl_multi_setopt", m, CALLER);
	va_list args;

	va_start(args, option);
	void *value = va_arg(args, void *);
	va_end(args);
	if (setopt == NULL)
		return CURLM_INTERNAL_ERROR;

	CURLMcode code = setopt(multi, option, value);

	if (code != CURLM_OK || gate_rules() == NULL || real_is_curl(CALLER))
		return code;
	if (option == CURLMOPT_MAX_HOST_CONNECTIONS || option == CURLMOPT_MAX_TOTAL_CONNECTIONS)
		m = curl_multis_add(multi, (const void *)(uintptr_t)setopt);
	if (m != NULL && option == CURLMOPT_MAX_HOST_CONNECTIONS)
		m->max_of_host = (long)(intptr_t)value;
	if (m != NULL && option == CURLMOPT_MAX_TOTAL_CONNECTIONS)
		m->max_of_all = (long)(intptr_t)value;
	return code;
}

/* In a callback libcurl refuses it.  Else the address may be another's at once. */
EXPORT CURLMcode
curl_multi_cleanup(CURLM *multi)
{
	struct curl_multi *m = known_multi(multi, CALLER, FRAME);
	CURLMcode (*cleanup)(CURLM *) = real_multi("curl_multi_cleanup", m, CALLER);

	if (m != NULL && !curl_drive_is_on(multi)) {
		curl_drive_leave_all(m);
		curl_multis_remove(m);
	}
	return cleanup != NULL ? cleanup(multi) : CURLM_INTERNAL_ERROR;
}
