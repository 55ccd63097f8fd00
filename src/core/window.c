#include "core/window.h"

/*
 * A slot word: tag in bits 57-63, then three counters of 19 bits.  The tag is the
 * low part of the slot's number.  What the ring holds of older rounds is emptied
 * before head moves on, whatever its tag, so tags never have to tell more than
 * sixteen slots apart and are never compared as older or newer.
 */
#define FIELD_BITS 19
#define FIELD_MASK ((UINT64_C(1) << FIELD_BITS) - 1)
#define FAILED_SHIFT FIELD_BITS
#define SLOW_SHIFT (2 * FIELD_BITS)
#define TAG_SHIFT (3 * FIELD_BITS)

static uint64_t
slot_empty(uint64_t number)
{
	return number << TAG_SHIFT;
}

static bool
slot_is(uint64_t word, uint64_t number)
{
	return (word ^ slot_empty(number)) >> TAG_SHIFT == 0;
}

static bool
has_counts(uint64_t word)
{
	return word << (64 - TAG_SHIFT) != 0;
}

/*
 * Empties the slots up to number, then moves the head there.  Until it moves nobody
 * counts in them, so what they hold is old even where the tag looks new.
 */
static void
window_turn(struct window *w, uint64_t head, uint64_t number)
{
	uint64_t first = number - head < WINDOW_RING ? head + 1 : number - WINDOW_RING + 1;

	for (uint64_t n = first; n <= number; n++) {
		atomic_u64 *slot = &w->slots[n % WINDOW_RING];
		uint64_t word = load_acquire(slot);

		while (has_counts(word) && load_relaxed(&w->head) == head)
			if (cas_acq_rel(slot, &word, slot_empty(n)))
				break;
	}
	cas_acq_rel(&w->head, &head, number);
}

/* The slot that counts what ends at now_ns, ready for it; *word is what it holds. */
static atomic_u64 *
window_slot(struct window *w, uint64_t slot_ns, uint64_t now_ns, uint64_t *word)
{
	for (;;) {
		uint64_t head = load_acquire(&w->head);
		atomic_u64 *slot = &w->slots[head % WINDOW_RING];

		/* A clock behind the head counts where the head is. */
		if (now_ns >= head * slot_ns && now_ns - head * slot_ns >= slot_ns) {
			window_turn(w, head, now_ns / slot_ns);
			continue;
		}
		*word = load_acquire(slot);
		if (slot_is(*word, head))
			return slot;
		/* Nothing counts here yet; a slot that was left behind stays as it is. */
		if (load_relaxed(&w->head) == head)
			cas_acq_rel(slot, word, slot_empty(head));
	}
}

static void
add_to(atomic_u64 *slot, uint64_t word, uint64_t counts)
{
	if ((word & FIELD_MASK) < WINDOW_SLOT_MAX)
		add_relaxed(slot, counts);
}

/* Out of line, so that the quick path saves no registers. */
__attribute__((noinline)) static void
add_slowly(struct window *w, uint64_t slot_ns, uint64_t now_ns, uint64_t counts)
{
	uint64_t word;
	atomic_u64 *slot = window_slot(w, slot_ns, now_ns, &word);

	add_to(slot, word, counts);
}

bool
window_add(struct window *w, uint64_t slot_ns, uint64_t now_ns, bool failed, bool slow)
{
	uint64_t counts = 1 | (uint64_t)failed << FAILED_SHIFT | (uint64_t)slow << SLOW_SHIFT;
	uint64_t head = load_acquire(&w->head);
	atomic_u64 *slot = &w->slots[head % WINDOW_RING];
	uint64_t word = load_acquire(slot);

	if (__builtin_expect(now_ns - head * slot_ns < slot_ns && slot_is(word, head), 1)) {
		add_to(slot, word, counts);
		return false;
	}
	add_slowly(w, slot_ns, now_ns, counts);
	return true;
}

struct window_sum
window_sum(const struct window *w, uint64_t slot_ns, uint64_t now_ns)
{
	struct window_sum sum = {0, 0, 0};
	uint64_t head = load_acquire(&w->head);
	uint64_t number = now_ns / slot_ns;

	if (number < head)
		number = head;
	for (unsigned back = 0; back <= WINDOW_SLOTS_PER_WINDOW && back <= number; back++) {
		uint64_t n = number - back;
		uint64_t word = load_relaxed(&w->slots[n % WINDOW_RING]);

		if (n > head || !slot_is(word, n))
			continue;
		sum.total += word & FIELD_MASK;
		sum.failed += word >> FAILED_SHIFT & FIELD_MASK;
		sum.slow += word >> SLOW_SHIFT & FIELD_MASK;
	}
	return sum;
}

void
window_clear(struct window *w)
{
	for (unsigned i = 0; i < WINDOW_RING; i++) {
		uint64_t word = load_relaxed(&w->slots[i]);

		while (has_counts(word) &&
		       !cas_acq_rel(&w->slots[i], &word, word >> TAG_SHIFT << TAG_SHIFT))
			;
	}
}

void
window_renew(struct window *w)
{
	store_relaxed(&w->head, 0);
	window_clear(w);
}
