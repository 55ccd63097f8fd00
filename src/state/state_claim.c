#include "state/state_claim.h"

#define NONE UINT32_MAX
#define TRIES 16

/* From here on the next new names may have to wait for others to give way. */
#define CROWDED(most) ((most) / 4 * 3)

/* New, and so not idle before its maker can have made a call. */
#define FIRST_USE_NS UINT64_C(1000000000)

struct search {
	struct state *s;
	const struct state_want *want;
	uint64_t hash;
};

/* What stands where the name is looked for: positions counted from its home. */
struct view {
	uint32_t written, wanted, vacant;
	uint64_t wanted_claim, vacant_claim;
};

static uint32_t
at(const struct search *q, uint32_t position)
{
	return ((uint32_t)(q->hash >> CLAIM_HASH_SHIFT) + position) % STATE_BREAKERS;
}

/* Each word is stored whole, and several makers write the same. */
static void
write_name(const struct search *q, uint32_t index)
{
	seq_store_words(q->s->slots[index].name, q->want->name,
			strnlen(q->want->name, BREAKER_NAME_MAX) + 1);
}

/* Of another name with the same hash it is not; a name that is spoilt is mended. */
static bool
is_mine(const struct search *q, uint32_t index)
{
	char name[BREAKER_NAME_MAX + 1];

	claim_read_name(q->s, index, name);
	if (strncmp(name, q->want->name, BREAKER_NAME_MAX) == 0)
		return true;
	if (claim_has_hash(q->hash, claim_hash(name)))
		return false;
	write_name(q, index);
	return true;
}

static void
look(const struct search *q, struct view *v)
{
	*v = (struct view){NONE, NONE, NONE, 0, 0};
	for (uint32_t i = 0; i < STATE_BREAKERS && v->written == NONE; i++) {
		uint64_t claim = load_acquire(&q->s->claims[at(q, i)]);
		enum claim_kind kind = claim_kind(claim);
		bool is_place = kind == CLAIM_FREE || kind == CLAIM_VACANT;

		if (is_place && v->vacant == NONE) {
			v->vacant = i;
			v->vacant_claim = claim;
		}
		if (kind == CLAIM_FREE)
			return;
		if (is_place || !claim_has_hash(claim, q->hash))
			continue;
		if (kind == CLAIM_WRITTEN && is_mine(q, at(q, i))) {
			v->written = i;
		} else if (kind == CLAIM_WANTED && v->wanted == NONE) {
			v->wanted = i;
			v->wanted_claim = claim;
		}
	}
}

/* The name has a breaker elsewhere. */
static void
withdraw(const struct search *q, const struct view *v)
{
	uint64_t claim = v->wanted_claim;

	cas_acq_rel(&q->s->claims[at(q, v->wanted)], &claim, claim_with(claim, CLAIM_VACANT));
}

/*
 * Of several places that are wanted for the name at once the first one is it.  Who looks
 * through them all after having seen that one, and takes the others away, can be sure
 * that nobody finishes another: its maker has looked as well, after having claimed it.
 */
static bool
take_others_away(const struct search *q, const struct view *v)
{
	for (uint32_t i = 0; i < STATE_BREAKERS; i++) {
		atomic_u64 *place = &q->s->claims[at(q, i)];
		uint64_t claim = load_acquire(place);

		if (claim == CLAIM_FREE)
			break;
		if (i == v->wanted || !claim_has_hash(claim, q->hash))
			continue;
		if (claim_kind(claim) == CLAIM_WRITTEN && is_mine(q, at(q, i))) {
			withdraw(q, v);
			return false;
		}
		if (claim_kind(claim) != CLAIM_WANTED)
			continue;
		if (i < v->wanted || !cas_acq_rel(place, &claim, claim_with(claim, CLAIM_VACANT)))
			return false;
	}
	return true;
}

/* Makes what is wanted a breaker.  False: somebody else was at work, look again. */
static bool
finish(const struct search *q, const struct view *v)
{
	uint32_t index = at(q, v->wanted);
	struct state *s = q->s;
	uint64_t claim = v->wanted_claim;

	if (!take_others_away(q, v))
		return false;
	if (!claim_is_first(claim) &&
	    !breaker_renew(&s->breakers[index], &s->reports[index], q->want->now_ns + FIRST_USE_NS))
		return false;
	write_name(q, index);
	return cas_acq_rel(&s->claims[index], &claim, claim_with(claim, CLAIM_WRITTEN));
}

static void
claim_vacant(const struct search *q, const struct view *v)
{
	uint64_t was = v->vacant_claim, version = claim_version(was) + 1;

	/* One was the version of a slot that is all zero. */
	if (version > CLAIM_VERSION_MAX)
		version = 2;
	cas_acq_rel(&q->s->claims[at(q, v->vacant)], &was,
		    q->hash | version << CLAIM_VERSION_SHIFT |
			    (q->want->is_of_many ? CLAIM_MANY : 0) | CLAIM_WANTED);
}

