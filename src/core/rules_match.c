#include <string.h>

#include "core/near.h"
#include "core/rules_parse.h"

static const char region_word[] = "{region}";

#define REGION_LEN (sizeof(region_word) - 1)

/* The characters of names, one bit each. */
static const uint64_t host_chars[4] = {
	UINT64_C(0x3ff) << '0' | UINT64_C(1) << '-' | UINT64_C(1) << '.',
	UINT64_C(0x3ffffff) << ('A' - 64) | UINT64_C(0x3ffffff) << ('a' - 64) |
		UINT64_C(1) << ('_' - 64),
};

uint32_t
rules_host_run(struct span s)
{
	uint32_t n = 0;

	while (n < s.len) {
		unsigned char c = (unsigned char)s.at[n];

		if ((host_chars[c / 64] >> c % 64 & 1) == 0)
			break;
		n++;
	}
	return n;
}

static bool
is_digits(struct span s)
{
	for (uint32_t i = 0; i < s.len; i++)
		if (s.at[i] < '0' || s.at[i] > '9')
			return false;
	return true;
}

bool
rules_host_is_valid(struct span host)
{
	uint32_t label = 0;

	host = dest_name_trim(host);
	if (host.len == 0 || host.len > DEST_NAME_MAX || rules_host_run(host) != host.len)
		return false;
	for (uint32_t i = 0; i < host.len; i++) {
		if (host.at[i] != '.')
			continue;
		if (i == label || i - label > 63)
			return false;
		label = i + 1;
	}
	struct span last = {host.at + label, host.len - label};

	/* What ends in a number is an address, or was meant to be one. */
	return last.len > 0 && last.len <= 63 && !is_digits(last);
}

static bool
fail_host(struct parser *p, struct span host, const char *why)
{
	rules_fail(p, p->line, "match: '%.*s' %s", SPAN(host), why);
	return false;
}

static void
clear_bits(uint8_t bytes[16], unsigned from, unsigned total)
{
	for (unsigned i = from; i < total; i++)
		bytes[i / 8] &= (uint8_t) ~(0x80U >> i % 8);
}

/* Bits beyond the prefix are a slip of the pen: say what the block would be. */
static bool
check_block(struct parser *p, struct span block, const struct rule_match *m)
{
	struct dest_addr masked = m->addr;
	char printed[DEST_TEXT_MAX];

	clear_bits(masked.bytes, m->prefix_bits, m->addr.family == 4 ? 32 : 128);
	if (memcmp(&masked, &m->addr, sizeof(masked)) == 0)
		return true;
	dest_addr_print(&masked, printed);
	rules_fail(p, p->line, "match: '%.*s' has bits beyond its prefix; the block is %s/%u",
		   SPAN(block), printed, (unsigned)m->prefix_bits);
	return false;
}

/* ADDRESS/BITS; a block of v4-mapped addresses is one of IPv4. */
static bool
read_block(struct parser *p, struct span block, uint32_t slash, struct rule_match *m)
{
	struct span bits = {block.at + slash + 1, block.len - slash - 1};
	unsigned n = 0, most;

	if (!dest_addr_parse((struct span){block.at, slash}, &m->addr))
		return fail_host(p, block, "is not a block ADDRESS/BITS");
	bool mapped = m->addr.family == 4 && memchr(block.at, ':', slash) != NULL;

	most = m->addr.family == 4 && !mapped ? 32 : 128;
	for (uint32_t i = 0; i < bits.len && i < 3; i++)
		n = n * 10 + (unsigned)(bits.at[i] - '0');
	if (!is_digits(bits) || bits.len == 0 || bits.len > 3 || n > most ||
	    (bits.len > 1 && *bits.at == '0') || (mapped && n < 96))
		return fail_host(p, block,
				 most == 32 ? "needs 0 to 32 bits after the '/'"
				 : mapped   ? "needs 96 to 128 bits after the '/'"
					    : "needs 0 to 128 bits after the '/'");
	m->kind = HOST_CIDR;
	m->prefix_bits = (uint8_t)(mapped ? n - 96 : n);
	return check_block(p, block, m);
}

/* One letter in place of {region} must make a name of it, and one digit no address. */
static bool
is_name(struct span head, struct span tail)
{
	char whole[DEST_NAME_MAX + REGION_LEN + 2];
	struct span name = {whole, head.len + 1 + tail.len};
	struct dest_addr addr;

	memcpy(whole, head.at, head.len);
	whole[head.len] = 'r';
	memcpy(whole + head.len + 1, tail.at, tail.len);
	if (whole[name.len - 1] == '.' || !rules_host_is_valid(name))
		return false;
	whole[head.len] = '1';
	return !dest_addr_parse(name, &addr);
}

static bool
read_region(struct parser *p, struct span host, const char *brace, struct rule_match *m)
{
	bool any_depth = brace - host.at >= 2 && memcmp(host.at, "*.", 2) == 0;
	const char *from = host.at + (any_depth ? 2 : 0);
	struct span head = {from, (uint32_t)(brace - from)};
	struct span tail = {brace, host.len - (uint32_t)(brace - host.at)};

	if (tail.len < REGION_LEN || memcmp(tail.at, region_word, REGION_LEN) != 0)
		return fail_host(p, host, "has a '{' that does not begin {region}");
	tail.at += REGION_LEN;
	tail.len -= (uint32_t)REGION_LEN;
	if (memchr(tail.at, '{', tail.len) != NULL)
		return fail_host(p, host, "has a second '{': {region} may stand once");
	if (tail.len > 0 && tail.at[tail.len - 1] == '.')
		tail.len--;
	if (head.len + tail.len == 0)
		return fail_host(p, host, "needs more of a name than {region}");
	if (head.len + tail.len + 1 > DEST_NAME_MAX)
		return fail_host(p, host, "is longer than 253 characters");
	if (!is_name(head, tail))
		return fail_host(p, host, "is not a name with {region} in it");
	m->kind = HOST_REGION;
	m->any_depth = any_depth;
	m->host = head;
	m->tail = tail;
	return true;
}

