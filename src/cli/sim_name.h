/* What a name in a simulation's script means under the rules. */
#ifndef CLI_SIM_NAME_H
#define CLI_SIM_NAME_H

#include "core/match.h"
#include "core/text.h"

/*
 * Resolves a section's name, SECTION/REGION, or a host that [*] covers; out->match
 * is not set.  False: *why holds the reason, without a full stop.
 */
bool sim_name_resolve(const struct ruleset *rules, struct span name, struct met *out,
		      struct text *why);

#endif
