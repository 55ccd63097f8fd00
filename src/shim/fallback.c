#include "shim/fallback.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "shim/gate_where.h"
#include "shim/hooks.h"
#include "shim/names.h"

bool
fallback_next(const struct gate_target *t, int32_t port, struct fallback *f)
{
	const struct settings *s = &t->section->settings;

	while (f->number < s->fallback_count && dest_parse(s->fallback[f->number], &f->dest)) {
		f->number++;
		f->dest.name = dest_name_trim(f->dest.name);
		if (f->dest.port == DEST_PORT_UNKNOWN)
			f->dest.port = port;
		f->has_target = gate_find(&f->dest, &f->target);
		/* A region that is another's fallback; to ask it again would take from its ramp. */
		if (!f->has_target || f->target.breaker != t->breaker)
			return true;
	}
	return false;
}

void
fallback_name(const struct fallback *f, char out[DEST_NAME_MAX + 1])
{
	uint32_t len = f->dest.name.len <= DEST_NAME_MAX ? f->dest.name.len : 0;

	memcpy(out, f->dest.name.at, len);
	out[len] = '\0';
}

/* One that has told of a v4-mapped address, or whose socket takes them. */
static bool
maps_ipv4(int fd, const struct sockaddr *asked)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)asked;
	int only = 1, saved = errno;
	socklen_t len = sizeof(only);

	if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		return true;
	REAL(getsockopt)(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &len);
	errno = saved;
	return only == 0;
}

static bool
suits(int fd, const struct sockaddr *asked, const struct dest_addr *addr)
{
	if (asked->sa_family == AF_INET)
		return addr->family == 4;
	return addr->family == 6 || maps_ipv4(fd, asked);
}

/* All the addresses known of a fallback. */
static unsigned
addresses_of(const struct fallback *f, struct dest_addr out[NAMES_ADDRESSES], uint32_t *ref)
{
	char name[DEST_NAME_MAX + 1];
	unsigned count;

	*ref = 0;
	if (f->dest.addr.family != 0) {
		out[0] = f->dest.addr;
		return 1;
	}
	fallback_name(f, name);
	count = f->has_target ? gate_addresses(&f->target, name, out) : names_addresses(name, out);
	*ref = names_reference(name);
	/* So that the log and the probe have more than an address. */
	if (*ref == 0 && count > 0)
		*ref = names_note(name, out, count);
	return count;
}

/* Several attempts of the program try several addresses.  False: none suits. */
static bool
pick(int fd, const struct sockaddr *asked, const struct fallback *f, unsigned first,
     struct attempt *a, struct named *named)
{
	struct dest_addr addr[NAMES_ADDRESSES];
	uint32_t ref;
	unsigned count = addresses_of(f, addr, &ref);

	for (unsigned i = 0; i < count; i++) {
		unsigned at = (first + i) % count;

		if (!suits(fd, asked, &addr[at]))
			continue;
		*named = (struct named){.ref = ref, .index = (uint8_t)at, .total = (uint8_t)count};
		*a = (struct attempt){
			.call.target = f->target,
			.addr = addr[at],
			.port = f->dest.port,
			.name = ref,
			.is_one_of_many = count > 1 && ref != 0,
			.is_moved = true,
		};
		return true;
	}
	return false;
}

bool
fallback_take(int fd, const struct sockaddr *asked, uint64_t now_ns, struct attempt *a,
	      enum gate_answer *answer)
{
	struct fallback f = {.number = 0};
	struct named asked_for, named;
	struct attempt to;

	if (a->call.target.section->settings.fallback_count == 0)
		return false;
	asked_for = names_of(&a->addr, names_hash(&a->addr));
	/* A refusal of another's connect does less harm than what is meant for another. */
	if (asked_for.is_shared && !a->is_moved && !a->is_stray)
		return false;
	while (fallback_next(&a->call.target, a->port, &f)) {
		if (!pick(fd, asked, &f, asked_for.index, &to, &named))
			continue;
		to.start_ns = now_ns;
		*answer = f.has_target ? attempt_begin_to(named, now_ns, &to) : GATE_PASS;
		if (*answer == GATE_REFUSE)
			continue;
		*a = to;
		return true;
	}
	return false;
}

unsigned
fallback_refusing(const struct gate_target *t, uint64_t now_ns, struct span out[FALLBACKS_MAX])
{
	const struct settings *s = &t->section->settings;
	struct fallback f = {.number = 0};
	struct state_where w;
	unsigned count = 0;

	if (s->fallback_count == 0)
		return 0;
	if (!state_get_where(gate_state_of(t), gate_index_of(t), &w) || w.port <= 0)
		w.port = DEST_PORT_UNKNOWN;
	while (fallback_next(t, w.port, &f))
		if (f.has_target && !gate_would_admit(&f.target, now_ns))
			out[count++] = s->fallback[f.number - 1];
	return count;
}
