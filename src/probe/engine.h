/*
 * What runs the probes: a loop's body that anybody may call, an ordinary process or a
 * thread that libc does not know of.
 *
 * It lets breakers notice what has fallen due, makes the synthetic probes of those that
 * are half-open, and posts alerts.  Any number of engines may serve one state: a probe
 * is begun by one of them.  By raw system calls alone; no thread, lock, allocation,
 * errno or thread-local variable.  One engine is used by one thread.
 */
#ifndef PROBE_ENGINE_H
#define PROBE_ENGINE_H

#include "core/rules.h"
#include "probe/dial.h"
#include "probe/helper.h"
#include "state/state.h"
#include "sys/raw.h"

#define ENGINE_PROBES 32
#define ENGINE_ALERTS 8
#define ENGINE_VIEWS 2

/* A state as the rules see it. */
struct engine_view {
	struct state *state;
	bool is_shared, shares_pids;
	uint64_t beat_ns;		  /* when to beat next */
	uint64_t tidied_ns;		  /* when processes were last looked at */
	uint64_t claim[STATE_BREAKERS];	  /* of whom all the following is */
	uint32_t section[STATE_BREAKERS]; /* of the breaker, plus one; 0: not yet looked for */
	bool waits[STATE_BREAKERS];	  /* for whoever changed the breaker to note how */
	struct state_seen unfinished[STATE_BREAKERS];
	uint8_t seen[STATE_BREAKERS]; /* the enum breaker_state at the last look */
};

struct engine_probe {
	bool is_used;
	uint8_t view;
	uint32_t index;
	const struct section *section;
	struct ticket ticket;
	uint64_t start_ns, end_ns; /* end_ns: when it is given up */
	uint64_t look_up_ns;	   /* when to look the name up afresh; UINT64_MAX: never */
	bool dials, dial_failed, helper_failed, was_tried;
	struct dial dial;
	int helper; /* -1: none runs */
	char target[DEST_TEXT_MAX];
};

struct engine_alert {
	bool is_used;
	uint8_t view;
	uint32_t index;
	int helper;
	uint64_t end_ns;
	const struct section *section;
};

struct engine {
	const struct ruleset *rules;
	const struct helper_command *command;
	bool told_lack;
	bool is_idle;
	unsigned view_count;
	struct engine_view view[ENGINE_VIEWS];
	struct engine_probe probe[ENGINE_PROBES];
	struct engine_alert alert[ENGINE_ALERTS];
};

/* All zero before; the rules and the command must outlive it. */
void engine_init(struct engine *e, const struct ruleset *rules,
		 const struct helper_command *command);

/* Serves this state as well, at most ENGINE_VIEWS; a shared one hears its beat. */
void engine_serve(struct engine *e, struct state *s, bool is_shared);

/* One round.  Returns after how many nanoseconds the next one is due, at most a second. */
uint64_t engine_step(struct engine *e, uint64_t now_ns);

/*
 * Waits for that long, or until a probe has news, under mask (NULL: the one in force), or
 * until the descriptor watch (-1: none) becomes readable: then true.
 */
bool engine_wait(const struct engine *e, uint64_t wait_ns, const raw_sigset *mask, int watch);

/* Whether the last round found nothing that needs another: all closed, all told. */
bool engine_is_idle(const struct engine *e);

/* Gives back what is under way, without a verdict. */
void engine_stop(struct engine *e, uint64_t now_ns);

/*
 * In a forked child: what was under way is the parent's.  In a private state, whose
 * copy nobody else will free, it is given back.
 */
void engine_after_fork(struct engine *e, uint64_t now_ns);

/* Whether breakers of this section need an engine at all. */
bool engine_is_for(const struct settings *s);

/* Whoever sees changes of a breaker keeps them in the state, where an alert is to be posted. */
void engine_note(struct state *s, uint32_t index, const struct settings *settings,
		 const struct transitions *tr);

#endif
