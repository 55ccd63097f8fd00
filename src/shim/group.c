#include "shim/group.h"

#include "core/seqlock.h"

#define PLACES 1024 /* a power of two */
#define WAYS 64	    /* places that a name and port may have */
#define GIVE_UP_NS UINT64_C(1000000000)

/*
 * How long a call may stand between two addresses before it counts as left.  Other
 * calls begin meanwhile in a program that has many at a time, so that alone says
 * nothing.  A program that was seen to go on to the next address gets longer.
 */
#define LEFT_NS UINT64_C(250000000)
#define LEFT_WALKER_NS UINT64_C(10000000000)

/*
 * A group's word: state in bits 0-1, what its attempts came to in 2-4, open attempts
 * in 5-9, addresses tried in 16-31, version in 32-47, the last error in 48-55.
 */
enum { FREE, CREATING, LIVE };

#define STATE_MASK UINT64_C(3)
#define SOME_FAILED (UINT64_C(1) << 2)
#define SOME_LOCAL (UINT64_C(1) << 3)
#define SOME_GAVE_UP (UINT64_C(1) << 4)
#define OPEN_ONE (UINT64_C(1) << 5)
#define OPEN_MASK (UINT64_C(31) << 5)
#define TRIED_ONE (UINT64_C(1) << 16)
#define VERSION_ONE (UINT64_C(1) << 32)
#define VERSION_MASK (UINT64_C(0xffff) << 32)
#define ERROR_SHIFT 48
#define ERROR_MASK (UINT64_C(0xff) << ERROR_SHIFT)

struct group_value {
	struct gate_call call;
	struct group_dest dest;
	uint64_t key;
	uint64_t start_ns;
	uint8_t total;
};

static struct {
	atomic_u64 word;
	atomic_u64 idle_since_ns;
	atomic_u64 value[SEQ_WORDS(struct group_value)];
} groups[PLACES];

/* Names whose program goes on to the next address, and places that a group ever had. */
static atomic_u32 walkers[PLACES / 32], used[PLACES / 32];

static bool
has_bit(const atomic_u32 *bits, uint64_t number)
{
	return load_relaxed(&bits[number % PLACES / 32]) >> (number % 32) & 1;
}

static void
set_bit(atomic_u32 *bits, uint64_t number)
{
	if (!has_bit(bits, number))
		atomic_fetch_or_explicit(&bits[number % PLACES / 32], UINT32_C(1) << (number % 32),
					 memory_order_relaxed);
}

/* No page of the table is touched for those that are not, which in most programs are all. */
static bool
is_used(unsigned place)
{
	return has_bit(used, place);
}

static uint64_t
freed(uint64_t word)
{
	return (word + VERSION_ONE) & VERSION_MASK;
}

/* The live group at a place: its word, or 0 when it is none of this key. */
static uint64_t
look(unsigned place, uint64_t key, struct group_value *v)
{
	uint64_t word = load_acquire(&groups[place].word);

	if ((word & STATE_MASK) != LIVE)
		return 0;
	seq_load_words(v, groups[place].value, sizeof(*v));
	return v->key == key ? word : 0;
}

/* The words were read before: when the group's word is unchanged they were whole. */
static bool
change(unsigned place, uint64_t word, uint64_t next)
{
	atomic_thread_fence(memory_order_acquire);
	return cas_acq_rel(&groups[place].word, &word, next);
}

static unsigned
place_at(uint64_t key, unsigned way)
{
	return 1 + (unsigned)(key + way) % (PLACES - 1);
}

static struct group_ref
ref_to(unsigned place, uint64_t word)
{
	return (struct group_ref){(uint16_t)place, (uint16_t)(word >> 32)};
}

struct group_ref
group_join(uint64_t key, struct named named, struct gate_call *call)
{
	uint64_t bit = TRIED_ONE << named.index;
	struct group_value v;

	for (unsigned way = 0; way < WAYS; way++) {
		unsigned place = place_at(key, way);
		uint64_t word = look(place, key, &v);

		if (word == 0 || (word & bit) != 0 || !gate_is_current(&v.call) ||
		    !change(place, word, (word | bit) + OPEN_ONE))
			continue;
		if ((word & SOME_FAILED) != 0)
			set_bit(walkers, key);
		*call = v.call;
		return ref_to(place, word);
	}
	return (struct group_ref){0, 0};
}

