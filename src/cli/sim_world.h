/*
 * The virtual world of a simulation: the breakers that a script names, their
 * synthetic probes and what is yet to happen, with a clock that the script moves.
 * Every admission, transition and probe is printed as it happens.
 */
#ifndef CLI_SIM_WORLD_H
#define CLI_SIM_WORLD_H

#include <stdio.h>
#include <uthash.h>

#include "cli/sim_queue.h"
#include "core/rules.h"

struct sim_breaker {
	struct breaker breaker;
	struct report report;
	struct breaker_ref ref;
	struct breaker_config config; /* of its section, without jitter */
	enum mode mode;
	uint64_t admitted, refused, probes; /* since the start or the last mark */
	enum sim_ending probe_ending;	    /* how probes end from now on */
	uint64_t probe_length_ns;
	uint64_t scheduled_ns; /* the earliest SIM_DUE in the queue; UINT64_MAX: none */
	UT_hash_handle hh;
	char name[];
};

struct sim_world {
	const struct ruleset *rules;
	FILE *out;
	uint64_t now_ns;
	struct sim_breaker *breakers;
	struct sim_queue queue;
	uint32_t breaker_count;
	uint32_t hint;
};

/* Only one world at a time: they share the table of calls in flight. */
void sim_world_start(struct sim_world *w, const struct ruleset *rules, FILE *out);
void sim_world_end(struct sim_world *w);

/* The breaker that name means.  NULL: none; *why then holds the reason. */
struct sim_breaker *sim_world_find(struct sim_world *w, struct span name, struct text *why);

/*
 * Takes what happens next, at or before to_ns, out of the queue and moves the clock
 * there; what falls due in a breaker and the ends of calls are done with already.
 * False: nothing is left, and it is to_ns now.
 */
bool sim_world_next(struct sim_world *w, uint64_t to_ns, struct sim_event *e);

enum sim_answer {
	SIM_REFUSE,
	SIM_ADMIT, /* sim_world_call_end() may follow */
	SIM_PASS,  /* it goes on, nothing is recorded of it */
};

/* Asks for one call; label is what the output calls it. */
enum sim_answer sim_world_ask(struct sim_world *w, struct sim_breaker *b, struct span label,
			      struct ticket *t);

void sim_world_call_end(struct sim_world *w, struct sim_breaker *b, const struct ticket *t,
			enum outcome outcome);

void sim_world_force(struct sim_world *w, struct sim_breaker *b, enum force force);

/* How a call or a probe that ends so looks to the breaker: who gives up has failed. */
enum outcome sim_outcome(enum sim_ending ending);

#endif
