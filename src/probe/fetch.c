#include "probe/fetch.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions, called by their addresses: the headers' macros are for linked names. */
struct library {
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *, CURLoption, ...);
	CURLcode (*perform)(CURL *);
	const char *(*strerror)(CURLcode);
	void (*cleanup)(CURL *);
	struct curl_slist *(*append)(struct curl_slist *, const char *);
	void (*free_all)(struct curl_slist *);
};

static bool
find(void *library, const char *name, void *out)
{
	void *found = dlsym(library, name);

	memcpy(out, &found, sizeof(found));
	return found != NULL;
}

static bool
load(struct library *l)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4",
					    "libcurl-nss.so.4"};
	void *library = NULL;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) && library == NULL; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library != NULL && find(library, "curl_easy_init", &l->init) &&
	       find(library, "curl_easy_setopt", &l->setopt) &&
	       find(library, "curl_easy_perform", &l->perform) &&
	       find(library, "curl_easy_strerror", &l->strerror) &&
	       find(library, "curl_easy_cleanup", &l->cleanup) &&
	       find(library, "curl_slist_append", &l->append) &&
	       find(library, "curl_slist_free_all", &l->free_all);
}

/* What of the answer has come. */
struct head {
	unsigned status;
	bool is_whole;
};

/* The head tells all: a body, which may be endless, is not waited for. */
static size_t
stop_at_body(char *data, size_t size, size_t count, void *context)
{
	struct head *head = context;

	(void)data, (void)size, (void)count;
	head->is_whole = true;
	return 0;
}

static size_t
take_head(char *line, size_t size, size_t count, void *context)
{
	struct head *head = context;
	size_t len = size * count;

	if (len > 10 && memcmp(line, "HTTP/", 5) == 0) {
		const char *space = memchr(line, ' ', len - 4);

		head->status = space != NULL ? (unsigned)strtoul(space, NULL, 10) : 0;
	}
	/* An informational answer has another one behind it. */
	head->is_whole = len <= 2 && head->status >= 200;
	return head->is_whole ? 0 : len;
}

static bool
is_local(CURLcode code)
{
	switch (code) {
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_FAILED_INIT:
	case CURLE_URL_MALFORMAT:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_NOT_BUILT_IN:
	case CURLE_OUT_OF_MEMORY:
	case CURLE_INTERFACE_FAILED:
	case CURLE_UNKNOWN_OPTION:
	case CURLE_BAD_FUNCTION_ARGUMENT:
	case CURLE_SSL_ENGINE_NOTFOUND:
	case CURLE_SSL_ENGINE_SETFAILED:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CRL_BADFILE:
		return true;
	default:
		return false;
	}
}

/* As the curl command takes its environment; libcurl itself does not. */
static void
set_certificates(const struct library *l, CURL *curl)
{
	const char *bundle = getenv("CURL_CA_BUNDLE");
	const char *directory = getenv("SSL_CERT_DIR");

	if (bundle == NULL)
		bundle = getenv("SSL_CERT_FILE");
	if (bundle != NULL && *bundle != '\0')
		l->setopt(curl, CURLOPT_CAINFO, bundle);
	if (directory != NULL && *directory != '\0')
		l->setopt(curl, CURLOPT_CAPATH, directory);
}

static struct curl_slist *
set_post(const struct library *l, CURL *curl, const char *json)
{
	struct curl_slist *headers = l->append(NULL, "Content-Type: application/json");

	/* A receiver that knows no such thing must not cost a second. */
	headers = l->append(headers, "Expect:");
	l->setopt(curl, CURLOPT_POSTFIELDS, json);
	l->setopt(curl, CURLOPT_HTTPHEADER, headers);
	return headers;
}

static void
set_options(const struct library *l, CURL *curl, const char *url, uint64_t timeout_ms,
	    struct head *head)
{
	l->setopt(curl, CURLOPT_URL, url);
	l->setopt(curl, CURLOPT_USERAGENT, "cutout/" PACKAGE_VERSION);
	l->setopt(curl, CURLOPT_NOSIGNAL, 1L);
	l->setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	l->setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms);
	l->setopt(curl, CURLOPT_WRITEFUNCTION, stop_at_body);
	l->setopt(curl, CURLOPT_WRITEDATA, head);
	l->setopt(curl, CURLOPT_HEADERFUNCTION, take_head);
	l->setopt(curl, CURLOPT_HEADERDATA, head);
	/* What a proxy answers is not it. */
	l->setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	set_certificates(l, curl);
}

void
fetch(const char *url, const char *json, uint64_t timeout_ms, struct fetched *out)
{
	char detail[CURL_ERROR_SIZE] = "";
	struct head head = {0, false};
	struct curl_slist *headers = NULL;
	struct library l;
	CURL *curl;

	*out = (struct fetched){.end = FETCH_NO_LIBRARY};
	if (!load(&l) || (curl = l.init()) == NULL)
		return;
	set_options(&l, curl, url, timeout_ms, &head);
	l.setopt(curl, CURLOPT_ERRORBUFFER, detail);
	if (json != NULL)
		headers = set_post(&l, curl, json);

	CURLcode code = l.perform(curl);

	if (code == CURLE_OK || head.is_whole) {
		out->end = FETCH_ANSWERED;
		out->status = head.status;
	} else {
		out->end = is_local(code) ? FETCH_LOCAL : FETCH_FAILED;
		snprintf(out->error, sizeof(out->error), "%s", *detail ? detail : l.strerror(code));
	}
	l.cleanup(curl);
	l.free_all(headers);
}
