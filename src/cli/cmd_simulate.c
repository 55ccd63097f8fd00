#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/sim_run.h"
#include "sys/rulesfile.h"

#define FILE_MAX ((size_t)64 * 1024 * 1024)

struct source {
	const char *path;
	char *text;
	size_t len;
};

struct session {
	struct sim_world world;
	const char *rules_path;
	struct rulesfile rules;
	struct source script;
};

/* Reads on until the end, or one byte more than is allowed.  False: errno says why. */
static bool
read_all(FILE *f, struct source *s)
{
	size_t room = 0;

	do {
		room = room > 0 ? 2 * room : 65536;
		s->text = realloc(s->text, room);
		if (!s->text)
			err(2, NULL);
		s->len += fread(s->text + s->len, 1, room - s->len, f);
	} while (s->len == room && s->len <= FILE_MAX);
	if (s->len > FILE_MAX)
		errno = EFBIG;
	return !ferror(f) && s->len <= FILE_MAX;
}

static bool
source_read(struct source *s, const char *path)
{
	FILE *f = fopen(path, "re");
	bool ok;

	*s = (struct source){.path = path};
	ok = f && read_all(f, s);
	if (!ok)
		warn("%s", path);
	if (f)
		fclose(f);
	return ok;
}

static void
tell(const char *path, unsigned line, const char *text)
{
	if (line > 0)
		fprintf(stderr, "%s:%u: %s\n", path, line, text);
	else
		fprintf(stderr, "%s: %s\n", path, text);
}

static void
tell_rules(void *context, unsigned line, const char *text)
{
	tell(((struct session *)context)->rules_path, line, text);
}

static void
tell_script(void *context, unsigned line, const char *text)
{
	tell(((struct session *)context)->script.path, line, text);
}

static struct sim_breaker *
find_breaker(void *context, struct span name, struct text *why)
{
	return sim_world_find(&((struct session *)context)->world, name, why);
}

/* The exit status. */
static int
simulate(struct session *s)
{
	struct sim_script script;
	enum sim_result result = SIM_BROKEN;

	sim_world_start(&s->world, &s->rules.rules, stdout);
	if (sim_script_parse(&script, s->script.text, s->script.len, find_breaker, tell_script, s))
		result = sim_run(&s->world, &script, tell_script, s);
	sim_script_free(&script);
	sim_world_end(&s->world);
	if (fflush(stdout) != 0)
		err(2, "standard output");
	return (int)result;
}

int
cmd_simulate(int argc, char **argv)
{
	struct session s = {.rules_path = NULL};
	int status = 2;

	if (argc > 1 && strcmp(argv[1], "--") == 0) {
		argc--;
		argv++;
	}
	if (argc != 3 || argv[1][0] == '-') {
		fputs("usage: cutout simulate FILE SCRIPT\n", stderr);
		return 2;
	}
	s.rules_path = argv[1];
	if (!rulesfile_load(argv[1], &s.rules, tell_rules, &s))
		return 2;
	if (source_read(&s.script, argv[2]))
		status = simulate(&s);
	free(s.script.text);
	rulesfile_free(&s.rules);
	return status;
}
