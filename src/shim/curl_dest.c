#include "shim/curl_dest.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim/real.h"

#ifndef CURLU_PUNYCODE
#define CURLU_PUNYCODE (1 << 12)
#endif

/* The URL functions of one libcurl. */
struct parser {
	CURLU *(*new_url)(void);
	void (*cleanup)(CURLU *);
	CURLUcode (*set)(CURLU *, CURLUPart, const char *, unsigned);
	CURLUcode (*get)(const CURLU *, CURLUPart, char **, unsigned);
	void (*free_text)(void *);
};

/* libcurl before 7.62 has none. */
static bool
find_parser(const void *library, struct parser *p)
{
	p->new_url = real_for("curl_url", library);
	p->cleanup = real_for("curl_url_cleanup", library);
	p->set = real_for("curl_url_set", library);
	p->get = real_for("curl_url_get", library);
	p->free_text = real_for("curl_free", library);
	return p->new_url != NULL && p->cleanup != NULL && p->set != NULL && p->get != NULL &&
	       p->free_text != NULL;
}

static bool
has_scheme(const char *url)
{
	size_t len = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789+-.");

	return len > 0 && url[len] == ':' && url[len + 1] == '/';
}

/*
 * As libcurl goes about a URL without a scheme: the default one, else it guesses.  With
 * a scheme that it does not know it calls nobody.
 */
static bool
parse(const struct parser *p, CURLU *u, const char *url, const char *default_protocol)
{
	if (default_protocol == NULL || has_scheme(url))
		return p->set(u, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == CURLUE_OK;

	size_t size = strlen(default_protocol) + strlen("://") + strlen(url) + 1;
	char *whole = malloc(size);
	bool parsed;

	if (whole == NULL)
		return false;
	snprintf(whole, size, "%s://%s", default_protocol, url);
	parsed = p->set(u, CURLUPART_URL, whole, 0) == CURLUE_OK;
	free(whole);
	return parsed;
}

/* Copies a part.  False: there is none, or it is too long. */
static bool
get(const struct parser *p, const CURLU *u, CURLUPart part, unsigned flags, char *out, size_t size)
{
	char *text = NULL;
	bool fits;

	if (p->get(u, part, &text, flags) != CURLUE_OK || text == NULL)
		return false;
	fits = strlen(text) < size;
	if (fits)
		strcpy(out, text);
	p->free_text(text);
	return fits && out[0] != '\0';
}

/* libcurl looks up the name in ASCII; older ones cannot tell it. */
static bool
get_host(const struct parser *p, const CURLU *u, char host[DEST_NAME_MAX + 2])
{
	return get(p, u, CURLUPART_HOST, CURLU_PUNYCODE, host, DEST_NAME_MAX + 2) ||
	       get(p, u, CURLUPART_HOST, 0, host, DEST_NAME_MAX + 2);
}

static int32_t
port_of(const struct parser *p, const CURLU *u, long wanted)
{
	char text[8];
	uint16_t port;

	if (wanted > 0 && wanted <= UINT16_MAX)
		return (int32_t)wanted;
	if (get(p, u, CURLUPART_PORT, CURLU_DEFAULT_PORT, text, sizeof(text)) &&
	    dest_port_parse((struct span){text, (uint32_t)strlen(text)}, &port))
		return port;
	return DEST_PORT_UNKNOWN;
}

typedef bool use_fn(const struct parser *, const CURLU *, const struct curl_handle *, void *);

/* Calls use() with the parts of that URL. */
static bool
with_text(const struct parser *p, const struct curl_handle *h, const char *url, use_fn *use,
	  void *out)
{
	CURLU *u = url != NULL ? p->new_url() : NULL;
	bool done = u != NULL && parse(p, u, url, h->default_protocol) && use(p, u, h, out);

	if (u != NULL)
		p->cleanup(u);
	return done;
}

/* Calls use() with the parts of the handle's own URL. */
static bool
with_own(const struct curl_handle *h, use_fn *use, void *out)
{
	struct parser p;

	if (!find_parser(h->library, &p))
		return false;
	return h->parsed_url != NULL ? use(&p, h->parsed_url, h, out)
				     : with_text(&p, h, h->url, use, out);
}

static bool
take_dest(const struct parser *p, const CURLU *u, const struct curl_handle *h, void *context)
{
	struct curl_dest *out = context;
	char scheme[16];

	if (!get_host(p, u, out->host))
		return false;
	out->port = port_of(p, u, h->port);
	out->is_http = get(p, u, CURLUPART_SCHEME, 0, scheme, sizeof(scheme)) &&
		       (strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0);
	return true;
}

static bool
take_host(const struct parser *p, const CURLU *u, const struct curl_handle *h, void *host)
{
	(void)h;
	return get_host(p, u, host);
}

static bool
take_url(const struct parser *p, const CURLU *u, const struct curl_handle *h, void *context)
{
	char *text = NULL, **copy = context;

	(void)h;
	if (p->get(u, CURLUPART_URL, &text, 0) != CURLUE_OK || text == NULL)
		return false;
	*copy = strdup(text);
	p->free_text(text);
	return *copy != NULL;
}

bool
curl_dest_of(const struct curl_handle *h, struct curl_dest *out)
{
	memset(out, 0, sizeof(*out));
	if (h->is_unix || !with_own(h, take_dest, out))
		return false;

	struct span host = {out->host, (uint32_t)strlen(out->host)};

	if (dest_addr_parse(host, &out->addr))
		out->host[0] = '\0';
	return true;
}

bool
curl_dest_host(const struct curl_handle *h, const char *url, char host[DEST_NAME_MAX + 2])
{
	struct parser p;

	return find_parser(h->library, &p) && with_text(&p, h, url, take_host, host);
}

char *
curl_dest_url(const struct curl_handle *h)
{
	char *url = NULL;

	with_own(h, take_url, &url);
	return url;
}

struct dest
curl_dest_value(const struct curl_dest *d)
{
	struct span host = {d->host, (uint32_t)strlen(d->host)};

	return (struct dest){dest_name_trim(host), d->addr, d->port};
}
