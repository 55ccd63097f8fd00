#include "core/ports.h"
#include "shim/gate_where.h"

static atomic_u32 *
other_port(const struct gate_target *t)
{
	return &gate_state_of(t)->reports[gate_index_of(t)].other_port;
}

void
gate_note_speech(const struct gate_target *t, int32_t port, bool is_http)
{
	bool is_noted = load_relaxed(other_port(t)) == (uint32_t)port;

	if (is_noted == is_http && port > 0 && gate_is_there(t))
		store_relaxed(other_port(t), is_http ? 0 : (uint32_t)port);
}

bool
gate_speaks_other(const struct gate_target *t, int32_t port)
{
	return ports_speak_other(port) || load_relaxed(other_port(t)) == (uint32_t)port;
}
