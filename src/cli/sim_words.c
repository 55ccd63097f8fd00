#include "cli/sim_words.h"

#include <string.h>

#include "core/near.h"

const char *const sim_verbs[] = {"call",  "end",  "burst",  "every", "probe",
				 "force", "mark", "expect", NULL};

const char *const sim_usages[] = {
	"T call ID NAME",
	"T end ID ok|fail|neutral",
	"T burst N NAME ok|fail|neutral|hang [DUR]",
	"T every DUR N NAME ok|fail [DUR]",
	"T probe NAME ok|fail|hang [DUR]",
	"T force NAME open|closed|auto",
	"T mark NAME",
	"T expect NAME|ID STATE|FIELD=VALUE ...",
};

const char *const sim_endings[] = {"ok", "fail", "neutral", "hang", NULL};

const char *const sim_forces[] = {"auto", "open", "closed", NULL};

const char *const sim_fields[] = {"",	     "",       "reason",      "class",	     "score",
				  "total",   "failed", "slow",	      "consecutive", "admitted",
				  "refused", "probes", "cooldown_ms", "generation",  NULL};

const char *const sim_states[] = {"closed", "open", "half-open", NULL};

const char *const sim_reasons[] = {
	"none",		 "consecutive",	 "failure-rate", "latency", "probe-ok", "probe-failed",
	"lease-expired", "late-failure", "ramp-done",	 "manual",  NULL};

const char *const sim_classes[] = {"healthy", "degraded", "unhealthy", NULL};

const char *const sim_answers[] = {"refused", "admitted", NULL};

int
sim_word_find(const char *const *list, struct span word)
{
	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == word.len && memcmp(list[i], word.at, word.len) == 0 &&
		    word.len > 0)
			return i;
	return -1;
}

void
sim_word_suggest(struct text *t, const char *const *list, struct span word)
{
	struct near n = {NULL, 0};

	for (; *list; list++)
		if (**list)
			near_offer(&n, word, *list);
	if (n.word)
		text_format(t, " (did you mean '%s'?)", n.word);
}

/*
 * Reads a decimal number, in units of one / 10^decimals, and leaves in *rest what
 * stands behind it.
 */
static bool
read_decimal(struct span word, unsigned decimals, uint64_t *value, struct span *rest)
{
	uint32_t i = 0, digits = 0;
	bool fraction = false;
	unsigned left = decimals;

	*value = 0;
	for (; i < word.len; i++) {
		char c = word.at[i];

		if (c == '.' && !fraction && digits > 0) {
			fraction = true;
			digits = 0;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		if ((fraction && left-- == 0) || *value > UINT64_MAX / 100)
			return false;
		*value = *value * 10 + (uint64_t)(c - '0');
		digits++;
	}
	for (; left > 0; left--) {
		if (*value > UINT64_MAX / 100)
			return false;
		*value *= 10;
	}
	*rest = (struct span){word.at + i, word.len - i};
	return digits > 0;
}

bool
sim_read_time(struct span word, uint64_t *ns)
{
	struct span rest;

	return read_decimal(word, 9, ns, &rest) && rest.len == 0 &&
	       *ns <= SIM_TIME_MAX_S * 1000000000;
}

bool
sim_read_duration(struct span word, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint32_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	struct span rest;

	if (!read_decimal(word, 6, ns, &rest))
		return false;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != rest.len ||
		    memcmp(units[i].name, rest.at, rest.len) != 0)
			continue;
		if (*ns > SIM_TIME_MAX_S * 1000000000 / units[i].ms)
			return false;
		*ns *= units[i].ms;
		return true;
	}
	return false;
}

bool
sim_read_number(struct span word, uint64_t max, uint64_t *number)
{
	struct span rest;

	return read_decimal(word, 0, number, &rest) && rest.len == 0 && *number <= max &&
	       !memchr(word.at, '.', word.len);
}

bool
sim_read_score(struct span word, uint64_t *millionths)
{
	struct span rest;

	return read_decimal(word, 6, millionths, &rest) && rest.len == 0 && *millionths <= 1000000;
}
