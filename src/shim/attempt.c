#include "shim/attempt.h"

#include "core/atomics.h"
#include "sys/log.h"
#include "sys/neterr.h"

#define EDGE "connect"
#define GIVE_UP_NS UINT64_C(1000000000)

/*
 * Destinations met before, one word each: the upper bits of the destination's hash,
 * the section (all ones: none) and the breaker.  A word that another destination
 * needs is overwritten.  Beside it is the breaker's claim, made unlike any by the word
 * itself: where two threads have written one each, it is nobody's.
 */
#define MET_PLACES 4096
#define MET_BREAKER_BITS 12
#define MET_SECTION_BITS 18
#define MET_NO_SECTION ((UINT64_C(1) << MET_SECTION_BITS) - 1)
#define MET_TAG_SHIFT (MET_BREAKER_BITS + MET_SECTION_BITS)

static struct {
	atomic_u64 word, claim;
} met_before[MET_PLACES];

static uint64_t
disguise(uint64_t word)
{
	return (word ^ word >> 31) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct dest
dest_of(const struct attempt *a, char buf[DEST_NAME_MAX + 1])
{
	return (struct dest){names_text(a->name, buf), a->addr, a->port};
}

/* Finds the target with the whole of the rules, and remembers it. */
static bool
find_target(const struct attempt *a, uint64_t key, struct gate_target *t)
{
	const struct ruleset *rules = gate_rules();
	char buf[DEST_NAME_MAX + 1];
	struct dest d = dest_of(a, buf);
	bool found = gate_find(&d, t);
	uint64_t section = found ? (uint64_t)(t->section - rules->sections) : MET_NO_SECTION;
	uint64_t breaker = found ? t->breaker : 0;
	uint64_t word =
		key >> MET_TAG_SHIFT << MET_TAG_SHIFT | section << MET_BREAKER_BITS | breaker;

	/* Room there may be later. */
	if (section > MET_NO_SECTION || (!found && t->section != NULL))
		return found;
	store_relaxed(&met_before[key % MET_PLACES].word, word);
	store_relaxed(&met_before[key % MET_PLACES].claim, (found ? t->claim : 0) ^ disguise(word));
	return found;
}

static bool
target_of(const struct attempt *a, uint64_t key, struct gate_target *t)
{
	uint64_t word = load_relaxed(&met_before[key % MET_PLACES].word);
	uint64_t section = word >> MET_BREAKER_BITS & MET_NO_SECTION;

	if (word == 0 || (word ^ key) >> MET_TAG_SHIFT != 0)
		return find_target(a, key, t);
	if (section == MET_NO_SECTION)
		return false;
	t->section = &gate_rules()->sections[section];
	t->breaker = (uint32_t)(word & ((1U << MET_BREAKER_BITS) - 1));
	t->claim = load_relaxed(&met_before[key % MET_PLACES].claim) ^ disguise(word);
	return gate_is_there(t) || find_target(a, key, t);
}

static void
record(const struct attempt *a, const struct gate_call *call, enum outcome outcome, int error,
       uint64_t now_ns)
{
	uint64_t start_ns = call->ticket.start_ns;
	char buf[DEST_NAME_MAX + 1], unknown[24];
	struct dest d = {{buf, 0}, a->addr, a->port};
	const char *detail = outcome == OUTCOME_OK ? "connected"
			     : error == 0	   ? "gave-up"
						   : errno_name(error, unknown);

	if (outcome == OUTCOME_FAIL || log_wants(LOG_DEBUG))
		d = dest_of(a, buf);
	gate_done(call, &d, EDGE, now_ns, now_ns > start_ns ? now_ns - start_ns : 0, outcome,
		  detail);
}

static void
record_left(const struct attempt *a, uint64_t key, uint64_t now_ns)
{
	struct gate_call call;
	enum outcome outcome;
	int error;

	while (group_take_left(key, now_ns, &call, &outcome, &error))
		record(a, &call, outcome, error, now_ns);
}

static uint64_t
name_key(struct named named, int32_t port)
{
	return ((uint64_t)named.ref << 16 | (uint16_t)port) * UINT64_C(0x9e3779b97f4a7c15);
}

enum gate_answer
attempt_begin_to(struct named named, uint64_t now_ns, struct attempt *a)
{
	uint64_t key = name_key(named, a->port) >> 20;
	enum gate_answer answer;

	if (a->is_one_of_many) {
		a->group = group_join(key, named, &a->call);
		if (a->group.place != 0)
			return GATE_ADMIT;
		record_left(a, key, now_ns);
	}
	answer = gate_ask(&a->call.target, now_ns, &a->call);
	if (answer == GATE_ADMIT && a->is_one_of_many)
		a->group = group_open(key, named, &(struct group_dest){a->addr, a->port, a->name},
				      &a->call, now_ns);
	return answer;
}

/* Where the program was told a fallback's address for the name, to one of the name's own. */
static void
move_to_own(struct attempt *a, struct named *named)
{
	struct dest_addr own[NAMES_ADDRESSES];
	char buf[DEST_NAME_MAX + 1];
	unsigned count = names_addresses(names_text(named->ref, buf).at, own);

	for (unsigned i = 0; i < count; i++) {
		unsigned at = (named->index + i) % count;

		if (own[at].family != a->addr.family)
			continue;
		a->addr = own[at];
		a->is_moved = true;
		*named = (struct named){
			.ref = named->ref, .index = (uint8_t)at, .total = (uint8_t)count};
		return;
	}
	a->is_stray = true;
}

/* What was told for another port was not meant here. */
static void
own_name(struct attempt *a, struct named *named)
{
	if (named->fallback_port == 0 || named->fallback_port == a->port) {
		move_to_own(a, named);
		return;
	}
	*named = (struct named){.total = 1};
	a->name = 0;
}

enum gate_answer
attempt_begin(const struct dest_addr *addr, int32_t port, uint64_t now_ns, struct attempt *a)
{
	uint64_t hash = names_hash(addr);
	struct named named = names_of(addr, hash);
	char buf[DEST_NAME_MAX + 1];

	*a = (struct attempt){
		.addr = *addr,
		.port = port,
		.name = named.ref,
		.start_ns = now_ns,
	};
	if (__builtin_expect(named.of_fallback, 0)) {
		own_name(a, &named);
		hash = names_hash(&a->addr);
	}
	a->is_one_of_many = named.total > 1;
	hash = (hash ^ name_key(named, port)) * UINT64_C(0x9e3779b97f4a7c15);
	if (!target_of(a, hash, &a->call.target)) {
		struct dest d = {names_text(a->name, buf), a->addr, port};

		a->is_unjudged = gate_is_proxy(&d);
		return a->is_unjudged ? GATE_ADMIT : GATE_PASS;
	}
	return a->is_stray ? GATE_REFUSE : attempt_begin_to(named, now_ns, a);
}

void
attempt_refused(const struct attempt *a, uint64_t now_ns)
{
	char buf[DEST_NAME_MAX + 1];
	struct dest d = {{buf, 0}, a->addr, a->port};

	if (log_wants(LOG_INFO))
		d = dest_of(a, buf);
	gate_refused(&a->call.target, &d, EDGE, now_ns);
}

enum attempt_result
attempt_result_of(int error)
{
	if (error == 0)
		return ATTEMPT_CONNECTED;
	return neterr_blames_peer(error) ? ATTEMPT_FAILED : ATTEMPT_LOCAL;
}

enum attempt_result
attempt_given_up(const struct attempt *a, uint64_t now_ns)
{
	return now_ns - a->start_ns >= GIVE_UP_NS ? ATTEMPT_FAILED : ATTEMPT_GAVE_UP;
}

bool
attempt_connected(const struct attempt *a, uint64_t now_ns, struct gate_call *call)
{
	enum outcome outcome;

	*call = a->call;
	return !a->is_unjudged && (a->group.place == 0 || group_end(a->group, ATTEMPT_CONNECTED, 0,
								    now_ns, call, &outcome));
}

void
attempt_count_connected(const struct attempt *a, const struct gate_call *call, uint64_t now_ns)
{
	record(a, call, OUTCOME_OK, 0, now_ns);
}

void
attempt_end(const struct attempt *a, enum attempt_result result, int error, uint64_t now_ns)
{
	static const enum outcome outcomes[] = {
		[ATTEMPT_CONNECTED] = OUTCOME_OK,
		[ATTEMPT_FAILED] = OUTCOME_FAIL,
		[ATTEMPT_LOCAL] = OUTCOME_NEUTRAL,
		[ATTEMPT_GAVE_UP] = OUTCOME_NEUTRAL,
	};
	struct gate_call call = a->call;
	enum outcome outcome = outcomes[result];

	if (a->is_unjudged)
		return;
	if (a->is_one_of_many && a->group.place == 0 && outcome == OUTCOME_FAIL)
		outcome = OUTCOME_NEUTRAL;
	if (a->group.place != 0 && !group_end(a->group, result, error, now_ns, &call, &outcome))
		return;
	record(a, &call, outcome, error, now_ns);
}

void
attempts_at_exit(uint64_t now_ns)
{
	struct gate_call call;
	struct group_dest d;
	enum outcome outcome;
	int error;

	for (uint32_t place = 0; group_take_last(&place, now_ns, &call, &d, &outcome, &error);) {
		struct attempt a = {.addr = d.addr, .port = d.port, .name = d.name};

		record(&a, &call, outcome, error, now_ns);
	}
}
