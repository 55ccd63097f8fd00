/*
 * A refusal as text: what the one who was refused reads.
 *
 * The template is the section's message or the default one; {dependency}, {region},
 * {reason} and {retry_in} are filled in.  Plain UTF-8 without control characters, whatever
 * the template and the name hold.
 */
#ifndef CORE_ANSWER_H
#define CORE_ANSWER_H

#include "core/breaker.h"

#define ANSWER_TEXT_MAX 1024
#define ANSWER_MESSAGE_MAX 2560 /* room for every message of a rules file */

extern const char answer_default_message[];

/*
 * Writes at most size - 1 bytes and a zero, never half a character, and returns the
 * length.  breaker is the breaker's name: dependency, or dependency/region.
 */
size_t answer_message(const struct settings *s, const char *breaker,
		      const struct breaker_snapshot *now, char *out, size_t size);

/* The fallbacks of a breaker that are of no help; at least one. */
struct answer_fallbacks {
	unsigned count;
	const struct span *names;
};

/*
 * The message with a sentence about these behind it, for which the message is cut short
 * where there is not room for both.
 */
size_t answer_message_without(const struct answer_fallbacks *f, const struct settings *s,
			      const char *breaker, const struct breaker_snapshot *now, char *out,
			      size_t size);

/*
 * Why, in words: "5 failures in a row", "half of 24 calls failed", "answers take over 5s",
 * each with "recovering" while half-open.  At most size - 1 bytes.
 */
size_t answer_reason(const struct settings *s, const struct breaker_snapshot *now, char *out,
		     size_t size);

#endif
