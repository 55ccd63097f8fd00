/*
 * Where breakers live: one block of memory without pointers, so that it may be
 * private to a process or shared by many.  All zero is a valid empty state.
 *
 * Breakers are created on first sight, by any thread or process, without a lock.  A
 * breaker is found by its name; whoever has other settings for that name is told so.
 * Where there is no room for a new one, the oldest that is idle gives way: its number may
 * then stand for another, which its claim tells.
 * Nothing that stands in the memory can make a reader leave its bounds.
 */
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include "core/breaker.h"
#include "core/dest.h"
#include "core/match.h"

#define STATE_BREAKERS 1024 /* a power of two, at most 4096 (see core/inflight.h) */
#define STATE_MANY_MAX 768  /* of these, breakers of regions and of the hosts of [*] */
#define STATE_ADDRESSES 16

/* Where calls of a breaker failed last: what a tcp probe tries. */
struct state_where {
	int32_t port;
	uint8_t name_len; /* 0: only the addresses are known */
	uint8_t count;
	struct dest_addr addr[STATE_ADDRESSES];
	char name[DEST_NAME_MAX + 1];
};

/* With the claim of the breaker that it was written for. */
#define STATE_WHERE_WORDS (1 + (sizeof(struct state_where) + 7) / 8)

/* The last opening or closing as it was logged: what an alert tells. */
struct state_change {
	struct transition transition;
	uint32_t generation; /* that it led to */
	int32_t pid;
	uint64_t wall_ms;
};

#define STATE_CHANGE_WORDS (1 + (sizeof(struct state_change) + 7) / 8)

/* What is of a claim's version that is not the present one is as if it were not there. */
struct state_slot {
	atomic_u64 settings; /* version, settings_hash() of those who use it */
	atomic_u32 alerted;  /* version, generation that was last told by alert, plus one */
	atomic_u32 where_seq;
	atomic_u64 where[STATE_WHERE_WORDS]; /* see core/seqlock.h */
	atomic_u32 change_seq;
	atomic_u64 change[STATE_CHANGE_WORDS];
	atomic_u64 name[(BREAKER_NAME_MAX + 1) / 8];
};

/* Zero in a private state; state_map.c fills and checks it in a shared one. */
struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t size;
	uint64_t layout;
	uint64_t pid_space; /* where the pids in it mean something: a namespace's number */
	atomic_u64 beat_ns; /* when a prober last was at work, monotonic */
};

struct state {
	struct state_header header;
	atomic_u64 claims[STATE_BREAKERS]; /* whose each slot is, see state_claim.h */
	struct breaker breakers[STATE_BREAKERS];
	struct state_slot slots[STATE_BREAKERS];
	struct report reports[STATE_BREAKERS];
	struct inflight inflight;
};

enum state_found {
	STATE_FOUND,
	STATE_FULL,    /* no room for another breaker */
	STATE_FOREIGN, /* others use the name with other settings */
};

struct state_want {
	const char *name;
	uint64_t settings; /* as settings_hash() gives it */
	bool is_of_many;   /* one of a section that has a breaker for each region or host */
	uint64_t now_ns;   /* by which others are idle; 0: none gives way */
};

struct state_place {
	uint32_t index;
	uint64_t claim;	 /* see state_is() */
	bool gave_way;	 /* another did, for the new one */
	bool is_crowded; /* others may have to, before long */
};

/*
 * Finds the breaker of that name, or makes it.  Of idle breakers the one gives way that has
 * been idle longest, and of regions and hosts alone where these are too many.
 */
enum state_found state_find(struct state *s, const struct state_want *w, struct state_place *out);

/* The same where none gives way. */
enum state_found state_breaker(struct state *s, const char *name, uint64_t settings,
			       uint32_t *index);

/* The claim of the breaker of that number, 0 where there is none. */
uint64_t state_claim(const struct state *s, uint32_t index);

/* Whether the slot still is of that claim. */
static inline bool
state_is(const struct state *s, uint32_t index, uint64_t claim)
{
	return load_acquire(&s->claims[index % STATE_BREAKERS]) == claim;
}

/* The name, copied; false when there is no breaker of that number. */
bool state_name(const struct state *s, uint32_t index, char out[BREAKER_NAME_MAX + 1]);

/* The settings' hash, 0 when there is no breaker of that number. */
uint64_t state_settings(const struct state *s, uint32_t index);

/* The view of breaker index under the settings of its section. */
static inline struct breaker_ref
state_ref(struct state *s, uint32_t index, const struct breaker_config *config)
{
	return (struct breaker_ref){
		.breaker = &s->breakers[index],
		.config = config,
		.report = &s->reports[index],
		.inflight = &s->inflight,
		.index = index,
	};
}

/* Where calls failed.  Put never waits; where another writer is at work, that one wins. */
void state_put_where(struct state *s, uint32_t index, const struct state_where *w);
bool state_get_where(const struct state *s, uint32_t index, struct state_where *out);
bool state_has_where(const struct state *s, uint32_t index);

/* The last opening or closing, put and got in the same way. */
void state_put_change(struct state *s, uint32_t index, const struct state_change *c);
bool state_get_change(const struct state *s, uint32_t index, struct state_change *out);

/* The generation of which an alert was last told, plus one; 0: none was. */
uint32_t state_told(const struct state *s, uint32_t index);

/* Changes that from one to the other.  False: somebody else did. */
bool state_tell(struct state *s, uint32_t index, uint32_t from, uint32_t to);

/*
 * Empties those two where a writer was killed at its work: where one has got no further
 * since the last call.  Call it now and then; *seen begins as zero.
 */
struct state_seen {
	uint32_t where_seq, change_seq;
};

void state_mend(struct state *s, uint32_t index, struct state_seen *seen);

/* Whether a prober was at work within the last three seconds. */
bool state_has_prober(const struct state *s, uint64_t now_ns);
void state_beat(struct state *s, uint64_t now_ns);

#endif
