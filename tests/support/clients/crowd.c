/*
 * crowd URL PROCESSES THREADS: everybody asks for it again and again until stdin ends;
 * prints how many asks were refused, answered well, and neither.  PROCESSES 0: the
 * threads are in this one.  Exit status 1: a process crashed.  Needs -lcurl.
 */
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_US 2000

static struct {
	atomic_bool is_over;
	atomic_ulong refused, well, other;
} *shared;

static const char *url;

static size_t
drop(char *data, size_t size, size_t count, void *context)
{
	(void)data, (void)context;
	return size * count;
}

static int
stop_at_the_end(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	(void)context, (void)a, (void)b, (void)c, (void)d;
	return shared->is_over;
}

static void *
ask(void *unused)
{
	CURL *curl = curl_easy_init();

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_at_the_end);
	while (!shared->is_over) {
		CURLcode code = curl_easy_perform(curl);

		if (code == CURLE_COULDNT_CONNECT)
			shared->refused++;
		else if (code == CURLE_OK)
			shared->well++;
		else
			shared->other++;
		usleep(PAUSE_US);
	}
	curl_easy_cleanup(curl);
	return unused;
}

static pthread_t *
start_threads(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, ask, NULL) != 0)
			exit(2);
	return threads;
}

static void
join_threads(pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void
be_process(int count)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	join_threads(start_threads(count), count);
	_exit(0);
}

static int
wait_for_all(void)
{
	int status, crashed = 0;

	while (wait(&status) > 0)
		crashed |= WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
	return crashed;
}

int
main(int argc, char **argv)
{
	pthread_t *own = NULL;
	int count, crashed;
	char byte;

	if (argc != 4)
		return 2;
	count = atoi(argv[3]);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	url = argv[1];
	curl_global_init(CURL_GLOBAL_DEFAULT);
	for (int i = atoi(argv[2]); i > 0; i--)
		if (fork() == 0)
			be_process(count);
	if (atoi(argv[2]) == 0)
		own = start_threads(count);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	shared->is_over = 1;
	if (own)
		join_threads(own, count);
	crashed = wait_for_all();
	printf("refused %lu well %lu other %lu\n", shared->refused, shared->well, shared->other);
	return crashed;
}
