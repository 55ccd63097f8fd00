#include "core/tls_tickets.h"

/* Observations that make a run known, and contradictions that give it up. */
#define SEEN_ENOUGH 2
#define CONTRADICTIONS_MAX 2

#define BLOCK_BYTES 16

struct entry {
	uint32_t tag; /* part of the key */
	struct tls_run run;
	uint8_t seen;		/* up to SEEN_ENOUGH */
	uint8_t contradictions; /* up to CONTRADICTIONS_MAX */
	uint8_t evidence;	/* enum tls_evidence */
	bool resumes;		/* full handshakes: see tls_tickets_resumed() */
};

static uint64_t
pack(struct entry e)
{
	return (uint64_t)e.tag << 32 | (uint64_t)e.run.length << 16 |
	       (uint64_t)(e.run.count & 7) << 12 | (uint64_t)e.seen << 8 |
	       (uint64_t)e.contradictions << 4 | (uint64_t)e.evidence << 1 | e.resumes;
}

static struct entry
unpack(uint64_t word)
{
	return (struct entry){.tag = (uint32_t)(word >> 32),
			      .run = {(uint16_t)(word >> 16), (uint8_t)(word >> 12 & 7)},
			      .seen = word >> 8 & 3,
			      .contradictions = word >> 4 & 3,
			      .evidence = word >> 1 & 3,
			      .resumes = word & 1};
}

static uint32_t
tag_of(uint64_t key)
{
	return (uint32_t)(key >> 32);
}

static struct entry
look(const struct tls_tickets *t, uint64_t key, bool is_resumed)
{
	struct entry e = unpack(load_relaxed(&t->words[key % TLS_SERVERS_MAX][is_resumed]));

	return e.tag == tag_of(key) ? e : (struct entry){.tag = tag_of(key)};
}

static void
keep(struct tls_tickets *t, uint64_t key, bool is_resumed, struct entry e)
{
	store_relaxed(&t->words[key % TLS_SERVERS_MAX][is_resumed], pack(e));
}

static bool
is_same(struct tls_run a, struct tls_run b)
{
	return a.count == b.count && (a.count == 0 || a.length == b.length);
}

/* Neither the same nor a contradiction. */
static bool
says_nothing(const struct entry *e, struct tls_run run, enum tls_evidence evidence)
{
	/* Where no tickets come, the first record of an answer looks like one. */
	if (e->run.count == 0)
		return run.count == 1 && evidence != TLS_EVIDENCE_EARLY;
	return run.count == e->run.count && tls_tickets_are_near(run.length, e->run.length);
}

void
tls_tickets_learn(struct tls_tickets *t, uint64_t key, bool is_resumed, struct tls_run run,
		  enum tls_evidence evidence)
{
	struct entry e = look(t, key, is_resumed);

	if (e.seen > 0 && is_same(e.run, run)) {
		e.seen = SEEN_ENOUGH;
		if (e.evidence < evidence)
			e.evidence = (uint8_t)evidence;
	} else if (e.seen > 0 && says_nothing(&e, run, evidence)) {
		return;
	} else {
		/* What was there before the question overrules what was only guessed. */
		bool is_better = evidence == TLS_EVIDENCE_EARLY && e.evidence < evidence;

		if (e.seen > 0 && !is_better && e.contradictions < CONTRADICTIONS_MAX)
			e.contradictions++;
		e.run = run;
		e.seen = 1;
		e.evidence = (uint8_t)evidence;
	}
	keep(t, key, is_resumed, e);
}

void
tls_tickets_resumed(struct tls_tickets *t, uint64_t key)
{
	struct entry e = look(t, key, false);

	if (e.resumes)
		return;
	e.resumes = true;
	keep(t, key, false, e);
}

/*
 * A lone record may be the head of an answer whose body takes its time.  It is none when it
 * is as long as the tickets of the same server's full handshakes.
 */
static bool
is_proven(const struct tls_tickets *t, uint64_t key, const struct entry *e, bool is_resumed)
{
	if (e->evidence == TLS_EVIDENCE_EARLY)
		return true;
	if (!is_resumed)
		return e->resumes || (e->run.count > 1 && e->evidence == TLS_EVIDENCE_GAP);
	struct entry full = look(t, key, false);

	if (e->run.count > 1)
		return e->evidence == TLS_EVIDENCE_GAP;
	return full.seen > 0 && full.contradictions < CONTRADICTIONS_MAX && full.run.count > 0 &&
	       full.run.length == e->run.length;
}

bool
tls_tickets_known(const struct tls_tickets *t, uint64_t key, bool is_resumed, struct tls_run *run)
{
	struct entry e = look(t, key, is_resumed);

	*run = e.run;
	return e.seen >= SEEN_ENOUGH && e.contradictions < CONTRADICTIONS_MAX &&
	       is_proven(t, key, &e, is_resumed);
}

bool
tls_tickets_are_like(const struct tls_tickets *t, uint64_t key, uint16_t length)
{
	for (int is_resumed = 0; is_resumed < 2; is_resumed++) {
		struct entry e = look(t, key, is_resumed);
		struct tls_run run;

		if (e.seen == 0 || e.run.count == 0 || !tls_tickets_are_near(length, e.run.length))
			continue;
		if (e.run.count > 1 || tls_tickets_known(t, key, is_resumed, &run))
			return true;
	}
	return false;
}

bool
tls_tickets_are_near(uint16_t length, uint16_t other)
{
	return length == other || length == other + BLOCK_BYTES || other == length + BLOCK_BYTES;
}
