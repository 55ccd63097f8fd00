#include <string.h>

#include "core/dest.h"
#include "core/http1.h"

#define METHOD_MAX 32

static const char scheme[] = "http://";
#define SCHEME_LEN ((uint32_t)(sizeof(scheme) - 1))

/* Takes what stands before the first of the two bytes, and that byte, off rest. */
static bool
take_up_to(struct span *rest, char end, struct span *out)
{
	const char *at = rest->len > 0 ? memchr(rest->at, end, rest->len) : NULL;

	if (at == NULL)
		return false;
	*out = (struct span){rest->at, (uint32_t)(at - rest->at)};
	rest->len -= out->len + 1;
	rest->at = at + 1;
	return true;
}

static bool
has_scheme(struct span target)
{
	for (uint32_t i = 0; i < SCHEME_LEN; i++) {
		char c = i < target.len ? target.at[i] : '\0';

		if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != scheme[i])
			return false;
	}
	return true;
}

/* HOST[:PORT] of http://[USER@]HOST[:PORT]/PATH. */
static struct span
authority_of(struct span target)
{
	struct span a = {target.at + SCHEME_LEN, 0}, user;
	uint32_t len = target.len - SCHEME_LEN;

	while (a.len < len && memchr("/?#", a.at[a.len], 3) == NULL)
		a.len++;
	while (take_up_to(&a, '@', &user))
		continue;
	return a;
}

static bool
split_authority(struct span a, struct span *host, uint16_t *port)
{
	struct span rest = a;

	*port = 0;
	if (a.len > 0 && a.at[0] == '[') {
		rest = (struct span){a.at + 1, a.len - 1};
		if (!take_up_to(&rest, ']', host))
			return false;
		if (rest.len > 0 && *rest.at != ':')
			return false;
		rest = rest.len > 0 ? (struct span){rest.at + 1, rest.len - 1} : rest;
	} else if (!take_up_to(&rest, ':', host)) {
		*host = a;
		rest.len = 0;
	}
	return host->len > 0 && (rest.len == 0 || dest_port_parse(rest, port));
}

bool
http1_proxied(const char *bytes, size_t size, struct span *host, uint16_t *port, bool *is_connect)
{
	struct span rest = {bytes, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
	struct span method, target, line;

	while (rest.len > 0 && (*rest.at == '\r' || *rest.at == '\n'))
		rest = (struct span){rest.at + 1, rest.len - 1};
	struct span begin = {rest.at, rest.len < METHOD_MAX ? rest.len : METHOD_MAX};

	if (!take_up_to(&begin, ' ', &method))
		return false;
	rest.at += method.len + 1;
	rest.len -= method.len + 1;
	*is_connect = method.len == 7 && memcmp(method.at, "CONNECT", 7) == 0;
	if (!*is_connect && !has_scheme(rest))
		return false;
	if (!take_up_to(&rest, '\n', &line) || !take_up_to(&line, ' ', &target))
		return false;
	if (line.len < 7 || memcmp(line.at, "HTTP/1.", 7) != 0)
		return false;
	if (!*is_connect)
		return split_authority(authority_of(target), host, port);
	return split_authority(target, host, port) && *port != 0;
}
