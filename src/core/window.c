#include "core/window.h"

/*
 * A slot word: tag in bits 57-63, then three counters of 19 bits.  The tag is the
 * low part of the slot's number.  Every slot of the ring is brought to its own
 * number before head moves to it, so tags never have to tell more than sixteen
 * slots apart and are never compared as older or newer.
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

/* Brings the slots between the head and number to their own numbers, then head. */
static void
window_turn(struct window *w, uint64_t head, uint64_t number)
{
	uint64_t first = number - head < WINDOW_RING ? head + 1 : number - WINDOW_RING + 1;

	for (uint64_t n = first; n <= number; n++) {
		atomic_u64 *slot = &w->slots[n % WINDOW_RING];
		uint64_t word = load_relaxed(slot);

		while (!slot_is(word, n) && load_relaxed(&w->head) == head)
			if (cas_acq_rel(slot, &word, slot_empty(n)))
				break;
	}
	cas_acq_rel(&w->head, &head, number);
}

void
window_add(struct window *w, uint64_t slot_ns, uint64_t now_ns, bool failed, bool slow)
{
	uint64_t head = load_acquire(&w->head);

	/* A clock behind the head counts where the head is. */
	while (now_ns >= head * slot_ns && now_ns - head * slot_ns >= slot_ns) {
		window_turn(w, head, now_ns / slot_ns);
		head = load_acquire(&w->head);
	}
	atomic_u64 *slot = &w->slots[head % WINDOW_RING];

	if ((load_relaxed(slot) & FIELD_MASK) < WINDOW_SLOT_MAX)
		add_relaxed(slot,
			    1 | (uint64_t)failed << FAILED_SHIFT | (uint64_t)slow << SLOW_SHIFT);
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

		while (word << (64 - TAG_SHIFT) != 0 &&
		       !cas_acq_rel(&w->slots[i], &word, word >> TAG_SHIFT << TAG_SHIFT))
			;
	}
}
