#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/companion.h"
#include "cli/doctor.h"
#include "cli/preload.h"
#include "state/state_map.h"
#include "sys/env.h"
#include "sys/log.h"
#include "sys/rulesfile.h"

/* As env(1) and nohup(1) have them. */
#define EXIT_CANCELED 125
#define EXIT_CANNOT_INVOKE 126
#define EXIT_ENOENT 127

static const char usage[] = "usage: cutout run [--rules FILE] [--log SPEC] [--state "
			    "process|tree|PATH] [--] PROGRAM [ARG...]";

struct run {
	const char *rules, *log, *state; /* NULL: not given */
	char **program;
};

/* Says why nothing is started. */
static int __attribute__((format(printf, 1, 2))) cancel(const char *format, ...)
{
	va_list args;

	fputs("cutout run: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_CANCELED;
}

/* path as it is found from any directory.  The caller frees it; NULL: errno says why. */
static char *
absolute(const char *path)
{
	char *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *out = NULL;

	if (path[0] == '/')
		return strdup(path);
	if (directory && asprintf(&out, "%s/%s", directory, path) < 0)
		out = NULL;
	free(directory);
	return out;
}

static bool
set(const char *name, const char *value)
{
	return setenv(name, value, 1) == 0;
}

static void
print_error(void *context, unsigned line, const char *text)
{
	const char *const *path = context;

	if (line)
		fprintf(stderr, "%s:%u: %s\n", *path, line, text);
	else
		fprintf(stderr, "%s: %s\n", *path, text);
}

static bool
have_same_text(const char *one, const char *other)
{
	FILE *a = fopen(one, "re"), *b = fopen(other, "re");
	int c = EOF;
	bool same = a && b;

	while (same && (c = getc(a)) == getc(b) && c != EOF)
		;
	same = same && c == EOF && feof(b);
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return same;
}

/*
 * Checks the rules and sets CUTOUT_RULES where they are in a file; *same: those that it
 * named before say the same.  0, or the exit code.
 */
static int
set_rules(const char *path, bool *same)
{
	const char *name = "built-in", *before = env_get("CUTOUT_RULES");
	struct rulesfile loaded;
	char buffer[PATH_MAX];

	if (!path)
		path = env_rules_path(buffer);
	if (path)
		name = path;
	if (!rulesfile_load(path, &loaded, print_error, &name))
		return EXIT_CANCELED;
	rulesfile_free(&loaded);
	*same = !path && !before;
	if (!path)
		return 0;
	char *file = absolute(path);

	*same = file && before && have_same_text(file, before);

	int result = file && set("CUTOUT_RULES", file) ? 0 : cancel("%s", strerror(errno));

	free(file);
	return result;
}

/* Checks CUTOUT_LOG_FORMAT and the spec, and sets CUTOUT_LOG to it.  0, or the exit code. */
static int
set_log(const char *spec)
{
	const char *format = env_get("CUTOUT_LOG_FORMAT");
	enum log_level level;
	const char *path = NULL;

	if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
		return cancel("CUTOUT_LOG_FORMAT is 'text' or 'json', not '%s'", format);
	if (!spec && !(spec = env_get("CUTOUT_LOG")))
		return 0;
	if (!log_parse(spec, &level, &path) || !log_open(spec, format))
		return cancel("the log is LEVEL or LEVEL:PATH, LEVEL one of off, error, warn, "
			      "info, debug, not '%s'",
			      spec);
	if (!path)
		return set("CUTOUT_LOG", spec) ? 0 : cancel("%s", strerror(errno));
	int error = level == LOG_OFF ? 0 : log_check();

	/* A FIFO may get its reader later. */
	if (error && error != -ENXIO)
		return cancel("cannot write the log '%s': %s", path, strerror(-error));

	char *whole = NULL;
	char *file = absolute(path);
	int len = file ? asprintf(&whole, "%.*s%s", (int)(path - spec), spec, file) : -1;
	int result = 0;

	if (len < 0 || !set("CUTOUT_LOG", whole))
		result = cancel("%s", strerror(errno));
	free(file);
	if (len >= 0)
		free(whole);
	return result;
}

/* A file that all processes of this user may share. */
static int
set_state_path(const char *path)
{
	char error[STATE_ERROR_MAX];
	char *file = absolute(path);
	struct state *state = file ? state_open(file, true, error) : NULL;
	int result = 0;

	if (!file)
		result = cancel("%s", strerror(errno));
	else if (!state)
		result = cancel("%s: %s", path, error);
	else if (!set("CUTOUT_STATE", file))
		result = cancel("%s", strerror(errno));
	if (state)
		state_close(state);
	free(file);
	return result;
}

/* Whether the environment names the memory of a tree that still has its companion. */
static bool
is_in_tree(const char *state)
{
	char error[STATE_ERROR_MAX];
	struct state *found;

	if (strncmp(state, "/proc/", 6) != 0)
		return false;
	found = state_open(state, false, error);
	if (found)
		state_close(found);
	return found != NULL;
}

static int
set_tree(bool is_asked_for)
{
	char path[COMPANION_PATH_MAX];

	if (access("/proc/self/fd", X_OK) != 0 && !is_asked_for) {
		log_config_note("tree", "without /proc each process keeps its own breakers");
		return set("CUTOUT_STATE", "process") ? 0 : cancel("%s", strerror(errno));
	}
	int error = companion_start(env_get("CUTOUT_RULES"), path);

	if (error)
		return cancel("the companion cannot be started: %s", strerror(-error));
	return set("CUTOUT_STATE", path) ? 0 : cancel("%s", strerror(errno));
}

static int
set_state(const char *state, bool same_rules)
{
	const char *inherited = env_get("CUTOUT_STATE");

	/* The companion of a tree probes by the rules that the tree was started with. */
	if (!state && same_rules && inherited && is_in_tree(inherited))
		return 0;
	if (!state && inherited && strncmp(inherited, "/proc/", 6) != 0)
		state = inherited;
	if (!state || strcmp(state, "tree") == 0)
		return set_tree(state != NULL);
	if (strcmp(state, "process") == 0)
		return set("CUTOUT_STATE", state) ? 0 : cancel("%s", strerror(errno));
	return set_state_path(state);
}

static int
set_preload(void)
{
	char library[PATH_MAX];

	if (!preload_find(library))
		return cancel("libcutout.so is neither beside this command nor in %s",
			      CUTOUT_LIBDIR);
	if (!preload_can_hold(library))
		return cancel("LD_PRELOAD cannot hold the path '%s': no space, colon or dollar "
			      "sign may be in it",
			      library);
	char *preload = preload_join(library, getenv("LD_PRELOAD"));
	int result = preload && set("LD_PRELOAD", preload) ? 0 : cancel("%s", strerror(errno));

	free(preload);
	return result;
}

/* 0, or the exit code; *done where there is nothing more to do. */
static int
parse(int argc, char **argv, struct run *run, bool *done)
{
	static const struct option options[] = {
		{"rules", required_argument, NULL, 'r'},
		{"log", required_argument, NULL, 'l'},
		{"state", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+:", options, NULL)) != -1) {
		switch (c) {
		case 'r':
			run->rules = optarg;
			break;
		case 'l':
			run->log = optarg;
			break;
		case 's':
			run->state = optarg;
			break;
		case 'h':
			*done = true;
			return puts(usage) < 0 ? EXIT_CANCELED : 0;
		case ':':
			return cancel("%s needs a value\n%s", argv[optind - 1], usage);
		default:
			return cancel("unknown option %s\n%s", argv[optind - 1], usage);
		}
	}
	run->program = argv + optind;
	return *run->program ? 0 : cancel("no program was named\n%s", usage);
}

static void
warn_of_nothing_seen(char **program)
{
	const char *off = env_get("CUTOUT_OFF");
	struct diagnosis d;

	if (off && strcmp(off, "1") == 0)
		return;
	if (doctor_sees_nothing(program, &d))
		fprintf(stderr, "cutout run: '%s' is not seen: %s\n", program[0], d.reason);
}

int
cmd_run(int argc, char **argv)
{
	struct run run = {NULL, NULL, NULL, NULL};
	bool done = false, same_rules = false;
	int result = parse(argc, argv, &run, &done);

	if (result || done)
		return result;
	if ((result = set_rules(run.rules, &same_rules)) || (result = set_log(run.log)) ||
	    (result = set_preload()) || (result = set_state(run.state, same_rules)))
		return result;
	/* What the program starts stays under it, unless the user said no. */
	if (!env_get("CUTOUT_FOLLOW") && !set("CUTOUT_FOLLOW", "1"))
		return cancel("%s", strerror(errno));
	warn_of_nothing_seen(run.program);
	execvp(run.program[0], run.program);
	result = errno == ENOENT ? EXIT_ENOENT : EXIT_CANNOT_INVOKE;
	cancel("cannot run '%s': %s", run.program[0], strerror(errno));
	return result;
}
