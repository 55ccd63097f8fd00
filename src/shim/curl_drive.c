#include "shim/curl_drive.h"

#include <errno.h>
#include <string.h>

#include "core/atomics.h"
#include "shim/curl_answer.h"
#include "shim/curl_fallback.h"
#include "shim/curl_hide.h"
#include "shim/curl_transfers.h"
#include "sys/clock.h"

/* So many that wait for an answer are looked at in each drive, more once a tick. */
#define LOOKS_MAX 64

/* Counts the forks that lie behind this process. */
static uint32_t process;

static void *
handle_of(const struct curl_job *j)
{
	return (void *)(uintptr_t)load_relaxed(&j->handle->key);
}

/* Under way, at the gate, and begun in this process. */
static bool
is_counted(const struct curl_job *j)
{
	return (j->state == CURL_JOB_WAITING || j->state == CURL_JOB_GOING) && j->call.is_counted &&
	       j->process == process;
}

/* libcurl would make one that is answered wait, where connections are limited. */
static bool
is_limited(const struct curl_multi *m)
{
	return m->max_of_host > 0 || m->max_of_all > 0;
}

static void
refuse(struct curl_job *j)
{
	if (!is_limited(j->multi) && curl_answer_begin(j->handle, handle_of(j), &j->call)) {
		curl_job_move(j, CURL_JOB_ANSWERED);
		return;
	}
	if (!curl_hide(j->handle, handle_of(j))) {
		curl_job_move(j, CURL_JOB_OVER);
		return;
	}
	curl_call_refuse(j->handle, &j->call, j->message);
	curl_job_move(j, CURL_JOB_REFUSED);
}

/*
 * Where connections are limited, a transfer may wait for others of the program's own,
 * which the dependency is not to blame for.
 */
static void
admit(struct curl_job *j)
{
	j->process = process;
	if (is_limited(j->multi))
		curl_call_may_queue(&j->call);
	curl_job_move(j, j->call.is_counted ? CURL_JOB_WAITING : CURL_JOB_GOING);
}

static void
ask(struct curl_job *j)
{
	switch (curl_call_ask(j->handle, handle_of(j), &j->call)) {
	case GATE_REFUSE:
		refuse(j);
		break;
	case GATE_ADMIT:
		admit(j);
		break;
	case GATE_PASS:
		curl_job_move(j, CURL_JOB_OVER);
		break;
	}
}

struct curl_drive
curl_drive_begin(struct curl_multi *m, CURLM *multi, const void *frame)
{
	struct curl_drive d = {m != NULL ? multi : NULL, 0};
	int saved = errno;

	if (m == NULL)
		return d;
	while (m->jobs[CURL_JOB_NEW].first != NULL)
		ask(m->jobs[CURL_JOB_NEW].first);
	if ((m->jobs[CURL_JOB_WAITING].count > 0 || m->jobs[CURL_JOB_GOING].count > 0 ||
	     m->jobs[CURL_JOB_ANSWERED].count > 0) &&
	    curl_transfers_may_begin(multi)) {
		struct curl_transfer t = {.frame = frame, .call.handle = multi};

		d.id = curl_transfers_begin(&t);
	}
	errno = saved;
	return d;
}

/* The program may use the handle again, from where it reads the message. */
static void
tell_refused(struct curl_job *j, CURLMsg *message)
{
	message->data.result = CURLE_COULDNT_CONNECT;
	curl_unhide(j->handle, handle_of(j));
	if (j->handle->error_buffer != NULL)
		strcpy(j->handle->error_buffer, j->message);
}

static void
end_answered(struct curl_job *j, CURLMsg *message)
{
	if (curl_answer_end(j->handle, handle_of(j), message->data.result))
		return;
	message->data.result = CURLE_COULDNT_CONNECT;
	curl_call_set_refused(j->handle, &j->call, j->handle->error_buffer);
}

/* What libcurl says of a transfer. */
static void
settle(struct curl_multi *m, CURLMsg *message)
{
	struct curl_handle *h = curl_handle_find(message->easy_handle);
	struct curl_job *j = h != NULL ? h->job : NULL;

	if (message->msg != CURLMSG_DONE || j == NULL || j->multi != m)
		return;
	if (j->state == CURL_JOB_REFUSED)
		tell_refused(j, message);
	else if (j->state == CURL_JOB_ANSWERED)
		end_answered(j, message);
	else if (is_counted(j))
		curl_call_end(h, &j->call, message->data.result);
	curl_fallback_leave(h, handle_of(j));
	curl_job_move(j, CURL_JOB_OVER);
}

