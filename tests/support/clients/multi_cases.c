/*
 * What programs do with multi handles of libcurl.
 *
 *     multi_cases WAY CASE URL...
 *
 * WAY is how they are driven, `perform` or `sockets`.  A line of the output is
 * `WHAT CODE STATUS TEXT`, where TEXT is what the error buffer has.
 */
#include "multi.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANDLES_MAX 512

static struct loop loop;
static char **urls;
static unsigned url_count;
static CURL *handles[HANDLES_MAX];
static char errors[HANDLES_MAX][CURL_ERROR_SIZE];

static size_t
sink(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)unused;
	return size * count;
}

static CURL *
make(unsigned i, const char *url)
{
	handles[i] = curl_easy_init();
	curl_easy_setopt(handles[i], CURLOPT_URL, url);
	curl_easy_setopt(handles[i], CURLOPT_WRITEFUNCTION, sink);
	curl_easy_setopt(handles[i], CURLOPT_ERRORBUFFER, errors[i]);
	curl_easy_setopt(handles[i], CURLOPT_PRIVATE, (void *)(size_t)i);
	curl_easy_setopt(handles[i], CURLOPT_TIMEOUT_MS, 4000L);
	return handles[i];
}

static void
tell(CURLMsg *message)
{
	CURL *handle = message->easy_handle;
	char *number = NULL;
	long status = -1;

	curl_easy_getinfo(handle, CURLINFO_PRIVATE, &number);
	curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	printf("%zu %d %ld %s\n", (size_t)number, (int)message->data.result, status,
	       errors[(size_t)number]);
}

/* Tells what has ended; returns how many. */
static unsigned
tell_ended(void)
{
	CURLMsg *message, *messages[HANDLES_MAX];
	unsigned count = 0;
	int queued = 0;

	while ((message = curl_multi_info_read(loop.multi, &queued)) != NULL)
		messages[count++] = message;
	/* libcurl keeps them until the handles are taken out. */
	for (unsigned i = 0; i < count; i++) {
		tell(messages[i]);
		curl_multi_remove_handle(loop.multi, messages[i]->easy_handle);
	}
	return count;
}

static void
run(unsigned count)
{
	for (unsigned ended = 0; ended < count; ended += tell_ended())
		loop_step(&loop, 1000);
}

/* One for all, then one by one. */
static void
all(void)
{
	for (unsigned i = 0; i < url_count; i++)
		curl_multi_add_handle(loop.multi, make(i, urls[i]));
	run(url_count);
	printf("running %d\n", loop.running);
}

static void
series(void)
{
	for (unsigned i = 0; i < url_count; i++) {
		curl_multi_add_handle(loop.multi, make(i, urls[i]));
		run(1);
	}
	printf("running %d\n", loop.running);
}

/* The same handle: what a refusal has taken from it must be back. */
static void
again(void)
{
	char *url = NULL;

	make(0, urls[0]);
	for (unsigned i = 0; i < url_count; i++) {
		if (strcmp(urls[i], "-") != 0)
			curl_easy_setopt(handles[0], CURLOPT_URL, urls[i]);
		curl_multi_add_handle(loop.multi, handles[0]);
		run(1);
		curl_easy_getinfo(handles[0], CURLINFO_EFFECTIVE_URL, &url);
		printf("url %s\n", url);
	}
	errors[0][0] = '\0';
	printf("easy %d", curl_easy_perform(handles[0]));
	printf(" %s\n", errors[0]);
}

/* As many programs of PHP do: they never ask how a transfer ended. */
static void
unread(void)
{
	for (unsigned i = 0; i < url_count; i++) {
		curl_multi_add_handle(loop.multi, make(i, urls[i]));
		do
			loop_step(&loop, 1000);
		while (loop.running > 0);
		curl_multi_remove_handle(loop.multi, handles[i]);
		printf("%u %s\n", i, errors[i]);
	}
}

/* Drives the first URL for that long. */
static void
go_on(double seconds)
{
	double begin = now();

	curl_multi_add_handle(loop.multi, make(0, urls[0]));
	do
		loop_step(&loop, 20);
	while (now() - begin < seconds);
}

static void
leave_soon(void)
{
	go_on(0.1);
	curl_multi_remove_handle(loop.multi, handles[0]);
}

static void
leave_late(void)
{
	go_on(1.2);
	curl_multi_remove_handle(loop.multi, handles[0]);
}

static void
leave_by_cleanup(void)
{
	go_on(1.2);
	curl_easy_cleanup(handles[0]);
	handles[0] = NULL;
}

static void
leave_all(void)
{
	go_on(1.2);
	curl_multi_cleanup(loop.multi);
	loop.multi = NULL;
	curl_easy_setopt(handles[0], CURLOPT_TIMEOUT_MS, 100L);
	printf("easy %d\n", curl_easy_perform(handles[0]));
}

static void
leave_undriven(void)
{
	curl_multi_add_handle(loop.multi, make(0, urls[0]));
	usleep(1200 * 1000);
	curl_multi_remove_handle(loop.multi, handles[0]);
}

