#include "cli/sim_queue.h"

#include <err.h>
#include <stdlib.h>

static bool
is_before(const struct sim_event *a, const struct sim_event *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	if ((a->kind == SIM_DUE) != (b->kind == SIM_DUE))
		return a->kind == SIM_DUE;
	return a->order < b->order;
}

void
sim_queue_put(struct sim_queue *q, const struct sim_event *e)
{
	struct sim_event new = *e;
	size_t at = q->count++;

	if (q->count > q->room) {
		q->room = q->room > 0 ? 2 * q->room : 64;
		q->heap = reallocarray(q->heap, q->room, sizeof(*q->heap));
		if (!q->heap)
			err(2, NULL);
	}
	new.order = q->order++;
	for (; at > 0 && is_before(&new, &q->heap[(at - 1) / 2]); at = (at - 1) / 2)
		q->heap[at] = q->heap[(at - 1) / 2];
	q->heap[at] = new;
}

bool
sim_queue_take(struct sim_queue *q, uint64_t to_ns, struct sim_event *e)
{
	if (q->count == 0 || q->heap[0].at_ns > to_ns)
		return false;
	*e = q->heap[0];

	const struct sim_event *last = &q->heap[--q->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < q->count && is_before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (child >= q->count || !is_before(&q->heap[child], last))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = *last;
	return true;
}

void
sim_queue_free(struct sim_queue *q)
{
	free(q->heap);
}
