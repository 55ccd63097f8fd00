/* What will happen in a simulation, in the order of time. */
#ifndef CLI_SIM_QUEUE_H
#define CLI_SIM_QUEUE_H

#include "cli/sim_script.h"

/* At one instant what falls due in a breaker goes first, then the first put in. */
enum sim_event_kind {
	SIM_DUE,       /* something in the breaker */
	SIM_CALLS_END, /* count calls with this ticket */
	SIM_CALL_NEXT, /* the next of a statement's calls, number count */
	SIM_PROBE_END
};

struct sim_event {
	uint64_t at_ns;
	uint64_t order;
	enum sim_event_kind kind;
	enum outcome outcome;
	struct sim_breaker *breaker;
	const struct sim_statement *statement;
	uint64_t count;
	struct ticket ticket;
};

/* All zero is an empty one. */
struct sim_queue {
	struct sim_event *heap;
	size_t count, room;
	uint64_t order;
};

void sim_queue_put(struct sim_queue *q, const struct sim_event *e);

/* Takes the next event at or before to_ns.  False: none. */
bool sim_queue_take(struct sim_queue *q, uint64_t to_ns, struct sim_event *e);

void sim_queue_free(struct sim_queue *q);

#endif
