/*
 * The log: one line per event, text or JSON (libcutout(7) has the fields).
 *
 * A line is formed on the stack and written by one write(2) to an append-only
 * descriptor out of the program's way.  errno is kept, nothing is allocated, no
 * lock is taken; safe in signal handlers and after fork.  Before a write the
 * descriptor is checked to be still the one that was opened; where the program has
 * closed it or put another file in its place, the log opens its path again, or is
 * silent when it has none.
 */
#ifndef SYS_LOG_H
#define SYS_LOG_H

#include <stdbool.h>

#include "core/atomics.h"
#include "core/breaker.h"
#include "core/dest.h"
#include "sys/logline.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/*
 * Obeys CUTOUT_LOG's spec (LEVEL or LEVEL:PATH) and CUTOUT_LOG_FORMAT's format; NULL
 * or an empty text stands for unset.  False: one of them is malformed, and the
 * default is in force for it.  Opens PATH at once where one is given, so that a later
 * chdir or chroot does not matter; one that cannot be opened is tried with each line.
 */
bool log_open(const char *spec, const char *format);

/* 0: a line would find its file now; else -errno of why not. */
int log_check(void);

/*
 * Takes a spec apart.  False: it is malformed.  *path points into spec; NULL: stderr.
 */
bool log_parse(const char *spec, enum log_level *level, const char **path);

/* Written by log_open() alone: the least urgent level that is wanted. */
extern atomic_u32 log_threshold __attribute__((visibility("hidden")));

/* Whether a line of that level would be written: one load, call it before measuring. */
static inline bool
log_wants(enum log_level level)
{
	return (uint32_t)level <= load_relaxed(&log_threshold);
}

/*
 * Each of these writes its line if the level is wanted.  Texts may be NULL where they
 * are not known, and may hold anything.  Times in nanoseconds are written as
 * milliseconds with up to three decimals; retry_in_ms is rounded up to whole ones.
 */

/* warn; a restart of the cooldown (open to open) info. */
void log_transition(const char *breaker, const struct transition *t);

/*
 * The same as one JSON object, whatever is logged, of that process and time; ends in a
 * zero, not in a newline.
 */
void log_transition_json(const char *breaker, const struct transition *t, int32_t pid,
			 uint64_t wall_ms, char out[LOGLINE_MAX]);

struct log_call {
	const char *breaker;
	const char *edge; /* "connect", "resolve", "curl" */
	const char *dest;
	enum outcome outcome;
	bool slow;
	const char *detail; /* errno name, curl code or HTTP status */
	uint64_t latency_ns;
};

void log_call(const struct log_call *c); /* debug */
void log_refuse(const char *breaker, const char *edge, const char *dest,
		uint64_t retry_in_ns); /* info */
void log_probe(const char *breaker, const char *kind, const char *target, enum outcome outcome,
	       uint64_t latency_ns); /* info */

/* The rules in force: debug.  file is "built-in" where there was none. */
void log_config(const char *file, unsigned breakers);

/* The same, for what is nobody's mistake: info. */
void log_config_note(const char *file, const char *note);

/* Why the rules are not in force, or what else is wrong: error. */
void log_config_error(const char *file, unsigned line, const char *error);

/* "ok", "fail", "neutral". */
const char *outcome_name(enum outcome o);

/* "ECONNREFUSED" and so on; "errno 4711" is written to buf for an unknown one. */
const char *errno_name(int number, char buf[24]);

#endif
