/*
 * The connections that are followed: one place each, found by any of the descriptors
 * that stand for it.
 *
 * The table is of fixed size; a connection that finds no place is not followed.  A place
 * is worked on under a lock that is held for the length of a parse, never over a system
 * call of the program's.  Who meets it held waits a moment, and then the connection is
 * lost: it is followed no more and says nothing.  So does a signal handler at once that
 * interrupted the holder.
 */
#ifndef SHIM_CONN_TABLE_H
#define SHIM_CONN_TABLE_H

#include "core/talk.h"
#include "shim/gate.h"

#define CONN_QUESTIONS 16 /* of one connection that wait at a time; more are not counted */

struct conn_ref {
	uint16_t place; /* 0: none */
	uint16_t version;
};

/* A question that waits for its answer, or the connect before the first one. */
struct asked {
	struct gate_call call; /* where is_counted */
	uint64_t first_ns;     /* first byte of the answer; 0: not yet */
	uint32_t stream;
	uint8_t silence; /* enum talk_silence */
	bool is_counted;
	bool is_fresh;	 /* the first of its connection */
	bool is_tunnel;	 /* CONNECT */
	bool is_doubted; /* what came may be its answer */
	bool is_one_way; /* it may need none */
};

enum { CONN_OUTSIDE, CONN_INSIDE }; /* the bytes of the socket; those within TLS */

struct conn {
	atomic_u32 lock; /* guard_thread() of who holds it; 0: free */
	atomic_u32 refs; /* descriptors; 0: the place is free */
	atomic_u32 version;
	atomic_u32 is_lost;
	atomic_u32 fd;		   /* one of them */
	atomic_u32 is_paused;	   /* asked[0] would not, if the program were seen to wait */
	atomic_u64 waits_since_ns; /* the program was seen to wait for bytes; 0: not */
	atomic_u32 stands_in;	   /* for the dependency, see stand_in.h; 0: it is its own */
	uint64_t file;		   /* of that, see loopback_file() */

	struct dest_addr addr;
	int32_t port;
	uint32_t name; /* see struct named */
	struct gate_target target;
	const char *edge;
	bool has_target; /* false: a proxy's, until a request tells where it goes */
	bool is_fresh;	 /* no question yet */
	bool is_quiet;	 /* asked[0] is the connect: no question yet */
	bool is_linked;	 /* a TLS library shows what is inside */
	bool is_refused;
	bool is_over; /* an end or an error was seen: no more questions */
	bool is_half_closed;
	bool is_shared; /* with a process that forked: its bytes are not seen */
	uint16_t restarts;
	uint16_t ahead;	   /* questions begun whose first byte is not written yet */
	uint16_t overflow; /* questions beyond the places below */
	uint64_t connected_ns;
	uint64_t wrote_ns;
	uint64_t read_ns;
	uint64_t wrote_bytes; /* as far as seen */
	uint64_t read_bytes;
	bool has_asked;	     /* since the ClientHello, and no library had shown what is inside */
	uint64_t seen_hello; /* random of the ClientHello; 0: none passed */
	uint64_t hello;	     /* the one that the session has now */
	struct talk_sent sent[2];
	struct talk_received received[2];
	unsigned count;
	struct asked asked[CONN_QUESTIONS];
	int32_t far_port;
	char far_host[DEST_NAME_MAX + 1]; /* behind a proxy; empty: there is none */
};

/* A new place, all zero but for refs, locked.  NULL: none is free. */
struct conn *conn_new(int fd, struct conn_ref *ref);

/* The connection, locked; NULL: it is gone, or lost. */
struct conn *conn_lock(struct conn_ref ref);
void conn_unlock(struct conn *c);

/* The same where it can wait: also NULL while the connection is worked on. */
struct conn *conn_try_lock(struct conn_ref ref);

/* The same at its end, when nobody else may use it: always locked. */
struct conn *conn_lock_last(struct conn_ref ref);

/* The connection of a descriptor; place 0: none. */
struct conn_ref conn_at(int fd);

/* Without the lock: what is in its stands_in. */
uint32_t conn_stands_in(struct conn_ref ref);

/* One more descriptor stands for it.  False: it is gone. */
bool conn_hold(struct conn_ref ref);

/* fd does: the first of conn_new(), or one of conn_hold(). */
void conn_add(struct conn_ref ref, int fd);

/* fd no longer does.  True: it was the last one, and conn_free() must follow. */
bool conn_drop(int fd, struct conn_ref *ref);
void conn_free(struct conn *c);

/*
 * Without the lock: the program begins to wait for bytes, and has waited till then without
 * any.  A call that came back at once did not wait.  True: the connection's is_paused is to
 * be looked at, since that is news.
 */
bool conn_wait_begin(struct conn_ref ref, uint64_t now_ns);
bool conn_wait_end(struct conn_ref ref, uint64_t since_ns, uint64_t now_ns);

/*
 * Remembers under which ClientHello a connection is found; false: there is no room.  What
 * is found is likely the one: its own hello tells.
 */
bool conn_name_hello(struct conn *c, struct conn_ref ref, uint64_t hello);
struct conn_ref conn_by_hello(uint64_t hello);

/* Whether any was named. */
bool conn_has_hellos(void);

/* Calls back with each connection there is, as it stands. */
void conn_each(void (*visit)(struct conn *c));

/* The same in a forked child: unlocked whoever held it. */
void conn_each_after_fork(void (*visit)(struct conn *c));

#endif
