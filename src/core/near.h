/* Which of some known words a mistyped one was meant to be. */
#ifndef CORE_NEAR_H
#define CORE_NEAR_H

#include "core/settings.h"

/*
 * The best word so far: begin with {NULL, 0}, offer every word, then word is the
 * nearest or NULL when none is near.
 */
struct near {
	const char *word;
	unsigned distance;
};

/*
 * Offers one word.  Near is a third of the typed word's length and at least one
 * change: a letter more, less, other, or two swapped; case does not count, nor
 * whether '-' or '_' was typed.
 */
void near_offer(struct near *n, struct span typed, const char *word);

#endif
