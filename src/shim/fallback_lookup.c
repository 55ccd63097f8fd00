#include "shim/fallback_lookup.h"

#include <string.h>

#include "shim/fallback.h"
#include "shim/gate_where.h"
#include "shim/hooks.h"
#include "shim/lookup.h"
#include "shim/refusal.h"

static bool
is_there(const struct fallback *f)
{
	return !f->has_target || gate_would_admit(&f->target, gate_now_ns());
}

/* What was found is kept for connects, also of others who share the breaker. */
static void
note(const struct fallback *f, const char *name, const struct addrinfo *list)
{
	struct dest_addr addr[NAMES_ADDRESSES];
	unsigned count = names_list(list, addr);

	names_note(name, addr, count);
	if (f->has_target)
		gate_note_where(&f->target, &f->dest, true);
}

static int
look_up(const struct fallback *f, const char *service, const struct addrinfo *hints,
	struct addrinfo **out)
{
	char name[DEST_NAME_MAX + 1];
	struct gate_call call;
	int eai;

	if (f->dest.addr.family != 0)
		return lookup_numeric(&f->dest.addr, 1, service, hints, out);
	fallback_name(f, name);
	if (f->has_target)
		gate_watch(&f->target, gate_now_ns(), &call);
	eai = REAL(getaddrinfo)(name, service, hints, out);
	if (eai == 0)
		note(f, name, *out);
	if (f->has_target)
		lookup_count(&call, &f->dest, eai);
	return eai;
}

/* A connect to one of them finds out whose it is, and to which port it goes. */
static bool
can_be_told(const struct fallback *f, const struct dest *d, const struct addrinfo *list)
{
	if (names_reference(d->name.at) == 0)
		names_note(d->name.at, NULL, 0);
	return names_learn_fallback(d->name.at, d->port, f->dest.port == d->port, list);
}

bool
fallback_look_up(const struct gate_target *target, const struct dest *d, const char *service,
		 const struct addrinfo *hints, struct addrinfo **out)
{
	struct fallback f = {.number = 0};

	/* The name of the fallback is not the one that was asked for. */
	if (hints != NULL && (hints->ai_flags & AI_CANONNAME) != 0)
		return false;
	while (fallback_next(target, d->port, &f)) {
		if (!is_there(&f) || look_up(&f, service, hints, out) != 0)
			continue;
		if (can_be_told(&f, d, *out)) {
			refusal_clear(REFUSAL_RESOLVE);
			return true;
		}
		freeaddrinfo(*out);
	}
	return false;
}

void
fallback_learn(const struct gate_target *target)
{
	struct addrinfo stream = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	struct fallback f = {.number = 0};

	while (fallback_next(target, DEST_PORT_UNKNOWN, &f)) {
		if (!is_there(&f))
			continue;
		if (f.dest.addr.family != 0 || look_up(&f, NULL, &stream, &found) == 0)
			break;
	}
	if (found != NULL)
		freeaddrinfo(found);
}
