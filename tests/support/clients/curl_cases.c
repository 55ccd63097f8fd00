/*
 * What programs do with handles of libcurl.
 *
 *     curl_cases CASE WELL BAD
 *
 * WELL is a URL that answers, BAD one that refuses connects.  Each line of the output
 * is `WHAT CODE STATUS TEXT`.
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef curl_easy_getinfo

static const char *well, *bad;

static size_t
sink(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)unused;
	return size * count;
}

static CURL *
handle_to(const char *url)
{
	CURL *handle = curl_easy_init();

	curl_easy_setopt(handle, CURLOPT_URL, url);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
	return handle;
}

static void
tell(const char *what, CURL *handle, CURLcode code, const char *text)
{
	long status = -1;

	curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	printf("%s %d %ld %s\n", what, (int)code, status, text);
}

static void
perform(const char *what, CURL *handle)
{
	char error[CURL_ERROR_SIZE] = "";

	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
	tell(what, handle, curl_easy_perform(handle), error);
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
}

static void
perform_once(const char *what, const char *url)
{
	CURL *handle = handle_to(url);

	perform(what, handle);
	curl_easy_cleanup(handle);
}

/* Two infos of pointers that no two runs agree on, and one that sends a warning. */
static int
is_told(int number)
{
	return number != 43 && number != 45 && number != 27;
}

static void
tell_info(const char *what, CURL *handle, int type, int number)
{
	union {
		char *text;
		long number;
		double real;
		curl_off_t offset;
		struct curl_certinfo *list;
		curl_socket_t socket;
	} v;

	memset(&v, 0, sizeof(v));
	if (curl_easy_getinfo(handle, (CURLINFO)(type + number), &v) != CURLE_OK)
		return;
	printf("%s %d ", what, number);
	if (type == CURLINFO_STRING)
		printf("%s\n", v.text ? v.text : "NULL");
	else if (type == CURLINFO_LONG)
		printf("%ld\n", v.number);
	else if (type == CURLINFO_DOUBLE)
		printf("%.6f\n", v.real);
	else if (type == CURLINFO_OFF_T)
		printf("%ld\n", (long)v.offset);
	else if (type == CURLINFO_SOCKET)
		printf("%d\n", v.socket);
	else
		printf("%d\n", number == 34 ? v.list->num_of_certs : v.list != NULL);
}

static void
tell_infos(const char *what, CURL *handle)
{
	for (int number = 1; number <= (int)CURLINFO_LASTONE; number++)
		for (int type = CURLINFO_STRING; type <= CURLINFO_OFF_T; type += CURLINFO_STRING)
			if (is_told(number))
				tell_info(what, handle, type, number);
}

static void
infos(void)
{
	CURL *handle = handle_to(well);

	curl_easy_setopt(handle, CURLOPT_PRIVATE, "mine");
	perform("well", handle);
	curl_easy_setopt(handle, CURLOPT_URL, bad);
	perform("bad", handle);
	tell_infos("failed", handle);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	perform("well", handle);
	curl_easy_setopt(handle, CURLOPT_URL, bad);
	perform("bad", handle);
	tell_infos("refused", handle);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	perform("well", handle);
	curl_easy_cleanup(handle);
}

static void
buffers(void)
{
	char buffer[CURL_ERROR_SIZE + 64];
	CURL *handle = handle_to(bad);
	size_t end;

	perform("bad", handle);
	memset(buffer, '#', sizeof(buffer));
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
	tell("dropped", handle, curl_easy_perform(handle), buffer[0] == '#' ? "kept" : "written");
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
	tell("long", handle, curl_easy_perform(handle), "");
	for (end = sizeof(buffer); end > 0 && buffer[end - 1] == '#'; end--)
		;
	printf("filled %zu of %d\n", end, CURL_ERROR_SIZE);
	curl_easy_cleanup(handle);
}

static void
duplicates(void)
{
	CURL *handle = handle_to(bad), *copy;

	perform("bad", handle);
	perform("bad", handle);
	copy = curl_easy_duphandle(handle);
	perform("copy", copy);
	curl_easy_setopt(copy, CURLOPT_URL, well);
	perform("copy", copy);
	perform("bad", handle);
	curl_easy_cleanup(handle);
	perform("copy", copy);
	curl_easy_cleanup(copy);
}

static void
resets(void)
{
	CURL *handle = handle_to(bad);

	perform("bad", handle);
	perform("bad", handle);
	curl_easy_reset(handle);
	perform("reset", handle);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
	perform("well", handle);
	curl_easy_cleanup(handle);
}

