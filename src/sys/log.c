#include "sys/log.h"

#include <string.h>

#include "sys/clock.h"
#include "sys/logfile.h"
#include "sys/logline.h"
#include "sys/raw.h"

atomic_u32 log_threshold = LOG_OFF;

static bool as_json;

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

bool
log_parse(const char *spec, enum log_level *level, const char **path)
{
	const char *colon = strchr(spec, ':');
	size_t len = colon ? (size_t)(colon - spec) : strlen(spec);

	for (unsigned i = LOG_OFF; i <= LOG_DEBUG; i++) {
		if (strlen(level_names[i]) != len || memcmp(level_names[i], spec, len) != 0)
			continue;
		*level = (enum log_level)i;
		*path = colon ? colon + 1 : NULL;
		return !colon || colon[1];
	}
	return false;
}

bool
log_open(const char *spec, const char *format)
{
	enum log_level level = LOG_ERROR;
	const char *path = NULL;
	bool ok = true;

	as_json = format && strcmp(format, "json") == 0;
	if (format && format[0] && !as_json && strcmp(format, "text") != 0)
		ok = false;
	if (spec && spec[0] && !log_parse(spec, &level, &path)) {
		level = LOG_ERROR;
		path = NULL;
		ok = false;
	}
	if (!logfile_open(level == LOG_OFF ? NULL : path)) {
		level = LOG_ERROR;
		ok = false;
	}
	store_release(&log_threshold, level);
	return ok;
}

int
log_check(void)
{
	return logfile_check();
}

static void
begin(struct logline *l, enum log_level level, const char *event, const char *breaker)
{
	struct logline_head head = {
		.wall_ms = as_json ? clock_wall_ms() : 0,
		.pid = raw_getpid(),
		.level = level_names[level],
		.event = event,
		.breaker = breaker,
	};

	logline_begin(l, as_json, &head);
}

static void
end(struct logline *l)
{
	logfile_write(l->text, logline_end(l));
}

static enum log_level
level_of(const struct transition *t)
{
	return t->from == BREAKER_OPEN && t->to == BREAKER_OPEN ? LOG_INFO : LOG_WARN;
}

static void
put_transition(struct logline *l, const struct transition *t)
{
	logline_text(l, "from", breaker_state_name((enum breaker_state)t->from));
	logline_text(l, "to", breaker_state_name((enum breaker_state)t->to));
	logline_text(l, "reason", breaker_reason_name((enum reason)t->reason));
	logline_number(l, "total", t->total);
	logline_number(l, "failed", t->failed);
	logline_number(l, "slow", t->slow);
	logline_number(l, "p50_ms", t->p50_ms);
	logline_number(l, "p99_ms", t->p99_ms);
	logline_number(l, "cooldown_ms", t->cooldown_ms);
}

void
log_transition(const char *breaker, const struct transition *t)
{
	struct logline l;

	if (!log_wants(level_of(t)))
		return;
	begin(&l, level_of(t), "transition", breaker);
	put_transition(&l, t);
	end(&l);
}

void
log_transition_json(const char *breaker, const struct transition *t, int32_t pid, uint64_t wall_ms,
		    char out[LOGLINE_MAX])
{
	struct logline_head head = {
		.wall_ms = wall_ms,
		.pid = pid,
		.level = level_names[level_of(t)],
		.event = "transition",
		.breaker = breaker,
	};
	struct logline l;
	size_t len;

	logline_begin(&l, true, &head);
	put_transition(&l, t);
	len = logline_end(&l) - 1;
	memcpy(out, l.text, len);
	out[len] = '\0';
}

void
log_call(const struct log_call *c)
{
	struct logline l;

	if (!log_wants(LOG_DEBUG))
		return;
	begin(&l, LOG_DEBUG, "call", c->breaker);
	logline_text(&l, "edge", c->edge);
	logline_text(&l, "dest", c->dest);
	logline_text(&l, "outcome", outcome_name(c->outcome));
	logline_bool(&l, "slow", c->slow);
	logline_text(&l, "detail", c->detail);
	logline_ms(&l, "ms", c->latency_ns);
	end(&l);
}

void
log_refuse(const char *breaker, const char *edge, const char *dest, uint64_t retry_in_ns)
{
	struct logline l;

	if (!log_wants(LOG_INFO))
		return;
	begin(&l, LOG_INFO, "refuse", breaker);
	logline_text(&l, "edge", edge);
	logline_text(&l, "dest", dest);
	logline_number(&l, "retry_in_ms", retry_in_ns / 1000000 + (retry_in_ns % 1000000 != 0));
	end(&l);
}

void
log_probe(const char *breaker, const char *kind, const char *target, enum outcome outcome,
	  uint64_t latency_ns)
{
	struct logline l;

	if (!log_wants(LOG_INFO))
		return;
	begin(&l, LOG_INFO, "probe", breaker);
	logline_text(&l, "kind", kind);
	logline_text(&l, "target", target);
	logline_text(&l, "outcome", outcome_name(outcome));
	logline_ms(&l, "ms", latency_ns);
	end(&l);
}

void
log_config(const char *file, unsigned breakers)
{
	struct logline l;

	if (!log_wants(LOG_DEBUG))
		return;
	begin(&l, LOG_DEBUG, "config", NULL);
	logline_text(&l, "file", file);
	logline_number(&l, "breakers", breakers);
	end(&l);
}

static void
config_trouble(enum log_level level, const char *file, unsigned line, const char *error)
{
	struct logline l;

	if (!log_wants(level))
		return;
	begin(&l, level, "config", NULL);
	logline_text(&l, "file", file);
	logline_text(&l, "error", error);
	logline_number(&l, "line", line);
	end(&l);
}

void
log_config_error(const char *file, unsigned line, const char *error)
{
	config_trouble(LOG_ERROR, file, line, error);
}

void
log_config_note(const char *file, const char *note)
{
	config_trouble(LOG_INFO, file, 0, note);
}
