#include <string.h>

#include "cli/sim_words.h"

#define QUOTE(s) (int)(s).len, (s).at
#define EXACT_MAX (UINT64_C(1) << 53)

/* The words that a field may have; NULL: a number. */
static const char *const *
words_of(enum sim_field field)
{
	switch (field) {
	case SIM_ADMISSION:
		return sim_answers;
	case SIM_STATE:
		return sim_states;
	case SIM_REASON:
		return sim_reasons;
	case SIM_CLASS:
		return sim_classes;
	default:
		return NULL;
	}
}

static bool
unknown(struct text *why, const char *what, const char *const *list, struct span word)
{
	text_format(why, "unknown %s '%.*s'", what, QUOTE(word));
	sim_word_suggest(why, list, word);
	return false;
}

static bool
read_value(struct span value, struct sim_term *out, struct text *why)
{
	const char *name = sim_fields[out->field];
	const char *const *words = words_of(out->field);

	if (words) {
		int found = sim_word_find(words, value);

		out->value = (uint64_t)found;
		return found >= 0 || unknown(why, name, words, value);
	}
	if (out->field == SIM_SCORE ? sim_read_score(value, &out->value)
				    : sim_read_number(value, EXACT_MAX, &out->value))
		return true;
	text_format(why, "'%.*s' is no %s", QUOTE(value),
		    out->field == SIM_SCORE ? "score such as 0.689999" : "whole number");
	return false;
}

static bool
read_word(struct span word, struct sim_term *out, struct text *why)
{
	static const char *const all[] = {"closed",   "open",	 "half-open",
					  "admitted", "refused", NULL};
	int answer = sim_word_find(sim_answers, word);
	int state = sim_word_find(sim_states, word);

	out->field = answer >= 0 ? SIM_ADMISSION : SIM_STATE;
	out->value = (uint64_t)(answer >= 0 ? answer : state);
	return answer >= 0 || state >= 0 || unknown(why, "state", all, word);
}

bool
sim_term_read(struct span word, struct sim_term *out, struct text *why)
{
	const char *equals = memchr(word.at, '=', word.len);

	if (!equals)
		return read_word(word, out, why);
	struct span key = {word.at, (uint32_t)(equals - word.at)};
	struct span value = {equals + 1, word.len - key.len - 1};
	int field = sim_word_find(sim_fields, key);

	if (field < 0)
		return unknown(why, "field", sim_fields, key);
	out->field = (enum sim_field)field;
	return read_value(value, out, why);
}

static void
print_score(struct text *t, uint64_t millionths)
{
	text_number(t, millionths / 1000000);
	text_string(t, ".");
	for (uint64_t unit = 100000; unit > 0; unit /= 10)
		text_number(t, millionths / unit % 10);
}

void
sim_term_print(struct text *t, struct sim_term term)
{
	const char *const *words = words_of(term.field);

	if (term.field > SIM_STATE)
		text_format(t, "%s=", sim_fields[term.field]);
	if (words)
		text_string(t, words[term.value]);
	else if (term.field == SIM_SCORE)
		print_score(t, term.value);
	else
		text_number(t, term.value);
}
