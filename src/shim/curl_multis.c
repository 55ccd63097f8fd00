#include "shim/curl_multis.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/atomics.h"
#include "shim/real.h"

#define WAYS 32 /* places that a multi handle may have */

static struct curl_multi multis[CURL_MULTIS_MAX];

static struct curl_multi *
place_of(const void *multi, unsigned way)
{
	uint64_t hash = (uintptr_t)multi * UINT64_C(0x9e3779b97f4a7c15);

	return &multis[((hash >> 32) + way) % CURL_MULTIS_MAX];
}

struct curl_multi *
curl_multis_find(const void *multi)
{
	for (unsigned way = 0; way < WAYS; way++) {
		struct curl_multi *m = place_of(multi, way);

		if (load_acquire(&m->key) == multi)
			return m;
	}
	return NULL;
}

struct curl_multi *
curl_multis_add(const void *multi, const void *library)
{
	curl_info_read_fn *info_read = real_for("curl_multi_info_read", library);
	struct curl_multi *m = curl_multis_find(multi);

	if (m != NULL || info_read == NULL)
		return m;
	for (unsigned way = 0; way < WAYS; way++) {
		const void *nobody = NULL;

		m = place_of(multi, way);
		if (cas_acq_rel(&m->key, &nobody, multi)) {
			m->library = library;
			m->info_read = info_read;
			return m;
		}
	}
	return NULL;
}

void
curl_multis_remove(struct curl_multi *m)
{
	int saved = errno;

	free(m->said);
	m->said = NULL;
	m->said_count = m->said_size = 0;
	m->max_of_host = m->max_of_all = 0;
	m->looked_ns = 0;
	store_release(&m->key, NULL);
	errno = saved;
}

static void
link_last(struct curl_job *j)
{
	struct curl_jobs *list = &j->multi->jobs[j->state];

	j->next = NULL;
	j->previous = list->last;
	*(list->last != NULL ? &list->last->next : &list->first) = j;
	list->last = j;
	list->count++;
}

static void
unlink_job(struct curl_job *j)
{
	struct curl_jobs *list = &j->multi->jobs[j->state];

	*(j->previous != NULL ? &j->previous->next : &list->first) = j->next;
	*(j->next != NULL ? &j->next->previous : &list->last) = j->previous;
	list->count--;
}

struct curl_job *
curl_job_join(struct curl_multi *m, struct curl_handle *h)
{
	int saved = errno;

	if (h->job == NULL)
		h->job = calloc(1, sizeof(*h->job));
	errno = saved;
	if (h->job == NULL || h->job->multi != NULL)
		return NULL;
	h->job->handle = h;
	h->job->multi = m;
	h->job->state = CURL_JOB_NEW;
	link_last(h->job);
	return h->job;
}

void
curl_job_move(struct curl_job *j, enum curl_job_state state)
{
	unlink_job(j);
	j->state = state;
	link_last(j);
}

bool
curl_job_is_in(const struct curl_handle *h)
{
	return h->job != NULL && h->job->multi != NULL;
}

void
curl_job_part(struct curl_job *j)
{
	if (j->multi == NULL)
		return;
	unlink_job(j);
	j->multi = NULL;
}

void
curl_job_free(struct curl_handle *h)
{
	int saved = errno;

	free(h->job);
	h->job = NULL;
	errno = saved;
}

bool
curl_said_reserve(struct curl_multi *m)
{
	unsigned size = m->said_size > 0 ? 2 * m->said_size : 16;
	struct curl_said *more;
	int saved = errno;

	if (m->said_count < m->said_size)
		return true;
	more = realloc(m->said, size * sizeof(*more));
	errno = saved;
	if (more == NULL)
		return false;
	m->said = more;
	m->said_size = size;
	return true;
}

void
curl_said_put(struct curl_multi *m, CURLMsg *message)
{
	m->said[m->said_count++] = (struct curl_said){message->easy_handle, message};
}

static void
take_out(struct curl_multi *m, unsigned i)
{
	m->said_count--;
	memmove(&m->said[i], &m->said[i + 1], (m->said_count - i) * sizeof(m->said[0]));
}

CURLMsg *
curl_said_take(struct curl_multi *m)
{
	CURLMsg *oldest;

	if (m->said_count == 0)
		return NULL;
	oldest = m->said[0].message;
	take_out(m, 0);
	return oldest;
}

void
curl_said_drop(struct curl_multi *m, const void *handle)
{
	for (unsigned i = m->said_count; i-- > 0;)
		if (m->said[i].handle == handle)
			take_out(m, i);
}