static bool
read_suffix(struct parser *p, struct span host, struct rule_match *m)
{
	struct span suffix = {host.at + 1, host.len - 1};

	if (host.len < 3 || host.at[0] != '*' || host.at[1] != '.' ||
	    memchr(suffix.at, '*', suffix.len) != NULL)
		return fail_host(p, host, "has a '*' that is neither alone nor '*.SUFFIX'");
	if (!rules_host_is_valid((struct span){host.at + 2, host.len - 2}))
		return fail_host(p, host, "is not '*.SUFFIX' with a name behind it");
	m->kind = HOST_SUFFIX;
	m->host = dest_name_trim(suffix);
	return true;
}

static bool
fail_name(struct parser *p, struct span host)
{
	if (dest_name_trim(host).len > DEST_NAME_MAX)
		return fail_host(p, host, "is longer than 253 characters");
	if (memchr(host.at, '#', host.len) != NULL || memchr(host.at, ';', host.len) != NULL)
		return fail_host(p, host, "has a comment in it: a comment needs a line of its own");
	if (memchr(host.at, ',', host.len) != NULL || memchr(host.at, ' ', host.len) != NULL)
		return fail_host(p, host,
				 "is more than one HOST[:PORT]: each has a match line of its own");
	return fail_host(p, host, "is not a name, an address, a block, '*' or '*.SUFFIX'");
}

static bool
read_host(struct parser *p, struct span host, struct rule_match *m)
{
	if (rules_host_is_valid(host)) {
		m->kind = HOST_NAME;
		m->host = dest_name_trim(host);
		return true;
	}
	if (host.len == 0)
		return fail_host(p, host, "is no host");
	const char *slash = memchr(host.at, '/', host.len);
	const char *brace = memchr(host.at, '{', host.len);

	if (brace != NULL)
		return read_region(p, host, brace, m);
	if (slash != NULL)
		return read_block(p, host, (uint32_t)(slash - host.at), m);
	if (dest_addr_parse(host, &m->addr)) {
		m->kind = HOST_CIDR;
		m->prefix_bits = m->addr.family == 4 ? 32 : 128;
		return true;
	}
	if (span_is(host, "*")) {
		m->kind = HOST_ANY;
		return true;
	}
	if (memchr(host.at, '*', host.len) != NULL)
		return read_suffix(p, host, m);
	return fail_name(p, host);
}

static bool
read_ports(struct parser *p, struct span ports, struct rule_match *m)
{
	const char *dash = memchr(ports.at, '-', ports.len);
	uint32_t low_len = dash != NULL ? (uint32_t)(dash - ports.at) : ports.len;
	struct span high = {ports.at + low_len + 1, ports.len - low_len - 1};

	if (!dest_port_parse((struct span){ports.at, low_len}, &m->port_low) ||
	    (dash != NULL && !dest_port_parse(high, &m->port_high))) {
		rules_fail(p, p->line,
			   "match: port '%.*s' is not a number or LOW-HIGH from 1 to 65535",
			   SPAN(ports));
		return false;
	}
	if (dash == NULL)
		m->port_high = m->port_low;
	if (m->port_low > m->port_high) {
		rules_fail(p, p->line, "match: port range %u-%u is reversed", (unsigned)m->port_low,
			   (unsigned)m->port_high);
		return false;
	}
	return true;
}

/* The end of HOST in HOST[:PORT]; the host's own colons stand in brackets. */
static uint32_t
host_len(struct span value)
{
	const char *from = value.at;

	if (*value.at == '[') {
		const char *close = memchr(value.at, ']', value.len);

		if (close == NULL)
			return value.len;
		from = close;
	}
	const char *colon = memchr(from, ':', value.len - (size_t)(from - value.at));

	return colon != NULL ? (uint32_t)(colon - value.at) : value.len;
}

static bool
read_bracketed(struct parser *p, struct span host, struct rule_match *m)
{
	const char *close = memchr(host.at, ']', host.len);
	struct span inside = {host.at + 1, close != NULL ? (uint32_t)(close - host.at - 1) : 0};
	const char *slash = memchr(inside.at, '/', inside.len);

	if (close == NULL || (memchr(inside.at, ':', inside.len) == NULL))
		return fail_host(p, host, "is not an IPv6 address or block in brackets");
	if (close + 1 != host.at + host.len) {
		uint32_t at = (uint32_t)(close + 1 - host.at);

		if (host.at[at] == '/' && slash == NULL)
			return read_block(p, host, at, m);
		return fail_host(p, host, "has text after the ']'");
	}
	return read_host(p, inside, m);
}

bool
rules_match_value(struct parser *p, struct span value, struct rule_match *out)
{
	uint32_t len = host_len(value);
	struct span host = {value.at, len};

	memset(out, 0, sizeof(*out));
	out->port_high = UINT16_MAX;
	out->line = p->line;
	out->text = value;
	if (rules_is_url(value))
		return fail_host(p, value, "is a URL: match takes HOST[:PORT]");
	if (*value.at != '[' && len < value.len &&
	    memchr(value.at + len + 1, ':', value.len - len - 1) != NULL)
		return fail_host(p, value, "has more than one ':': an IPv6 address needs brackets");
	if (len < value.len &&
	    !read_ports(p, (struct span){value.at + len + 1, value.len - len - 1}, out))
		return false;
	return *value.at == '[' ? read_bracketed(p, host, out) : read_host(p, host, out);
}
