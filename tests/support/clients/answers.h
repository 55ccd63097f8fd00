/* Handles of libcurl whose transfers are told on stdout, and a breaker that is open. */
#ifndef CLIENTS_ANSWERS_H
#define CLIENTS_ANSWERS_H

#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#undef curl_easy_getinfo

static const char *well, *bad;

static char body[65536];
static size_t body_len;

static size_t
on_body(char *data, size_t size, size_t count, void *context)
{
	(void)context;
	memcpy(body + body_len, data, size * count);
	body_len += size * count;
	body[body_len] = '\0';
	return size * count;
}

static CURL *
handle_to(const char *url)
{
	CURL *handle = curl_easy_init();

	curl_easy_setopt(handle, CURLOPT_URL, url);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(handle, CURLOPT_TIMEOUT, 20L);
	return handle;
}

static void
tell(const char *what, CURL *handle, CURLcode code)
{
	long status = -1;

	curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	printf("%s %d %ld %s\n", what, (int)code, status, body);
	body[body_len = 0] = '\0';
}

static void
perform(const char *what, CURL *handle)
{
	tell(what, handle, curl_easy_perform(handle));
}

static void
open_breaker(void)
{
	CURL *handle = handle_to(bad);

	perform("failed", handle);
	curl_easy_cleanup(handle);
}

struct answer_case {
	const char *name;
	void (*run)(void);
};

/* The program's arguments: the name of a case, a URL that answers, one that does not. */
static int
run_case(const struct answer_case *cases, size_t count, char *argv[])
{
	well = argv[2];
	bad = argv[3];
	setvbuf(stdout, NULL, _IONBF, 0);
	curl_global_init(CURL_GLOBAL_ALL);
	open_breaker();
	for (size_t i = 0; i < count; i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return 0;
}

#endif
