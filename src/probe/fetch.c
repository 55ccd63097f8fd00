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
	CURLcode (*getinfo)(CURL *, CURLINFO, ...);
	const char *(*strerror)(CURLcode);
	struct curl_slist *(*append)(struct curl_slist *, const char *);
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
	       find(library, "curl_easy_getinfo", &l->getinfo) &&
	       find(library, "curl_easy_strerror", &l->strerror) &&
	       find(library, "curl_slist_append", &l->append);
}

/* The head tells all: a body, which may be endless, is not waited for. */
static size_t
stop_at_body(char *data, size_t size, size_t count, void *context)
{
	(void)data, (void)size, (void)count;
	*(bool *)context = true;
	return 0;
}

static bool
is_local(CURLcode code)
{
	switch (code) {
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_FAILED_INIT:
	case CURLE_URL_MALFORMAT:
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

static void
set_post(const struct library *l, CURL *curl, const char *json)
{
	struct curl_slist *headers = l->append(NULL, "Content-Type: application/json");

	/* A receiver that knows no such thing must not cost a second. */
	headers = l->append(headers, "Expect:");
	l->setopt(curl, CURLOPT_POSTFIELDS, json);
	l->setopt(curl, CURLOPT_HTTPHEADER, headers);
}

void
fetch(const char *url, const char *json, uint64_t timeout_ms, struct fetched *out)
{
	char detail[CURL_ERROR_SIZE] = "";
	bool has_body = false;
	struct library l;
	long status = 0;
	CURL *curl;

	*out = (struct fetched){.end = FETCH_NO_LIBRARY};
	if (!load(&l) || (curl = l.init()) == NULL)
		return;
	l.setopt(curl, CURLOPT_URL, url);
	l.setopt(curl, CURLOPT_USERAGENT, "cutout/" PACKAGE_VERSION);
	l.setopt(curl, CURLOPT_NOSIGNAL, 1L);
	l.setopt(curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	l.setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms);
	l.setopt(curl, CURLOPT_ERRORBUFFER, detail);
	l.setopt(curl, CURLOPT_WRITEFUNCTION, stop_at_body);
	l.setopt(curl, CURLOPT_WRITEDATA, &has_body);
	set_certificates(&l, curl);
	if (json != NULL)
		set_post(&l, curl, json);

	CURLcode code = l.perform(curl);

	l.getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK || has_body) {
		out->end = FETCH_ANSWERED;
		out->status = (unsigned)status;
		return;
	}
	out->end = is_local(code) ? FETCH_LOCAL : FETCH_FAILED;
	snprintf(out->error, sizeof(out->error), "%s", *detail ? detail : l.strerror(code));
}
