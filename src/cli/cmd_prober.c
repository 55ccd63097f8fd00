#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "probe/engine.h"
#include "state/state_map.h"
#include "sys/clock.h"
#include "sys/env.h"
#include "sys/log.h"
#include "sys/rulesfile.h"

static const char usage[] = "usage: cutout prober --state PATH [--rules FILE]\n"
			    "Runs the probes of a shared state until SIGTERM or SIGINT.\n";

static volatile sig_atomic_t is_over;

static void
on_signal(int number)
{
	(void)number;
	is_over = 1;
}

/* The two that end it arrive only while the engine waits; the result is the mask then. */
static raw_sigset
catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	raw_sigset mask;

	raw_sigprocmask(SIG_BLOCK, RAW_SIGNAL(SIGTERM) | RAW_SIGNAL(SIGINT), &mask);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	return mask & ~(RAW_SIGNAL(SIGTERM) | RAW_SIGNAL(SIGINT));
}

static void
print_error(void *context, unsigned line, const char *text)
{
	const char *path = context;

	if (line)
		fprintf(stderr, "%s:%u: %s\n", path, line, text);
	else
		fprintf(stderr, "%s: %s\n", path, text);
}

static int
serve(struct state *state, const struct ruleset *rules)
{
	static struct helper_command command;
	static struct engine engine;
	raw_sigset mask = catch_signals();

	helper_prepare(&command, NULL);
	engine_init(&engine, rules, &command);
	engine_serve(&engine, state, true);
	while (!is_over) {
		uint64_t wait_ns = engine_step(&engine, clock_precise_ns());

		engine_wait(&engine, wait_ns, &mask, -1);
	}
	engine_stop(&engine, clock_precise_ns());
	return 0;
}

/* Sockets and pipes must not take the places of the standard descriptors. */
static void
fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int
run(const char *path, const char *rules_path)
{
	char error[STATE_ERROR_MAX], buffer[PATH_MAX], name[PATH_MAX];
	struct rulesfile rules;
	struct state *state;

	fill_standard_descriptors();
	if (!log_open(env_get("CUTOUT_LOG"), env_get("CUTOUT_LOG_FORMAT"))) {
		fputs("cutout prober: CUTOUT_LOG or CUTOUT_LOG_FORMAT is malformed\n", stderr);
		return 2;
	}
	if (!rules_path)
		rules_path = env_rules_path(buffer);
	snprintf(name, sizeof(name), "%s", rules_path ? rules_path : "built-in");
	if (!rulesfile_load(rules_path, &rules, print_error, name))
		return 1;
	state = state_open(path, true, error);
	if (!state) {
		fprintf(stderr, "cutout prober: %s: %s\n", path, error);
		return 1;
	}
	log_config(rules.path, rules.rules.section_count);
	return serve(state, &rules.rules);
}

int
cmd_prober(int argc, char **argv)
{
	static const struct option options[] = {
		{"state", required_argument, NULL, 's'},
		{"rules", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *state = env_get("CUTOUT_STATE"), *rules = NULL;
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			state = optarg;
			break;
		case 'r':
			rules = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return fflush(stdout) == 0 ? 0 : 2;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc || !state || strcmp(state, "process") == 0 ||
	    strcmp(state, "tree") == 0) {
		fputs(usage, stderr);
		return 2;
	}
	return run(state, rules);
}
