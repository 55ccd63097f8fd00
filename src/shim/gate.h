/*
 * Where the edges meet the breakers: a destination goes in, "go", "no" or "not ours"
 * comes out, and the result of the call goes back.
 *
 * No lock, no allocation; safe in signal handlers and in a vfork child.  errno is
 * never touched.
 */
#ifndef SHIM_GATE_H
#define SHIM_GATE_H

#include "core/breaker.h"
#include "core/dest.h"
#include "core/match.h"
#include "core/rules.h"
#include "shim/names.h"
#include "state/state.h"

enum gate_answer {
	GATE_PASS,   /* not ours: call on, nothing to record */
	GATE_ADMIT,  /* call on, gate_done() must follow */
	GATE_REFUSE, /* answer at once, after gate_refused() */
};

/* Which section and which breaker a destination meets. */
struct gate_target {
	const struct section *section;
	uint32_t breaker; /* number in the state */
	uint64_t claim;	  /* of the breaker; another's number it may be by now */
};

/* An admitted call. */
struct gate_call {
	struct gate_target target;
	struct ticket ticket;
};

/*
 * The rules in force; NULL when the shim does nothing (switched off, bad rules, not
 * yet started).  Every hook asks this first.
 */
const struct ruleset *gate_rules(void);

/*
 * Before gate_start(): breakers live in this state, opened at path, not in the process.
 * with_pids: see state_shares_pids().
 */
void gate_share(struct state *state, const char *path, bool with_pids);

/* Puts the rules in force; they are never taken back, see worker_init() for changes. */
void gate_start(struct ruleset *rules, const struct proxies *proxies);

/* In a forked child: the calls under way are the parent's and never end here. */
void gate_after_fork(void);

/* The time for all that one hook does; coarse unless calls are logged. */
uint64_t gate_now_ns(void);

/*
 * Finds the target.  False: no section, or one whose mode is off; then out->section is
 * NULL, and not NULL where the breaker found no room.
 */
bool gate_find(const struct dest *d, struct gate_target *out);

/* The next section that d could meet, as match_next() goes on. */
bool gate_find_next(const struct dest *d, uint32_t *from, struct met *met, struct gate_target *out);

/*
 * Whether the breaker is still there.  Where it has given way to another, none of the
 * functions below has an effect, and the destination has a new target.
 */
bool gate_is_there(const struct gate_target *t);

/* Whether gate_ask() would let a call pass; takes nothing. */
bool gate_would_admit(const struct gate_target *t, uint64_t now_ns);

/*
 * Asks to make a call.  In a section that only observes nothing is refused: what
 * would have been is GATE_PASS.
 */
enum gate_answer gate_ask(const struct gate_target *t, uint64_t now_ns, struct gate_call *out);

/* Counts and logs a refusal. */
void gate_refused(const struct gate_target *t, const struct dest *d, const char *edge,
		  uint64_t now_ns);

/* Whether the breaker has not changed its state since the call was admitted. */
bool gate_is_current(const struct gate_call *c);

/* See breaker_answered(). */
void gate_answered(struct gate_call *c, uint64_t now_ns, bool is_good);

/* See breaker_pause(). */
void gate_pause(struct gate_call *c);
void gate_resume(struct gate_call *c, uint64_t start_ns);

/* A question was answered; and whether any was, by any of those who share the breaker. */
void gate_prove(const struct gate_target *t);
bool gate_is_proven(const struct gate_target *t);

/*
 * What was spoken at a port of the dependency: plaintext HTTP/1, or something else; and
 * whether it was something else when last seen, by any of those who share the breaker.
 */
void gate_note_speech(const struct gate_target *t, int32_t port, bool is_http);
bool gate_speaks_other(const struct gate_target *t, int32_t port);

/* Whether d is a proxy of the environment, which sees questions for others. */
bool gate_is_proxy(const struct dest *d);

/*
 * The addresses of a name that this process saw last, or else those at which the
 * breaker's calls failed in any process; returns their number.
 */
unsigned gate_addresses(const struct gate_target *t, const char *name,
			struct dest_addr out[NAMES_ADDRESSES]);

/* A latency that is over the limit of the call's breaker. */
bool gate_is_slow(const struct gate_call *c, uint64_t latency_ns);

/* A call that takes nothing: for what counts only when it fails. */
void gate_watch(const struct gate_target *t, uint64_t now_ns, struct gate_call *out);

/* The call is over; detail as in struct log_call. */
void gate_done(const struct gate_call *c, const struct dest *d, const char *edge, uint64_t now_ns,
	       uint64_t latency_ns, enum outcome outcome, const char *detail);

/* The breaker's name; empty when there is none. */
void gate_name(const struct gate_target *t, char out[BREAKER_NAME_MAX + 1]);

/* The text for the one who is refused; see answer_message(). */
size_t gate_message(const struct gate_target *t, uint64_t now_ns, char *out, size_t size);

#endif