struct census {
	uint32_t all, many;
	uint32_t oldest;
	uint64_t oldest_claim, oldest_ns;
};

/* Counts; of those that may give way finds the one that has been idle longest. */
static void
count(const struct search *q, bool of_many, struct census *c)
{
	struct inflight_busy busy;

	*c = (struct census){.oldest = NONE, .oldest_ns = UINT64_MAX};
	inflight_busy(&q->s->inflight, q->want->now_ns, &busy);
	for (uint32_t i = 0; i < STATE_BREAKERS; i++) {
		uint64_t claim = load_acquire(&q->s->claims[i]), since_ns;
		bool is_many = (claim & CLAIM_MANY) != 0;

		if (claim_kind(claim) != CLAIM_WANTED && claim_kind(claim) != CLAIM_WRITTEN)
			continue;
		c->all++;
		c->many += is_many;
		if (claim_kind(claim) == CLAIM_WANTED || (of_many && !is_many) ||
		    inflight_is_busy(&busy, i))
			continue;
		since_ns = breaker_idle_since_ns(&q->s->breakers[i], q->want->now_ns);
		if (since_ns < c->oldest_ns) {
			c->oldest = i;
			c->oldest_claim = claim;
			c->oldest_ns = since_ns;
		}
	}
}

/* A place that a killed maker has left is anybody's when there is no other. */
static bool
take_from_makers(struct state *s)
{
	for (uint32_t i = 0; i < STATE_BREAKERS; i++) {
		uint64_t claim = load_acquire(&s->claims[i]);

		if (claim_kind(claim) == CLAIM_WANTED &&
		    cas_acq_rel(&s->claims[i], &claim, claim_with(claim, CLAIM_VACANT)))
			return true;
	}
	return false;
}

/* Lets one give way.  False: none can. */
static bool
make_room(const struct search *q, const struct census *c)
{
	uint64_t claim = c->oldest_claim;

	if (q->want->now_ns == 0)
		return false;
	if (c->oldest == NONE)
		return take_from_makers(q->s);
	cas_acq_rel(&q->s->claims[c->oldest], &claim, claim_with(claim, CLAIM_VACANT));
	return true;
}

/* Takes a place for the name, which has none.  False: there is none to be had. */
static bool
begin(const struct search *q, const struct view *v, struct state_place *out)
{
	struct census c;
	bool is_many = q->want->is_of_many, is_over;

	count(q, false, &c);
	is_over = is_many && c.many >= STATE_MANY_MAX;
	out->is_crowded = c.all >= CROWDED(STATE_BREAKERS) || c.many >= CROWDED(STATE_MANY_MAX);
	if (is_over || v->vacant == NONE) {
		if (is_over)
			count(q, true, &c);
		if (!make_room(q, &c))
			return false;
		out->gave_way = true;
	}
	/* Where there was none, there is one at the next look. */
	if (v->vacant != NONE)
		claim_vacant(q, v);
	return true;
}

static bool
find_place(const struct search *q, struct state_place *out)
{
	struct view v;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		look(q, &v);
		if (v.written != NONE) {
			out->index = at(q, v.written);
			if (v.wanted != NONE)
				withdraw(q, &v);
			return true;
		}
		if (v.wanted != NONE)
			finish(q, &v);
		else if (!begin(q, &v, out))
			return false;
	}
	return false;
}

/* Whoever is first binds the settings; what an older breaker had in the slot counts nothing. */
static bool
bind_settings(struct state *s, const struct state_place *p, uint64_t settings)
{
	atomic_u64 *word = &s->slots[p->index].settings;
	uint64_t mine = claim_version(p->claim) << SETTINGS_BITS |
			(settings & ((UINT64_C(1) << SETTINGS_BITS) - 1));
	uint64_t there = load_relaxed(word);

	while (there >> SETTINGS_BITS != mine >> SETTINGS_BITS)
		if (cas_acq_rel(word, &there, mine))
			return true;
	return there == mine;
}

enum state_found
state_find(struct state *s, const struct state_want *want, struct state_place *out)
{
	struct search q = {s, want, claim_hash(want->name)};

	*out = (struct state_place){.index = 0};
	for (unsigned tries = 0; tries < TRIES && find_place(&q, out); tries++) {
		out->claim = state_claim(s, out->index);
		/* Else it has given way between the two. */
		if (out->claim != 0 && claim_has_hash(out->claim, q.hash))
			return bind_settings(s, out, want->settings) ? STATE_FOUND : STATE_FOREIGN;
	}
	return STATE_FULL;
}

enum state_found
state_breaker(struct state *s, const char *name, uint64_t settings, uint32_t *index)
{
	struct state_want want = {.name = name, .settings = settings};
	struct state_place place;
	enum state_found found = state_find(s, &want, &place);

	*index = place.index;
	return found;
}
