#include "shim/conn.h"

/* What has begun outside goes on there: inside, its beginning would be missing. */
struct conn_ref
conn_inside(uint64_t hello, const char *edge)
{
	struct conn_ref ref = conn_by_hello(hello);
	struct conn *c = conn_lock(ref);

	if (c == NULL)
		return (struct conn_ref){0, 0};
	if (c->hello == hello && (c->is_linked || !c->has_asked)) {
		c->is_linked = true;
		c->edge = edge;
	} else {
		ref.place = 0;
	}
	conn_unlock(c);
	return ref;
}

void
conn_inside_anew(struct conn_ref ref, uint64_t hello)
{
	struct conn *c = conn_lock(ref);

	if (c == NULL)
		return;
	conn_name_hello(c, ref, hello);
	conn_unlock(c);
}
