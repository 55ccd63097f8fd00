/*
 * The start and end of a process that does nothing.
 *
 * Each row is what is added to a start without any preloaded library; the floor is
 * what a library with nothing in it adds.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SAMPLES 600
#define SECTIONS 100

enum kind { BARE, EMPTY, BUILT_IN, HUNDRED, KINDS };

static char preload[KINDS][4096 + 16];
static char rules[4096] = "CUTOUT_RULES=";

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static double
start_ns(enum kind kind)
{
	static char name[] = "bench_start", nothing[] = "nothing";
	char *argv[] = {name, nothing, NULL};
	char *env[] = {preload[kind], kind == HUNDRED ? rules : NULL, NULL};
	uint64_t begin_ns = bench_now_ns();
	pid_t pid;
	int status;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, env) != 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		fail("spawn");
	return (double)(bench_now_ns() - begin_ns);
}

static void
write_rules(void)
{
	char *path = rules + strlen(rules);

	strcpy(path, "/tmp/bench-rules-XXXXXX");
	FILE *file = fdopen(mkstemp(path), "w");

	if (file == NULL)
		fail(path);
	for (unsigned i = 0; i < SECTIONS; i++)
		fprintf(file,
			"[service-%u]\nmatch = api%u.example.com:443\nmatch = *.host%u.example\n"
			"p99 = 5s\ncooldown = 30s\nfailure_rate = 50%%\n\n",
			i, i, i);
	fclose(file);
}

static void
row(const char *what, double samples[KINDS][SAMPLES], enum kind kind, double target)
{
	double bare = bench_median(samples[BARE], SAMPLES);
	struct bench_pair p = {
		.value = bench_median(samples[kind], SAMPLES) - bare,
		.floor = bench_median(samples[EMPTY], SAMPLES) - bare,
	};

	p.ratio = p.value / p.floor;
	bench_row(what, p, target);
}

int
main(int argc, char *argv[])
{
	static double samples[KINDS][SAMPLES];

	if (argc == 2 && strcmp(argv[1], "nothing") == 0)
		return 0;
	strcpy(preload[BARE], "BENCH_START=");
	snprintf(preload[EMPTY], sizeof(preload[0]), "LD_PRELOAD=%s",
		 bench_built("bench/empty.so"));
	snprintf(preload[BUILT_IN], sizeof(preload[0]), "LD_PRELOAD=%s",
		 bench_built("libcutout.so"));
	strcpy(preload[HUNDRED], preload[BUILT_IN]);
	write_rules();
	for (unsigned i = 0; i < SAMPLES; i++)
		for (enum kind kind = BARE; kind < KINDS; kind++)
			samples[kind][i] = start_ns(kind);
	unlink(rules + strlen("CUTOUT_RULES="));
	/* 90 us where the floor takes 65. */
	bench_title("added to a process start (floor: an empty library)");
	row("library, built-in rules", samples, BUILT_IN, 1.38);
	row("library, a hundred sections", samples, HUNDRED, 1.38);
	printf("start without a library: %.0f ns\n", bench_median(samples[BARE], SAMPLES));
	return 0;
}
