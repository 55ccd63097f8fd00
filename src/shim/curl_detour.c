#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include "shim/curl_detour.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include "shim/real.h"

#undef curl_easy_setopt

typedef CURLcode setopt_fn(CURL *, CURLoption, ...);

#define OPTION_PROTOCOLS_STR (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318)

/* A function as an option's value. */
#define VALUE(function) ((void *)(uintptr_t)(function))

/* How a handle is to be set: on the way, or as the program has it. */
struct setting {
	setopt_fn *setopt;
	void *handle;
	const struct curl_options *own;
	bool is_good; /* so far */
};

static void
set(struct setting *s, CURLoption option, const void *value)
{
	if (s->is_good)
		s->is_good = s->setopt(s->handle, option, value) == CURLE_OK;
}

static void
set_number(struct setting *s, CURLoption option, long value)
{
	if (s->is_good)
		s->is_good = s->setopt(s->handle, option, value) == CURLE_OK;
}

static int
say_connected(void *unused, curl_socket_t socket, curlsocktype purpose)
{
	(void)unused;
	(void)socket;
	(void)purpose;
	return CURL_SOCKOPT_ALREADY_CONNECTED;
}

/* Of what the program never set, the default lets HTTP/1.1 pass and is best left alone. */
static bool
speaks_other_http(const struct curl_options *own)
{
	return own->http_version > CURL_HTTP_VERSION_1_1;
}

static bool
has_protocols(const struct curl_options *own)
{
	return own->protocols != 0 || own->protocol_names != NULL;
}

bool
curl_detour_leads_to(const struct sockaddr *sa, socklen_t len)
{
	const struct sockaddr_un *address = (const struct sockaddr_un *)(const void *)sa;

	return len >= offsetof(struct sockaddr_un, sun_path) + sizeof(CURL_DETOUR_PATH) &&
	       memcmp(address->sun_path, CURL_DETOUR_PATH, sizeof(CURL_DETOUR_PATH)) == 0;
}

bool
curl_detour_set(const struct curl_handle *h, void *handle, const char *url,
		curl_detour_fn *open_socket, void *context)
{
	setopt_fn *setopt = (setopt_fn *)real_for("curl_easy_setopt", h->library);
	struct setting s = {setopt, handle, &h->options, setopt != NULL};
	int saved = errno;

	set(&s, CURLOPT_UNIX_SOCKET_PATH, CURL_DETOUR_PATH);
	set(&s, CURLOPT_URL, url);
	if (h->parsed_url != NULL)
		set(&s, CURLOPT_CURLU, NULL);
	set(&s, CURLOPT_OPENSOCKETFUNCTION, VALUE(open_socket));
	set(&s, CURLOPT_OPENSOCKETDATA, context);
	set(&s, CURLOPT_SOCKOPTFUNCTION, VALUE(say_connected));
	set(&s, CURLOPT_CLOSESOCKETFUNCTION, NULL);
	set_number(&s, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_WHATEVER);
	set_number(&s, CURLOPT_FRESH_CONNECT, 1);
	if (speaks_other_http(s.own))
		set_number(&s, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	if (has_protocols(s.own))
		set_number(&s, CURLOPT_PROTOCOLS, CURLPROTO_HTTP);
	if (setopt != NULL && !s.is_good)
		curl_detour_undo(h, handle);
	errno = saved;
	return s.is_good;
}

void
curl_detour_undo(const struct curl_handle *h, void *handle)
{
	setopt_fn *setopt = (setopt_fn *)real_for("curl_easy_setopt", h->library);
	const struct curl_options *own = &h->options;
	int saved = errno;

	if (setopt == NULL)
		return;
	setopt(handle, CURLOPT_UNIX_SOCKET_PATH, NULL);
	setopt(handle, CURLOPT_URL, h->url);
	if (h->parsed_url != NULL)
		setopt(handle, CURLOPT_CURLU, h->parsed_url);
	setopt(handle, CURLOPT_OPENSOCKETFUNCTION, own->open_socket);
	setopt(handle, CURLOPT_OPENSOCKETDATA, own->open_socket_data);
	setopt(handle, CURLOPT_SOCKOPTFUNCTION, own->socket_options);
	setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, own->close_socket);
	setopt(handle, CURLOPT_IPRESOLVE, own->ip_version);
	setopt(handle, CURLOPT_FRESH_CONNECT, own->fresh_connect);
	if (speaks_other_http(own))
		setopt(handle, CURLOPT_HTTP_VERSION, own->http_version);
	if (own->protocol_names != NULL)
		setopt(handle, OPTION_PROTOCOLS_STR, own->protocol_names);
	else if (own->protocols != 0)
		setopt(handle, CURLOPT_PROTOCOLS, own->protocols);
	errno = saved;
}
