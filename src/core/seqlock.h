/*
 * Small values of several words that many threads read and few write, without a lock:
 * a sequence number goes odd while a writer is at work, and a reader that saw it move
 * has read nothing.  Nobody waits: a second writer and an unlucky reader are told no.
 */
#ifndef CORE_SEQLOCK_H
#define CORE_SEQLOCK_H

#include <string.h>

#include "core/atomics.h"

#define SEQ_WORDS(type) ((sizeof(type) + 7) / 8)

/* Whole words first: what a size that is known leaves over costs nothing in the loop. */
static inline void
seq_store_words(atomic_u64 *to, const void *from, size_t size)
{
	size_t whole = size / 8;
	uint64_t word;

	for (size_t i = 0; i < whole; i++) {
		memcpy(&word, (const char *)from + i * 8, 8);
		store_relaxed(&to[i], word);
	}
	if (size % 8 != 0) {
		word = 0;
		memcpy(&word, (const char *)from + whole * 8, size % 8);
		store_relaxed(&to[whole], word);
	}
}

static inline void
seq_load_words(void *to, const atomic_u64 *from, size_t size)
{
	size_t whole = size / 8;
	uint64_t word;

	for (size_t i = 0; i < whole; i++) {
		word = load_relaxed(&from[i]);
		memcpy((char *)to + i * 8, &word, 8);
	}
	if (size % 8 != 0) {
		word = load_relaxed(&from[whole]);
		memcpy((char *)to + whole * 8, &word, size % 8);
	}
}

/* Writes size bytes.  False: another writer is at work, and nothing was written. */
static inline bool
seq_write(atomic_u32 *seq, atomic_u64 *to, const void *from, size_t size)
{
	uint32_t was = load_relaxed(seq);

	if (was % 2 != 0 || !cas_acq_rel(seq, &was, was + 1))
		return false;
	atomic_thread_fence(memory_order_release);
	seq_store_words(to, from, size);
	store_release(seq, was + 2);
	return true;
}

/* Reads size bytes.  False: a writer was at work, and *to holds nothing of use. */
static inline bool
seq_read(const atomic_u32 *seq, const atomic_u64 *from, void *to, size_t size)
{
	uint32_t was = load_acquire(seq);

	if (was % 2 != 0)
		return false;
	seq_load_words(to, from, size);
	atomic_thread_fence(memory_order_acquire);
	return load_relaxed(seq) == was;
}

#endif