/* The ones that are refused fail among one that goes on. */
static void
among(void)
{
	go_on(0.1);
	for (unsigned i = 1; i < url_count; i++) {
		curl_multi_add_handle(loop.multi, make(i, urls[i]));
		run(1);
		printf("running %d\n", loop.running);
	}
	curl_multi_remove_handle(loop.multi, handles[0]);
}

static unsigned opened, closed;

static curl_socket_t
on_open(void *unused, curlsocktype purpose, struct curl_sockaddr *a)
{
	(void)unused;
	(void)purpose;
	opened++;
	return socket(a->family, a->socktype, a->protocol);
}

static int
on_close(void *unused, curl_socket_t fd)
{
	(void)unused;
	closed++;
	return close(fd);
}

/* Its own callbacks see the connections that there are. */
static void
callbacks(void)
{
	for (unsigned i = 0; i < url_count; i++) {
		make(i, urls[i]);
		curl_easy_setopt(handles[i], CURLOPT_OPENSOCKETFUNCTION, on_open);
		curl_easy_setopt(handles[i], CURLOPT_CLOSESOCKETFUNCTION, on_close);
		curl_multi_add_handle(loop.multi, handles[i]);
		run(1);
	}
	curl_multi_cleanup(loop.multi);
	loop.multi = NULL;
	printf("opened %u closed %u\n", opened, closed);
}

static CURL *copy;

static size_t
duplicate(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)unused;
	if (handles[1] != NULL && copy == NULL)
		copy = curl_easy_duphandle(handles[1]);
	return size * count;
}

/*
 * The second URL is tried until its breaker opens.  Then a refused one is duplicated while
 * libcurl is at it, from where the first, whose body comes late, is read.
 */
static void
duplicates(void)
{
	for (unsigned i = 2; i < 4; i++) {
		curl_multi_add_handle(loop.multi, make(i, urls[1]));
		run(1);
	}
	make(0, urls[0]);
	curl_easy_setopt(handles[0], CURLOPT_WRITEFUNCTION, duplicate);
	curl_multi_add_handle(loop.multi, handles[0]);
	for (int i = 0; i < 10; i++)
		loop_step(&loop, 20);
	usleep(700 * 1000);
	curl_multi_add_handle(loop.multi, make(1, urls[1]));
	run(2);
	printf("copy %d\n", curl_easy_perform(copy));
	curl_easy_cleanup(copy);
}

static void *
drive(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3 && loop.running > 0; i++)
		loop_step(&loop, 20);
	return NULL;
}

/* Each step in a thread of its own. */
static void
threads(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < url_count; i++)
		curl_multi_add_handle(loop.multi, make(i, urls[i]));
	loop.running = (int)url_count;
	for (unsigned ended = 0; ended < url_count; ended += tell_ended()) {
		pthread_create(&thread, NULL, drive, NULL);
		pthread_join(thread, NULL);
	}
}

/* A child that cleans up what its parent is in the middle of. */
static void
forks(void)
{
	go_on(1.2);

	pid_t child = fork();

	if (child == 0) {
		curl_multi_remove_handle(loop.multi, handles[0]);
		curl_easy_cleanup(handles[0]);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	run(1);
}

/* Not more than two connections at a time: the others wait for the program's own sake. */
static void
limited(void)
{
	curl_multi_setopt(loop.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 2L);
	all();
}

static void
limited_short(void)
{
	curl_multi_setopt(loop.multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
	for (unsigned i = 0; i < url_count; i++) {
		make(i, urls[i]);
		curl_easy_setopt(handles[i], CURLOPT_TIMEOUT_MS, 500L);
		curl_multi_add_handle(loop.multi, handles[i]);
	}
	run(url_count);
}

static void
crowd(void)
{
	for (unsigned i = 0; i < HANDLES_MAX - 100; i++)
		curl_multi_add_handle(loop.multi, make(i, urls[i % url_count]));
	run(HANDLES_MAX - 100);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"all", all},
	{"series", series},
	{"again", again},
	{"unread", unread},
	{"leave-soon", leave_soon},
	{"leave-late", leave_late},
	{"leave-by-cleanup", leave_by_cleanup},
	{"leave-all", leave_all},
	{"leave-undriven", leave_undriven},
	{"among", among},
	{"callbacks", callbacks},
	{"duplicates", duplicates},
	{"threads", threads},
	{"forks", forks},
	{"limited", limited},
	{"limited-short", limited_short},
	{"crowd", crowd},
};

int
main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	curl_global_init(CURL_GLOBAL_ALL);
	loop_begin(&loop, argv[1]);
	urls = argv + 3;
	url_count = (unsigned)argc - 3;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, argv[2]) == 0)
			cases[i].run();
	for (unsigned i = 0; i < HANDLES_MAX; i++)
		if (handles[i] != NULL)
			curl_easy_cleanup(handles[i]);
	if (loop.multi != NULL)
		curl_multi_cleanup(loop.multi);
	curl_global_cleanup();
	return 0;
}
