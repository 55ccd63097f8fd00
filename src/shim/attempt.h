/*
 * One connect to one address, from the gate to the record.
 */
#ifndef SHIM_ATTEMPT_H
#define SHIM_ATTEMPT_H

#include "shim/group.h"

struct attempt {
	struct gate_call call;
	struct dest_addr addr;
	int32_t port;
	uint32_t name;		/* see struct named */
	bool is_one_of_many;	/* addresses of the name */
	bool is_unjudged;	/* a connect to a proxy: there is no call yet */
	bool is_moved;		/* addr and port are others than the program's */
	bool is_stray;		/* addr is a fallback's, and none of the name's own suits */
	struct group_ref group; /* place 0: the attempt is the call */
	uint64_t start_ns;
};

/*
 * Asks for a connect to addr and port.  GATE_ADMIT: *a is filled and attempt_end()
 * must follow.  GATE_REFUSE: a->call.target says by whom.  An address that was told instead
 * of the name's own ones is moved to one of these; one that is stray is always refused.
 */
enum gate_answer attempt_begin(const struct dest_addr *addr, int32_t port, uint64_t now_ns,
			       struct attempt *a);

/* The same where the target is known; *a says the rest, and named how addr is of its name. */
enum gate_answer attempt_begin_to(struct named named, uint64_t now_ns, struct attempt *a);

/* Counts and logs that it was refused. */
void attempt_refused(const struct attempt *a, uint64_t now_ns);

/*
 * The connect succeeded.  True: *call goes on, and gate_done() must follow.  False: it was
 * decided before, or there is none.
 */
bool attempt_connected(const struct attempt *a, uint64_t now_ns, struct gate_call *call);

/* The same call ends with the connect, since nothing more will be seen of it. */
void attempt_count_connected(const struct attempt *a, const struct gate_call *call,
			     uint64_t now_ns);

/* error is the errno of a failed connect, 0 where there is none. */
void attempt_end(const struct attempt *a, enum attempt_result result, int error, uint64_t now_ns);

/* The program ends: names of which it tried some of the addresses are tried no further. */
void attempts_at_exit(uint64_t now_ns);

/* What a connect that ended with this errno came to. */
enum attempt_result attempt_result_of(int error);

/* The same for a connect that the program closed before its end was known. */
enum attempt_result attempt_given_up(const struct attempt *a, uint64_t now_ns);

#endif
