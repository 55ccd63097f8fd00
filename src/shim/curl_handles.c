#include "shim/curl_handles.h"

#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WAYS 32 /* places that a handle may have */

/* Newer than the oldest headers that will do. */
#define OPTION_PROTOCOLS_STR (CURLOPTTYPE_STRINGPOINT + 318)

static struct curl_handle handles[CURL_HANDLES_MAX];

static struct curl_handle *
place_of(const void *handle, unsigned way)
{
	uint64_t hash = (uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);

	return &handles[((hash >> 32) + way) % CURL_HANDLES_MAX];
}

struct curl_handle *
curl_handle_find(const void *handle)
{
	for (unsigned way = 0; way < WAYS; way++) {
		struct curl_handle *h = place_of(handle, way);

		if (load_acquire(&h->key) == handle)
			return h;
	}
	return NULL;
}

struct curl_handle *
curl_handle_add(const void *handle, const void *library)
{
	struct curl_handle *h = curl_handle_find(handle);

	if (h != NULL)
		return h;
	for (unsigned way = 0; way < WAYS; way++) {
		const void *nobody = NULL;

		h = place_of(handle, way);
		if (cas_acq_rel(&h->key, &nobody, handle)) {
			h->library = library;
			return h;
		}
	}
	return NULL;
}

/* The old text goes, in comes a copy; NULL where there is no memory for it. */
static void
set_text(char **to, const char *text)
{
	int saved = errno;

	free(*to);
	*to = text != NULL ? strdup(text) : NULL;
	errno = saved;
}

void
curl_handle_used(struct curl_handle *h)
{
	h->is_refused = h->is_answered = false;
	set_text(&h->refused_url, NULL);
}

void
curl_handle_set_refused(struct curl_handle *h, int error, char *url)
{
	curl_handle_used(h);
	h->is_refused = true;
	h->refused_errno = error;
	h->refused_url = url;
}

void
curl_handle_set_answered(struct curl_handle *h, char *url)
{
	curl_handle_used(h);
	h->is_answered = true;
	h->refused_url = url;
}

void
curl_handle_reset(struct curl_handle *h)
{
	curl_handle_used(h);
	set_text(&h->url, NULL);
	set_text(&h->default_protocol, NULL);
	h->parsed_url = NULL;
	h->error_buffer = NULL;
	h->port = 0;
	h->verbose = 0;
	h->is_unix = false;
	h->only_connects = false;
	set_text(&h->options.protocol_names, NULL);
	h->options = (struct curl_options){0};
}

void
curl_handle_remove(struct curl_handle *h)
{
	curl_handle_reset(h);
	h->library = NULL;
	store_release(&h->key, NULL);
}

void
curl_handle_copy(struct curl_handle *to, const struct curl_handle *from)
{
	curl_handle_reset(to);
	set_text(&to->url, from->url);
	set_text(&to->default_protocol, from->default_protocol);
	to->parsed_url = from->parsed_url;
	to->error_buffer = from->error_buffer;
	to->port = from->port;
	to->verbose = from->verbose;
	to->is_unix = from->is_unix;
	to->only_connects = from->only_connects;
	to->options = from->options;
	to->options.protocol_names = NULL;
	set_text(&to->options.protocol_names, from->options.protocol_names);
}

static void
note_option(struct curl_options *o, int option, void *value)
{
	switch (option) {
	case CURLOPT_PROTOCOLS:
		o->protocols = (long)(intptr_t)value;
		set_text(&o->protocol_names, NULL);
		break;
	case OPTION_PROTOCOLS_STR:
		set_text(&o->protocol_names, value);
		o->protocols = 0;
		break;
	case CURLOPT_HTTP_VERSION:
		o->http_version = (long)(intptr_t)value;
		break;
	case CURLOPT_IPRESOLVE:
		o->ip_version = (long)(intptr_t)value;
		break;
	case CURLOPT_FRESH_CONNECT:
		o->fresh_connect = (long)(intptr_t)value;
		break;
	case CURLOPT_OPENSOCKETFUNCTION:
		o->open_socket = value;
		break;
	case CURLOPT_OPENSOCKETDATA:
		o->open_socket_data = value;
		break;
	case CURLOPT_SOCKOPTFUNCTION:
		o->socket_options = value;
		break;
	case CURLOPT_CLOSESOCKETFUNCTION:
		o->close_socket = value;
		break;
	case CURLOPT_CONNECT_TO:
		o->connect_to = value;
		break;
	}
}

void
curl_handle_note(struct curl_handle *h, int option, void *value)
{
	switch (option) {
	case CURLOPT_URL:
		set_text(&h->url, value);
		break;
	case CURLOPT_CURLU:
		h->parsed_url = value;
		break;
	case CURLOPT_DEFAULT_PROTOCOL:
		set_text(&h->default_protocol, value);
		break;
	case CURLOPT_PORT:
		h->port = (long)(intptr_t)value;
		break;
	case CURLOPT_VERBOSE:
		h->verbose = (long)(intptr_t)value;
		break;
	case CURLOPT_ERRORBUFFER:
		h->error_buffer = value;
		break;
	case CURLOPT_UNIX_SOCKET_PATH:
	case CURLOPT_ABSTRACT_UNIX_SOCKET:
		h->is_unix = value != NULL;
		break;
	case CURLOPT_CONNECT_ONLY:
		h->only_connects = value != NULL;
		break;
	default:
		note_option(&h->options, option, value);
	}
}
