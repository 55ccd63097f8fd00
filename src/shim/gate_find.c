#include "shim/gate_find.h"

#include "core/match.h"
#include "core/text.h"
#include "shim/gate_where.h"
#include "sys/clock.h"
#include "sys/log.h"

struct state gate_own;
struct gate_places gate_places = {.shared = &gate_own, .path = "process"};

/*
 * What is told once: which breakers are private for their settings, that one is for want of
 * room, that one could not be had at all, that one gave way.
 */
static atomic_u32 told_foreign[STATE_BREAKERS];
static atomic_u32 told_private;
static atomic_u32 told_none;
static atomic_u32 told_giving_way;

static void
tell_lack(const char *name, bool foreign, const char *what_follows)
{
	char error[BREAKER_NAME_MAX + 96];
	struct text t = text_over(error, sizeof(error));

	text_string(&t, "breaker ");
	text_string(&t, name);
	text_string(&t, foreign ? " has other settings there" : " finds no room there");
	text_string(&t, what_follows);
	log_config_error(gate_places.path, 0, error);
}

static void
tell_private(const char *name, uint32_t index, bool foreign)
{
	if (swap_acq_rel(foreign ? &told_foreign[index] : &told_private, 1) == 0)
		tell_lack(name, foreign, ", this process keeps its own");
}

static enum state_found
find_in(struct state *s, const struct state_want *want, struct state_place *place)
{
	enum state_found found = state_find(s, want, place);

	if (place->is_crowded && load_relaxed(&gate_places.is_crowded) == 0)
		store_relaxed(&gate_places.is_crowded, 1);
	if (place->gave_way && swap_acq_rel(&told_giving_way, 1) == 0)
		log_config_note(s == &gate_own ? "process" : gate_places.path,
				"too many breakers: of the idle ones the oldest give way");
	return found;
}

/* A section with a breaker for each region or host. */
static bool
has_many(const struct met *met)
{
	return met->match->kind == HOST_REGION ||
	       (met->section->name.len == 1 && *met->section->name.at == '*');
}

static bool
find_breaker(const struct met *met, struct gate_target *out)
{
	struct state_want want = {
		.name = met->breaker,
		.settings = settings_hash(&met->section->settings),
		.is_of_many = has_many(met),
		.now_ns = clock_coarse_ns(),
	};
	struct state_place place;
	enum state_found found = find_in(gate_places.shared, &want, &place);
	bool is_own = found != STATE_FOUND && gate_places.shared != &gate_own &&
		      find_in(&gate_own, &want, &place) == STATE_FOUND;

	out->section = met->section;
	out->breaker = place.index | (is_own ? GATE_IS_PRIVATE : 0);
	out->claim = place.claim;
	if (is_own)
		tell_private(want.name, place.index, found == STATE_FOREIGN);
	else if (!is_own && found != STATE_FOUND && swap_acq_rel(&told_none, 1) == 0)
		tell_lack(want.name, found == STATE_FOREIGN, ", this process goes without it");
	return is_own || found == STATE_FOUND;
}

bool
gate_find(const struct dest *d, struct gate_target *out)
{
	struct met met;
	uint32_t from = 0;

	out->section = NULL;
	return gate_find_next(d, &from, &met, out);
}

bool
gate_is_proxy(const struct dest *d)
{
	return match_is_proxy(gate_places.proxies, d);
}

bool
gate_find_next(const struct dest *d, uint32_t *from, struct met *met, struct gate_target *out)
{
	const struct ruleset *rules = gate_rules();

	if (rules == NULL || !match_next(rules, gate_places.proxies, d, from, met) ||
	    met->section->settings.mode == MODE_OFF)
		return false;
	if (!find_breaker(met, out))
		return false;
	gate_note_first_where(out, d);
	return true;
}
