/*
 * texts locales DEAD NAME...: in each locale, after a connect to the port DEAD, the texts of all
 * errors; a line `NAME: TEXT` for each, and last that of the connect's own.
 * texts threads DEAD OTHER TEXT: eight threads fail side by side, each second one at OTHER;
 * says how often one of them read the text of its own failure, TEXT at DEAD and the system's
 * at OTHER, and the system's for another error.
 * texts after DEAD OTHER: what one thread reads after a connect to DEAD, after the system has
 * refused one to OTHER, and for no room at all after another one to DEAD.
 */
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "connects.h"

#define THREADS 8
#define ROUNDS 500
#define ERRORS 140

static const char *message;
static char system_refused[256], system_missing[256];
static pthread_barrier_t side_by_side;
static int ports[2];

/* Its errno; 0: it went well. */
static int
fail_at(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = connect_fd(fd, port) == 0 ? 0 : errno;

	close(fd);
	return error;
}

static void
show_locale(const char *name)
{
	int error;

	if (setlocale(LC_ALL, name) == NULL) {
		printf("%s: there is no such locale\n", name);
		return;
	}
	error = fail_at(ports[0]);
	printf("%s: %s\n", name, strerror(ENOENT));
	for (int number = 0; number < ERRORS; number++)
		if (number != error)
			printf("%s: %s\n", name, strerror(number));
	printf("%s: %s\n", name, strerror(error));
}

/* By each function that gives one. */
static int
reads(int error, const char *text)
{
	char own[1024];
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
	int is_right = strcmp(strerror(error), text) == 0 &&
		       strcmp(strerror_r(error, own, sizeof(own)), text) == 0 &&
		       strcmp(strerror_l(error, c), text) == 0;

	freelocale(c);
	return is_right;
}

static void *
fail_often(void *at)
{
	int is_other = at != NULL;
	size_t right = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&side_by_side);
		int error = fail_at(ports[is_other]);

		right += error == ECONNREFUSED && reads(ENOENT, system_missing) &&
			 reads(error, is_other ? system_refused : message) &&
			 reads(ENOENT, system_missing);
	}
	return (void *)right;
}

static void
run_threads(void)
{
	pthread_t threads[THREADS];
	size_t right = 0;

	pthread_barrier_init(&side_by_side, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fail_often, i % 2 ? &ports : NULL);
	for (size_t i = 0; i < THREADS; i++) {
		void *count;

		pthread_join(threads[i], &count);
		right += (size_t)count;
	}
	printf("%zu of %d\n", right, THREADS * ROUNDS);
}

static void
show_after(void)
{
	for (int i = 0; i < 2; i++)
		printf("%s\n", strerror(fail_at(ports[i])));
	printf("%s\n", strerror_r(fail_at(ports[0]), NULL, 0));
}

int
main(int argc, char **argv)
{
	(void)argc;
	ports[0] = atoi(argv[2]);
	if (strcmp(argv[1], "locales") == 0) {
		fail_at(ports[0]);
		for (char **name = argv + 3; *name != NULL; name++)
			show_locale(*name);
		return 0;
	}
	ports[1] = atoi(argv[3]);
	if (strcmp(argv[1], "after") == 0) {
		fail_at(ports[0]);
		show_after();
		return 0;
	}
	message = argv[4];
	strcpy(system_refused, strerror(ECONNREFUSED));
	strcpy(system_missing, strerror(ENOENT));
	fail_at(ports[0]);
	run_threads();
	return 0;
}
