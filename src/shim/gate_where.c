#include "shim/gate_where.h"

#include <string.h>
#include <strings.h>

/*
 * A probe goes where calls failed, by every address that the name had.  Where it was
 * the look-up that failed, old addresses say nothing: the name is looked up again.
 */
void
gate_note_where(const struct gate_target *t, const struct dest *d, bool by_address)
{
	struct state_where w = {.port = d->port}, before;
	bool named = d->name.len > 0 && d->name.len <= DEST_NAME_MAX;

	if (named) {
		w.name_len = (uint8_t)d->name.len;
		memcpy(w.name, d->name.at, d->name.len);
		if (by_address)
			w.count = (uint8_t)names_addresses(w.name, w.addr);
	}
	if (w.count == 0 && d->addr.family != 0)
		w.addr[w.count++] = d->addr;
	if (w.port <= 0 && state_get_where(gate_state_of(t), gate_index_of(t), &before) &&
	    strcmp(before.name, w.name) == 0)
		w.port = before.port;
	if (named || w.port > 0)
		state_put_where(gate_state_of(t), gate_index_of(t), &w);
}

unsigned
gate_addresses(const struct gate_target *t, const char *name, struct dest_addr out[NAMES_ADDRESSES])
{
	unsigned count = names_addresses(name, out);
	struct state_where w;

	if (count > 0 || !state_get_where(gate_state_of(t), gate_index_of(t), &w) ||
	    strcasecmp(w.name, name) != 0)
		return count;
	memcpy(out, w.addr, w.count * sizeof(w.addr[0]));
	return w.count;
}

/* So that a breaker that trips before any call has ended can be probed. */
void
gate_note_first_where(const struct gate_target *t, const struct dest *d)
{
	if (!state_has_where(gate_state_of(t), gate_index_of(t)))
		gate_note_where(t, d, true);
}
