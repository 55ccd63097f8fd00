#include "shim/init.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "shim/attempt.h"
#include "shim/conn.h"
#include "shim/curl_drive.h"
#include "shim/fds.h"
#include "shim/follow.h"
#include "shim/gate.h"
#include "shim/guard.h"
#include "shim/real.h"
#include "shim/worker.h"
#include "state/state_map.h"
#include "sys/atfork.h"
#include "sys/env.h"
#include "sys/log.h"
#include "sys/rulesfile.h"

#define ERROR_MAX 512

atomic_u32 init_done;

/* musl loads what is preloaded, too: there the hooks only pass on. */
#pragma weak gnu_get_libc_version

static atomic_u32 begun;
static struct rulesfile rules_file;
static struct proxies proxies;
static char rules_path[PATH_MAX], state_path[PATH_MAX];

/* The first error of a rules file, and how many there are. */
struct errors {
	unsigned count;
	unsigned line;
	char text[ERROR_MAX];
};

static void
on_error(void *context, unsigned line, const char *text)
{
	struct errors *e = context;

	if (e->count++ > 0)
		return;
	e->line = line;
	struct text t = text_over(e->text, sizeof(e->text));

	text_string(&t, text);
}

/* A bad file is one line in the log; the program goes on without breakers. */
static void
tell_errors(const char *path, const struct errors *e)
{
	char all[ERROR_MAX + 64];
	struct text t = text_over(all, sizeof(all));

	text_string(&t, e->text);
	if (e->count > 1)
		text_format(&t, " (and %u more; cutout check shows all)", e->count - 1);
	log_config_error(path, e->line, all);
}

/*
 * A tree's memory is named by a descriptor of its companion: where that has ended, or
 * may not be looked into, nobody has made a mistake.
 */
static void
share(const char *path)
{
	char error[STATE_ERROR_MAX];
	struct state *state;

	if (path == NULL || strcmp(path, "process") == 0)
		return;
	bool is_tree = strncmp(path, "/proc/", 6) == 0;

	state = state_open(path, !is_tree, error);
	if (state != NULL) {
		/* The program may write over its environment. */
		struct text t = text_over(state_path, sizeof(state_path));

		text_string(&t, path);
		gate_share(state, state_path, state_shares_pids(state));
	} else if (is_tree) {
		log_config_note(path, error);
	} else {
		log_config_error(path, 0, error);
	}
}

static void
start(void)
{
	const char *spec = env_get("CUTOUT_LOG");
	const char *path = env_rules_path(rules_path);
	const char *not_followed = follow_init(environ, real_own_name());
	struct errors errors = {0};

	if (!log_open(spec, env_get("CUTOUT_LOG_FORMAT")))
		log_config_error(
			"CUTOUT_LOG", 0,
			"CUTOUT_LOG or CUTOUT_LOG_FORMAT is malformed, the default is used");
	if (not_followed != NULL)
		log_config_error("CUTOUT_FOLLOW", 0, not_followed);
	if (!rulesfile_load(path, &rules_file, on_error, &errors)) {
		tell_errors(path, &errors);
		return;
	}
	env_proxies(&proxies);
	share(env_get("CUTOUT_STATE"));
	log_config(rules_file.path, rules_file.rules.section_count);
	gate_start(&rules_file.rules, &proxies);
}

static void
after_fork(void)
{
	guard_take_books();
	fds_after_fork();
	conn_after_fork();
	group_after_fork();
	gate_after_fork();
	curl_drive_after_fork();
	worker_after_fork();
}

void
init_slowly(void)
{
	uint32_t first = 0;
	const char *off;
	int saved = errno;

	if (!cas_acq_rel(&begun, &first, 1))
		return;
	off = env_get("CUTOUT_OFF");
	real_init();
	if ((off == NULL || strcmp(off, "1") != 0) && gnu_get_libc_version != NULL) {
		guard_take_books();
		atfork_register(conn_before_fork, after_fork);
		start();
	}
	store_release(&init_done, 1);
	errno = saved;
}

__attribute__((destructor)) static void
at_exit(void)
{
	if (gate_rules() == NULL)
		return;
	conn_at_exit();
	if (guard_owns_books())
		attempts_at_exit(gate_now_ns());
}

__attribute__((constructor)) static void
at_load(void)
{
	init_now();
}