/* The several ways to say where to. */
static void
urls(void)
{
	const char *rest = strstr(bad, "://") + 3;
	const char *port = strchr(rest, ':') + 1;
	CURLU *parts = curl_url();
	CURL *handle = handle_to(rest);

	perform("bad", handle);
	perform("guessed", handle);
	curl_easy_setopt(handle, CURLOPT_DEFAULT_PROTOCOL, "http");
	perform("default", handle);
	curl_easy_setopt(handle, CURLOPT_URL, "http://me:secret@0x7f.0.0.1:1/%20?#");
	curl_easy_setopt(handle, CURLOPT_PORT, atol(port));
	perform("port", handle);
	curl_easy_setopt(handle, CURLOPT_PORT, 0L);
	curl_url_set(parts, CURLUPART_URL, bad, 0);
	curl_easy_setopt(handle, CURLOPT_CURLU, parts);
	perform("parts", handle);
	curl_easy_setopt(handle, CURLOPT_CURLU, NULL);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	perform("well", handle);
	curl_easy_setopt(handle, CURLOPT_URL, "file:///dev/null");
	perform("file", handle);
	curl_easy_setopt(handle, CURLOPT_URL, "http://[");
	perform("malformed", handle);
	curl_easy_cleanup(handle);
	curl_url_cleanup(parts);
}

static size_t
perform_inside(char *data, size_t size, size_t count, void *outer)
{
	(void)data;
	perform_once("inner", well);
	perform_once("inner", bad);
	/* libcurl does not allow this. */
	printf("same %d\n", (int)curl_easy_perform(outer));
	return size * count;
}

static void
nested(void)
{
	CURL *handle = handle_to(well);

	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, perform_inside);
	curl_easy_setopt(handle, CURLOPT_WRITEDATA, handle);
	perform("outer", handle);
	printf("null %d\n", (int)curl_easy_perform(NULL));
	curl_easy_cleanup(handle);
}

static void
by_multi(CURL *handle)
{
	CURLM *multi = curl_multi_init();
	int running = 1, queued;

	curl_multi_add_handle(multi, handle);
	while (running > 0 && curl_multi_perform(multi, &running) == CURLM_OK)
		curl_multi_poll(multi, NULL, 0, 100, NULL);
	tell("multi", handle, curl_multi_info_read(multi, &queued)->data.result, "");
	curl_multi_remove_handle(multi, handle);
	curl_multi_cleanup(multi);
}

static void
multi(void)
{
	CURL *handle = handle_to(bad);

	perform("bad", handle);
	perform("bad", handle);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	by_multi(handle);
	curl_easy_cleanup(handle);
}

static jmp_buf outside;

static size_t
jump(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)size;
	(void)count;
	(void)unused;
	longjmp(outside, 1);
}

static void
jumps(void)
{
	CURL *volatile left = handle_to(well);
	CURL *handle = handle_to(well);

	curl_easy_setopt(left, CURLOPT_WRITEFUNCTION, jump);
	if (setjmp(outside) == 0)
		curl_easy_perform(left);
	/* Unseen but for its connect, if the shim does not think that it is still inside. */
	curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);

	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD);
	CURLcode (*unseen)(CURL *) = (CURLcode(*)(CURL *))dlsym(library, "curl_easy_perform");

	tell("unseen", handle, unseen(handle), "");
	dlclose(library);
	curl_easy_cleanup(handle);
}

#define THREADS 16
#define TRANSFERS 20

static void *
many(void *unused)
{
	(void)unused;
	for (int i = 0; i < TRANSFERS; i++) {
		CURL *handle = handle_to(i % 2 == 0 ? well : bad);

		curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
		curl_easy_perform(handle);
		curl_easy_cleanup(handle);
	}
	return NULL;
}

static void
threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("done 0 0\n");
}

static void
errnos(void)
{
	CURL *handle = handle_to(well);

	errno = 0;
	curl_easy_setopt(handle, CURLOPT_URL, well);
	printf("setopt %d\n", errno);
	errno = ENOTTY;
	curl_easy_perform(handle);
	curl_easy_cleanup(handle);
	printf("perform %s\n", errno == ENOTTY ? "kept" : strerror(errno));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"infos", infos},     {"buffers", buffers}, {"duplicates", duplicates}, {"resets", resets},
	{"urls", urls},	      {"nested", nested},   {"multi", multi},		{"jumps", jumps},
	{"threads", threads}, {"errnos", errnos},
};

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	curl_global_init(CURL_GLOBAL_ALL);
	well = argv[2];
	bad = argv[3];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, argv[1]) == 0)
			cases[i].run();
	curl_global_cleanup();
	return 0;
}