/* libcurl keeps a message with its handle, so it may be read before the program does. */
static void
read_messages(struct curl_multi *m, CURLM *multi)
{
	CURLMsg *message;
	int queued;

	while (curl_said_reserve(m) && (message = m->info_read(multi, &queued)) != NULL) {
		settle(m, message);
		curl_said_put(m, message);
	}
}

static void
look_for_answers(struct curl_multi *m, bool is_whole)
{
	struct curl_jobs *waiting = &m->jobs[CURL_JOB_WAITING];
	struct curl_job *next;

	if (waiting->count == 0)
		return;
	if (!is_whole && waiting->count > LOOKS_MAX) {
		uint64_t now_ns = clock_coarse_ns();

		if (now_ns == m->looked_ns)
			return;
		m->looked_ns = now_ns;
	}
	for (struct curl_job *j = waiting->first; j != NULL; j = next) {
		next = j->next;
		if (!is_counted(j) || curl_call_look(&j->call))
			curl_job_move(j, CURL_JOB_GOING);
	}
}

static void
serve_answers(struct curl_multi *m)
{
	for (struct curl_job *j = m->jobs[CURL_JOB_ANSWERED].first; j != NULL; j = j->next)
		curl_answer_serve(j->handle->answer);
}

bool
curl_drive_is_on(const CURLM *multi)
{
	return curl_transfers_has(multi);
}

void
curl_drive_end(const struct curl_drive *d, bool is_whole)
{
	struct curl_transfer t;
	struct curl_multi *m;
	int saved = errno;

	if (d->multi == NULL)
		return;
	if (d->id != 0)
		curl_transfers_end(d->id, &t);
	m = curl_multis_find(d->multi);
	if (m != NULL && !curl_drive_is_on(d->multi)) {
		read_messages(m, d->multi);
		serve_answers(m);
		look_for_answers(m, is_whole);
	}
	errno = saved;
}

/* NULL: the message is of none. */
static const struct curl_call *
refusal_in(const CURLMsg *message)
{
	const struct curl_handle *h = curl_handle_find(message->easy_handle);

	return h != NULL && h->is_refused && h->job != NULL ? &h->job->call : NULL;
}

/* In a callback libcurl tells nothing, so neither do we. */
CURLMsg *
curl_drive_read(struct curl_multi *m, CURLM *multi, int *queued)
{
	CURLMsg *message = NULL;
	int saved = errno;

	if (!curl_drive_is_on(multi)) {
		read_messages(m, multi);
		message = curl_said_take(m);
	}
	if (message != NULL) {
		curl_call_told(refusal_in(message));
		*queued = (int)m->said_count;
	} else {
		message = m->info_read(multi, queued);
		if (message != NULL)
			settle(m, message);
	}
	errno = saved;
	return message;
}

static void
leave(struct curl_job *j)
{
	if (j->state == CURL_JOB_REFUSED)
		curl_unhide(j->handle, handle_of(j));
	else if (j->state == CURL_JOB_ANSWERED)
		curl_answer_leave(j->handle, handle_of(j));
	else if (is_counted(j))
		curl_call_leave(&j->call);
	curl_fallback_leave(j->handle, handle_of(j));
	curl_job_part(j);
}

void
curl_drive_leave(struct curl_handle *h)
{
	int saved = errno;

	if (curl_job_is_in(h)) {
		curl_said_drop(h->job->multi, load_relaxed(&h->key));
		leave(h->job);
	}
	errno = saved;
}

void
curl_drive_leave_all(struct curl_multi *m)
{
	int saved = errno;

	for (unsigned state = 0; state < CURL_JOB_STATES; state++)
		while (m->jobs[state].first != NULL)
			leave(m->jobs[state].first);
	errno = saved;
}

void
curl_drive_forget(struct curl_handle *h)
{
	struct curl_job *j = h->job;
	int saved = errno;

	if (curl_job_is_in(h)) {
		curl_said_drop(j->multi, load_relaxed(&h->key));
		if (is_counted(j))
			curl_call_forget(&j->call);
		curl_job_part(j);
	}
	curl_answer_forget(h);
	curl_fallback_forget(h);
	curl_job_free(h);
	errno = saved;
}

static bool
is_hidden(const struct curl_handle *h)
{
	return curl_job_is_in(h) && h->job->state == CURL_JOB_REFUSED;
}

void
curl_drive_option(const struct curl_handle *h, void *handle, int option)
{
	if (is_hidden(h) && curl_hides(option))
		curl_hide(h, handle);
}

void
curl_drive_duplicate(const struct curl_handle *h, void *copy)
{
	if (is_hidden(h))
		curl_unhide(h, copy);
}

void
curl_drive_after_fork(void)
{
	process++;
}
