/* What the files of the engine share; see engine.h. */
#ifndef PROBE_ENGINE_PARTS_H
#define PROBE_ENGINE_PARTS_H

#include "probe/engine.h"

struct engine_ref {
	struct engine *engine;
	unsigned view;
	uint32_t index;
	const struct section *section;
};

struct breaker_ref engine_breaker(const struct engine_ref *ref);

/* Logs the transitions of the breaker. */
void engine_tell(const struct engine_ref *ref, const struct transitions *tr);

/* Begins the probe that is due, if there is room for it and nobody else was quicker. */
void probe_begin(const struct engine_ref *ref, uint64_t now_ns, uint64_t *next_ns);

/* Goes on with one that is under way; *next_ns becomes when to come again, if earlier. */
void probe_go_on(struct engine *e, struct engine_probe *p, uint64_t now_ns, uint64_t *next_ns);

/* Ends it without a verdict. */
void probe_give_back(struct engine *e, struct engine_probe *p, uint64_t now_ns);

/* Posts what the breaker's state has become since the last alert.  False: it must wait. */
bool alert_offer(const struct engine_ref *ref, uint64_t now_ns);
void alert_go_on(struct engine *e, struct engine_alert *a, uint64_t now_ns);

#endif
