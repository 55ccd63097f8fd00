#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "core/near.h"

static const struct {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"run", cmd_run, "run a program with circuit breakers"},
	{"check", cmd_check, "check a rules file; say which breaker a destination meets"},
	{"doctor", cmd_doctor, "say whether and how far a program can be seen"},
	{"probe", cmd_probe, "make one probe and say how it ends"},
	{"prober", cmd_prober, "run the probes of a shared state"},
	{"simulate", cmd_simulate, "run rules against a script, in virtual time"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
help(FILE *to)
{
	fputs("usage: cutout COMMAND [ARG...]\n"
	      "       cutout --help | --version\n\n",
	      to);
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-10s%s\n", commands[i].name, commands[i].help);
	fputs("\nThe manual: cutout(1), cutout.rules(5), libcutout(7).\n", to);
}

static int
unknown(const char *word)
{
	struct span typed = {word, (uint32_t)strlen(word)};
	struct near near = {NULL, 0};

	for (unsigned i = 0; i < COMMANDS; i++)
		near_offer(&near, typed, commands[i].name);
	if (near.word)
		fprintf(stderr, "cutout: unknown command '%s' (did you mean '%s'?)\n", word,
			near.word);
	else
		fprintf(stderr, "cutout: unknown command '%s'; cutout --help lists them\n", word);
	return 2;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help(stdout);
		return fflush(stdout) == 0 ? 0 : 2;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts(PACKAGE_NAME " " PACKAGE_VERSION);
		return fflush(stdout) == 0 ? 0 : 2;
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].function(argc - 1, argv + 1);
	return unknown(argv[1]);
}
