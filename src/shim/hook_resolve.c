#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "shim/fallback_lookup.h"
#include "shim/gate.h"
#include "shim/guard.h"
#include "shim/hook_curl.h"
#include "shim/hooks.h"
#include "shim/init.h"
#include "shim/lookup.h"
#include "shim/names.h"
#include "shim/refusal.h"

/* The port of a look-up, where its service is a number. */
static int32_t
port_of(const char *service)
{
	char *end;

	if (service == NULL || *service == '\0')
		return DEST_PORT_UNKNOWN;
	unsigned long port = strtoul(service, &end, 10);

	return *end == '\0' && port > 0 && port <= 65535 ? (int32_t)port : DEST_PORT_UNKNOWN;
}

static bool
is_whole(const struct met *met, const struct dest *d)
{
	return d->port != DEST_PORT_UNKNOWN ||
	       (met->match->port_low == 0 && met->match->port_high == 65535);
}

/*
 * Whether every breaker that the name could meet refuses; *first is the one of the
 * first section that fits, if *met.
 */
static bool
all_refuse(const struct dest *d, uint64_t now_ns, struct gate_target *first, bool *met_any)
{
	struct gate_target t;
	struct met met;
	uint32_t from = 0;

	*met_any = false;
	while (gate_find_next(d, &from, &met, &t)) {
		if (!*met_any)
			*first = t;
		*met_any = true;
		if (gate_would_admit(&t, now_ns))
			return false;
		if (is_whole(&met, d))
			return true;
	}
	return false;
}

/* The addresses last seen for the name. */
static int
answer_from_memory(const struct gate_target *t, const char *name, const char *service,
		   const struct addrinfo *hints, struct addrinfo **out)
{
	struct dest_addr addr[NAMES_ADDRESSES];
	unsigned count = gate_addresses(t, name, addr);

	return lookup_numeric(addr, count, service, hints, out);
}

/* No look-up is made for who is refused, but for who serves instead. */
static int
answer_refused(const struct gate_target *target, const struct dest *d, const char *service,
	       const struct addrinfo *hints, struct addrinfo **out)
{
	struct addrinfo *own = NULL;
	int saved = errno;
	int eai = answer_from_memory(target, d->name.at, service, hints, &own);

	if (eai == 0)
		names_learn(d->name.at, own);
	if (fallback_look_up(target, d, service, hints, out)) {
		if (own != NULL)
			freeaddrinfo(own);
		errno = saved;
		return 0;
	}
	errno = saved;
	if (eai == 0) {
		*out = own;
	} else {
		gate_refused(target, d, LOOKUP_EDGE, gate_now_ns());
		refusal_set(REFUSAL_RESOLVE, eai, target);
	}
	return eai;
}

static int
look_up(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	struct dest d = {{name, (uint32_t)strlen(name)}, {0}, port_of(service)};
	uint64_t now_ns = gate_now_ns();
	struct gate_target target;
	struct gate_call call;
	bool met;
	int eai;

	if (all_refuse(&d, now_ns, &target, &met))
		return answer_refused(&target, &d, service, hints, out);
	if (met)
		gate_watch(&target, now_ns, &call);
	eai = REAL(getaddrinfo)(name, service, hints, out);

	int saved = errno;

	curl_note_lookup(name, eai);
	if (eai == 0) {
		refusal_clear(REFUSAL_RESOLVE);
		names_learn(name, *out);
	} else {
		refusal_outdate(REFUSAL_RESOLVE, eai);
	}
	if (met)
		lookup_count(&call, &d, eai);
	if (met && eai == 0 && !gate_would_admit(&target, now_ns))
		fallback_learn(&target);
	errno = saved;
	return eai;
}

static bool
is_name(const char *node, const struct addrinfo *hints)
{
	struct dest_addr addr;
	size_t len = node != NULL ? strnlen(node, DEST_NAME_MAX + 1) : 0;

	return len > 0 && len <= DEST_NAME_MAX &&
	       (hints == NULL || (hints->ai_flags & AI_NUMERICHOST) == 0) &&
	       !dest_addr_parse((struct span){node, (uint32_t)len}, &addr);
}

/* An address; it is no other's from here on. */
static int
look_at(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	int eai = REAL(getaddrinfo)(node, service, hints, out), saved = errno;

	if (eai == 0 && node != NULL)
		names_forget_fallback(*out);
	errno = saved;
	return eai;
}

EXPORT int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	    struct addrinfo **out)
{
	init_now();
	if (gate_rules() == NULL || !is_name(node, hints))
		return look_at(node, service, hints, out);
	/* A look-up of libcurl's belongs to a transfer, which is counted as a whole. */
	if (!real_is_curl(__builtin_return_address(0)))
		return look_up(node, service, hints, out);

	int eai = REAL(getaddrinfo)(node, service, hints, out);
	int saved = errno;

	curl_note_lookup(node, eai);
	if (eai == 0)
		names_learn(node, *out);
	errno = saved;
	return eai;
}
