#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"

static bool
starts_with(struct span s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && memcmp(s.at, prefix, len) == 0;
}

bool
rules_is_url(struct span value)
{
	return starts_with(value, "http://") || starts_with(value, "https://");
}

/* A host that can be dialled: an address or a plain name. */
static bool
is_target(struct span value, struct dest *d)
{
	return dest_parse(value, d) && (d->addr.family != 0 || rules_host_is_valid(d->name));
}

bool
rules_target_value(struct parser *p, const char *name, struct span value, bool needs_port)
{
	struct dest d;

	if (!is_target(value, &d)) {
		rules_fail(p, p->line, "%s = %.*s is not HOST%s with one name or address", name,
			   SPAN(value), needs_port ? ":PORT" : "[:PORT]");
		return false;
	}
	if (needs_port && d.port == DEST_PORT_UNKNOWN) {
		rules_fail(p, p->line, "%s = %.*s has no port", name, SPAN(value));
		return false;
	}
	return true;
}

static bool
is_url_text(struct span s)
{
	for (uint32_t i = 0; i < s.len; i++)
		if (s.at[i] <= ' ' || s.at[i] > '~' || strchr("\"<>\\^`{|}", s.at[i]) != NULL)
			return false;
	return true;
}

bool
rules_url_value(struct parser *p, const char *name, struct span value)
{
	struct dest d;

	if (!rules_is_url(value)) {
		rules_fail(p, p->line, "%s = %.*s is not an http:// or https:// URL", name,
			   SPAN(value));
		return false;
	}
	if (value.len > RULES_URL_MAX) {
		rules_fail(p, p->line, "%s has a URL of more than 2048 bytes", name);
		return false;
	}
	uint32_t scheme = value.at[4] == 's' ? 8 : 7;
	struct span rest = {value.at + scheme, value.len - scheme};
	struct span host = {rest.at, 0};

	while (host.len < rest.len && strchr("/?#", rest.at[host.len]) == NULL)
		host.len++;
	const char *at = memchr(host.at, '@', host.len);

	if (at != NULL)
		host = (struct span){at + 1, host.len - (uint32_t)(at + 1 - host.at)};
	if (is_url_text(value) && is_target(host, &d) && (d.addr.family != 6 || *host.at == '['))
		return true;
	rules_fail(p, p->line, "%s = %.*s is not a URL with a host and no white space", name,
		   SPAN(value));
	return false;
}

static void
tell_probe(struct parser *p, struct span value)
{
	struct near near = {NULL, 0};

	near_offer(&near, value, "call");
	near_offer(&near, value, "tcp");
	rules_fail(p, p->line, "probe = %.*s is not call, tcp, tcp HOST:PORT or a URL%s%s%s",
		   SPAN(value), near.word != NULL ? " (did you mean '" : "",
		   near.word != NULL ? near.word : "", near.word != NULL ? "'?)" : "");
}

bool
rules_probe_value(struct parser *p, struct span value)
{
	struct settings *s = &p->section->settings;
	struct span target = {value.at, value.len};

	if (span_is(value, "call") || span_is(value, "tcp")) {
		s->probe = span_is(value, "call") ? PROBE_CALL : PROBE_TCP;
		target = (struct span){NULL, 0};
	} else if (starts_with(value, "tcp ") || starts_with(value, "tcp\t")) {
		target = rules_trim((struct span){value.at + 3, value.len - 3});
		if (!rules_target_value(p, "probe", target, true))
			return false;
		s->probe = PROBE_TCP_TARGET;
	} else if (memchr(value.at, ':', value.len) != NULL) {
		if (!rules_url_value(p, "probe", value))
			return false;
		s->probe = PROBE_URL;
	} else {
		tell_probe(p, value);
		return false;
	}
	s->probe_target = target;
	return true;
}

/* {word} that is none of the four; other braces are themselves. */
static bool
check_placeholder(struct parser *p, struct span word)
{
	static const char known[4][12] = {"dependency", "region", "reason", "retry_in"};
	struct near near = {NULL, 0};

	for (uint32_t i = 0; i < word.len; i++) {
		char c = word.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'))
			return true;
	}
	for (unsigned i = 0; i < 4; i++) {
		if (word.len == 0 || span_is(word, known[i]))
			return true;
		near_offer(&near, word, known[i]);
	}
	if (near.word != NULL)
		rules_fail(p, p->line, "message: unknown {%.*s} (did you mean {%s}?)", SPAN(word),
			   near.word);
	else
		rules_fail(p, p->line,
			   "message: unknown {%.*s}; there are {dependency}, {region}, "
			   "{reason} and {retry_in}",
			   SPAN(word));
	return false;
}

bool
rules_message_value(struct parser *p, struct span value)
{
	const char *end = value.at + value.len;

	if (value.len > RULES_MESSAGE_MAX) {
		rules_fail(p, p->line, "message is longer than 2048 bytes");
		return false;
	}
	for (const char *at = value.at; (at = memchr(at, '{', (size_t)(end - at))) != NULL; at++) {
		const char *close = memchr(at, '}', (size_t)(end - at));

		if (close == NULL)
			break;
		if (!check_placeholder(p, (struct span){at + 1, (uint32_t)(close - at - 1)}))
			return false;
	}
	p->section->settings.message = value;
	return true;
}