struct group_ref
group_open(uint64_t key, struct named named, const struct group_dest *d,
	   const struct gate_call *call, uint64_t now_ns)
{
	const struct group_value v = {*call, *d, key, now_ns, named.total};

	for (unsigned way = 0; way < WAYS; way++) {
		unsigned place = place_at(key, way);
		uint64_t word = load_relaxed(&groups[place].word);

		if ((word & STATE_MASK) != FREE ||
		    !cas_acq_rel(&groups[place].word, &word, word | CREATING))
			continue;
		set_bit(used, place);
		seq_store_words(groups[place].value, &v, sizeof(v));
		word = (word & VERSION_MASK) | LIVE | OPEN_ONE | TRIED_ONE << named.index;
		store_release(&groups[place].word, word);
		return ref_to(place, word);
	}
	return (struct group_ref){0, 0};
}

static enum outcome
verdict(uint64_t word, const struct group_value *v, uint64_t now_ns)
{
	if ((word & SOME_LOCAL) != 0)
		return OUTCOME_NEUTRAL;
	if ((word & SOME_FAILED) != 0 || now_ns - v->start_ns >= GIVE_UP_NS)
		return OUTCOME_FAIL;
	return OUTCOME_NEUTRAL;
}

static uint64_t
after(uint64_t word, enum attempt_result result, int error)
{
	static const uint64_t flags[] = {
		[ATTEMPT_FAILED] = SOME_FAILED,
		[ATTEMPT_LOCAL] = SOME_LOCAL,
		[ATTEMPT_GAVE_UP] = SOME_GAVE_UP,
	};

	word = (word & ~ERROR_MASK) | ((uint64_t)error << ERROR_SHIFT & ERROR_MASK);
	return (word | flags[result]) - OPEN_ONE;
}

bool
group_end(struct group_ref ref, enum attempt_result result, int error, uint64_t now_ns,
	  struct gate_call *call, enum outcome *outcome)
{
	struct group_value v;
	uint64_t word, next;
	bool decided;

	do {
		word = load_acquire(&groups[ref.place].word);
		/* Decided by another attempt. */
		if ((word & STATE_MASK) != LIVE || (uint16_t)(word >> 32) != ref.version)
			return false;
		seq_load_words(&v, groups[ref.place].value, sizeof(v));
		next = result == ATTEMPT_CONNECTED ? freed(word) : after(word, result, error);
		decided = result == ATTEMPT_CONNECTED ||
			  ((next & OPEN_MASK) == 0 &&
			   (next >> 16 & 0xffff) == (UINT64_C(1) << v.total) - 1);
		store_relaxed(&groups[ref.place].idle_since_ns, now_ns);
	} while (!change(ref.place, word, decided ? freed(word) : next));
	*call = v.call;
	*outcome = result == ATTEMPT_CONNECTED ? OUTCOME_OK : verdict(next, &v, now_ns);
	return decided;
}

static bool
is_left(unsigned place, uint64_t key, uint64_t word, uint64_t now_ns)
{
	uint64_t idle_ns = now_ns - load_relaxed(&groups[place].idle_since_ns);

	return (word & OPEN_MASK) == 0 &&
	       idle_ns >= (has_bit(walkers, key) ? LEFT_WALKER_NS : LEFT_NS);
}

bool
group_take_left(uint64_t key, uint64_t now_ns, struct gate_call *call, enum outcome *outcome,
		int *error)
{
	struct group_value v;

	for (unsigned way = 0; way < WAYS; way++) {
		unsigned place = place_at(key, way);
		uint64_t word = look(place, key, &v);

		if (word == 0 || !is_left(place, key, word, now_ns) ||
		    !change(place, word, freed(word)))
			continue;
		*call = v.call;
		*outcome = verdict(word, &v, now_ns);
		*error = (int)(word >> ERROR_SHIFT & 0xff);
		return true;
	}
	return false;
}

bool
group_take_last(uint32_t *place, uint64_t now_ns, struct gate_call *call, struct group_dest *d,
		enum outcome *outcome, int *error)
{
	struct group_value v;

	while (*place < PLACES) {
		unsigned at = (*place)++;

		if (!is_used(at))
			continue;
		uint64_t word = load_acquire(&groups[at].word);

		if ((word & STATE_MASK) != LIVE || (word & OPEN_MASK) != 0)
			continue;
		seq_load_words(&v, groups[at].value, sizeof(v));
		if (!change(at, word, freed(word)))
			continue;
		*call = v.call;
		*d = v.dest;
		*outcome = verdict(word, &v, now_ns);
		*error = (int)(word >> ERROR_SHIFT & 0xff);
		return true;
	}
	return false;
}

void
group_after_fork(void)
{
	for (unsigned place = 0; place < PLACES; place++) {
		if (!is_used(place))
			continue;
		uint64_t word = load_relaxed(&groups[place].word);

		if ((word & STATE_MASK) != FREE)
			store_relaxed(&groups[place].word, freed(word));
	}
}
