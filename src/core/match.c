#include "core/match.h"

#include <string.h>

#include "core/text.h"

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
ends_with(struct span name, struct span suffix)
{
	if (name.len < suffix.len)
		return false;
	return dest_name_equal((struct span){name.at + name.len - suffix.len, suffix.len}, suffix);
}

static bool
starts_with(struct span name, struct span prefix)
{
	return name.len >= prefix.len &&
	       dest_name_equal((struct span){name.at, prefix.len}, prefix);
}

/*
 * Where the host of *.HOST{region} begins in a name without its tail: as {region} has
 * no dots, as many labels from the end as HOST{region} has.  UINT32_MAX: nowhere.
 */
static uint32_t
deep_start(const struct rule_match *m, struct span name)
{
	unsigned dots = 1;

	for (uint32_t i = 0; i < m->host.len; i++)
		dots += m->host.at[i] == '.';
	for (uint32_t at = name.len; at > 1; at--)
		if (name.at[at - 1] == '.' && --dots == 0)
			return at;
	return UINT32_MAX;
}

/* What stands for {region}; len 0: the name does not fit. */
static struct span
region_in(const struct rule_match *m, struct span name)
{
	struct span none = {NULL, 0};

	if (name.len <= m->host.len + m->tail.len || !ends_with(name, m->tail))
		return none;
	name.len -= m->tail.len;
	uint32_t skipped = m->any_depth ? deep_start(m, name) : 0;

	if (skipped == UINT32_MAX)
		return none;
	struct span rest = {name.at + skipped, name.len - skipped};

	if (rest.len <= m->host.len || !starts_with(rest, m->host))
		return none;
	struct span region = {rest.at + m->host.len, rest.len - m->host.len};

	for (uint32_t i = 0; i < region.len; i++) {
		char c = lower(region.at[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
			return none;
	}
	return region;
}

static bool
is_in_block(const struct rule_match *m, const struct dest_addr *a)
{
	unsigned whole = m->prefix_bits / 8, rest = m->prefix_bits % 8;

	if (a->family != m->addr.family || memcmp(a->bytes, m->addr.bytes, whole) != 0)
		return false;
	return rest == 0 || (a->bytes[whole] ^ m->addr.bytes[whole]) >> (8 - rest) == 0;
}

/* name is that of d, without a trailing dot. */
static bool
fits(const struct rule_match *m, const struct dest *d, struct span name)
{
	if (d->port != DEST_PORT_UNKNOWN && (d->port < m->port_low || d->port > m->port_high))
		return false;
	switch (m->kind) {
	case HOST_ANY:
		return name.len != 0 || d->addr.family != 0;
	case HOST_NAME:
		return name.len != 0 && dest_name_equal(name, m->host);
	case HOST_SUFFIX:
		return name.len > m->host.len && ends_with(name, m->host);
	case HOST_REGION:
		return region_in(m, name).len != 0;
	default:
		return d->addr.family != 0 && is_in_block(m, &d->addr);
	}
}

bool
match_is_proxy(const struct proxies *proxies, const struct dest *d)
{
	struct span name = dest_name_trim(d->name);

	for (uint32_t i = 0; proxies != NULL && i < proxies->count; i++) {
		const struct dest *proxy = &proxies->dest[i];

		if (d->port != DEST_PORT_UNKNOWN && proxy->port != DEST_PORT_UNKNOWN &&
		    d->port != proxy->port)
			continue;
		if (proxy->name.len != 0 ? dest_name_equal(name, dest_name_trim(proxy->name))
					 : d->addr.family != 0 && memcmp(&d->addr, &proxy->addr,
									 sizeof(d->addr)) == 0)
			return true;
	}
	return false;
}

static bool
is_rest(const struct section *s)
{
	return s->name.len == 1 && *s->name.at == '*';
}

/* The host as the name of a breaker; what no host name has could play another's. */
static void
name_by_host(const struct dest *d, struct span name, char out[BREAKER_NAME_MAX + 1])
{
	char printed[DEST_TEXT_MAX];
	uint32_t len = name.len < DEST_NAME_MAX ? name.len : DEST_NAME_MAX;

	if (name.len == 0) {
		memcpy(out, printed, dest_addr_print(&d->addr, printed) + 1);
		return;
	}
	for (uint32_t i = 0; i < len; i++) {
		char c = lower(name.at[i]);
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';

		out[i] = plain ? c : '_';
	}
	out[len] = '\0';
}

static void
name_by_section(const struct section *s, const struct rule_match *m, struct span name,
		char out[BREAKER_NAME_MAX + 1])
{
	struct text t = text_over(out, BREAKER_NAME_MAX + 1);
	struct span region = m->kind == HOST_REGION ? region_in(m, name) : s->region;

	text_bytes(&t, s->name.at, s->name.len);
	if (region.len == 0)
		return;
	text_string(&t, "/");
	size_t from = t.len;

	text_bytes(&t, region.at, region.len);
	for (size_t i = from; m->kind == HOST_REGION && i < t.len; i++)
		out[i] = lower(out[i]);
}

bool
match_next(const struct ruleset *rules, const struct proxies *proxies, const struct dest *d,
	   uint32_t *from, struct met *out)
{
	struct span name = dest_name_trim(d->name);

	while (*from < rules->section_count) {
		const struct section *s = &rules->sections[(*from)++];
		const struct rule_match *m = &rules->matches[s->first_match];
		const struct rule_match *end = m + s->match_count;

		while (m < end && !fits(m, d, name))
			m++;
		if (m == end)
			continue;
		if (is_rest(s) &&
		    (dest_is_loopback(d) || d->port == 53 || match_is_proxy(proxies, d)))
			continue;
		out->section = s;
		out->match = m;
		if (is_rest(s))
			name_by_host(d, name, out->breaker);
		else
			name_by_section(s, m, name, out->breaker);
		return true;
	}
	return false;
}

bool
match_find(const struct ruleset *rules, const struct proxies *proxies, const struct dest *d,
	   struct met *out)
{
	uint32_t from = 0;

	return match_next(rules, proxies, d, &from, out);
}
