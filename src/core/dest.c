#include "core/dest.h"

#include <string.h>

#include "core/text.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

void
dest_addr_set(struct dest_addr *out, unsigned family, const uint8_t *bytes)
{
	memset(out, 0, sizeof(*out));
	if (family == 6 && memcmp(bytes, mapped_prefix, sizeof(mapped_prefix)) == 0) {
		bytes += sizeof(mapped_prefix);
		family = 4;
	}
	out->family = (uint8_t)family;
	memcpy(out->bytes, bytes, family == 4 ? 4 : 16);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four plain decimals; a leading zero would be octal to some readers, so it is none. */
static bool
parse_v4(struct span text, uint8_t out[4])
{
	uint32_t at = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t from = at;
		unsigned value = 0;

		while (at < text.len && is_digit(text.at[at]) && at - from < 3)
			value = value * 10 + (unsigned)(text.at[at++] - '0');
		if (at == from || value > 255 || (at - from > 1 && text.at[from] == '0'))
			return false;
		out[i] = (uint8_t)value;
		if (i < 3 && (at == text.len || text.at[at++] != '.'))
			return false;
	}
	return at == text.len;
}

/* One to four hex digits at *at. */
static bool
parse_group(struct span text, uint32_t *at, uint8_t out[2])
{
	uint32_t from = *at;
	unsigned value = 0;

	while (*at < text.len && *at - from < 4 && hex_value(text.at[*at]) >= 0)
		value = value << 4 | (unsigned)hex_value(text.at[(*at)++]);
	out[0] = (uint8_t)(value >> 8);
	out[1] = (uint8_t)value;
	return *at > from;
}

struct v6 {
	uint8_t bytes[16];
	unsigned filled;
	unsigned gap; /* where "::" stands; 17: nowhere */
};

/* Groups with colons between them from *at on; "::" may begin the text. */
static bool
parse_groups(struct span text, struct v6 *v)
{
	uint32_t at = 0;

	while (at < text.len) {
		if (at + 1 < text.len && text.at[at] == ':' && text.at[at + 1] == ':') {
			if (v->gap <= 16)
				return false;
			v->gap = v->filled;
			at += 2;
			continue;
		}
		if (at > 0 && text.at[at - 1] != ':' && text.at[at++] != ':')
			return false;
		struct span rest = {text.at + at, text.len - at};

		if (v->filled <= 12 && parse_v4(rest, v->bytes + v->filled)) {
			v->filled += 4;
			return at > 0;
		}
		if (v->filled > 14 || !parse_group(text, &at, v->bytes + v->filled))
			return false;
		v->filled += 2;
	}
	return true;
}

static bool
parse_v6(struct span text, uint8_t out[16])
{
	struct v6 v = {{0}, 0, 17};

	if (text.len < 2 || text.len > 45 || !parse_groups(text, &v))
		return false;
	if (v.gap > 16 ? v.filled != 16 : v.filled > 14)
		return false;
	if (v.gap > 16)
		v.gap = 16;
	unsigned after = v.filled - v.gap;

	memset(out, 0, 16);
	memcpy(out, v.bytes, v.gap);
	memcpy(out + 16 - after, v.bytes + v.gap, after);
	return true;
}

bool
dest_addr_equal(const struct dest_addr *a, const struct dest_addr *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool
dest_addr_parse(struct span text, struct dest_addr *out)
{
	uint8_t bytes[16];

	if (parse_v4(text, bytes)) {
		dest_addr_set(out, 4, bytes);
		return true;
	}
	if (text.len >= 2 && text.at[0] == '[' && text.at[text.len - 1] == ']')
		text = (struct span){text.at + 1, text.len - 2};
	if (!parse_v6(text, bytes))
		return false;
	dest_addr_set(out, 6, bytes);
	return true;
}

bool
dest_port_parse(struct span text, uint16_t *out)
{
	unsigned value = 0;

	if (text.len == 0 || text.len > 5)
		return false;
	for (uint32_t i = 0; i < text.len; i++) {
		if (!is_digit(text.at[i]))
			return false;
		value = value * 10 + (unsigned)(text.at[i] - '0');
	}
	*out = (uint16_t)value;
	return value >= 1 && value <= 65535;
}

static bool
is_name(struct span text)
{
	if (text.len == 0 || dest_name_trim(text).len > DEST_NAME_MAX)
		return false;
	for (uint32_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c <= ' ' || c == 0x7f || strchr("[]:/", c) != NULL)
			return false;
	}
	return true;
}

bool
dest_parse(struct span text, struct dest *out)
{
	uint32_t host_len = text.len;
	uint16_t port;

	memset(out, 0, sizeof(*out));
	out->port = DEST_PORT_UNKNOWN;
	if (dest_addr_parse(text, &out->addr))
		return true;
	while (host_len > 0 && is_digit(text.at[host_len - 1]))
		host_len--;
	if (host_len > 0 && host_len < text.len && text.at[host_len - 1] == ':') {
		struct span digits = {text.at + host_len, text.len - host_len};

		if (!dest_port_parse(digits, &port))
			return false;
		out->port = port;
		host_len--;
	} else {
		host_len = text.len;
	}
	struct span host = {text.at, host_len};

	if (dest_addr_parse(host, &out->addr))
		return out->addr.family == 4 || host.at[0] == '[';
	out->name = host;
	return is_name(host);
}

struct span
dest_name_trim(struct span name)
{
	if (name.len > 1 && name.at[name.len - 1] == '.')
		name.len--;
	return name;
}

bool
dest_name_equal(struct span a, struct span b)
{
	if (a.len != b.len)
		return false;
	for (uint32_t i = 0; i < a.len; i++)
		if (lower(a.at[i]) != lower(b.at[i]))
			return false;
	return true;
}

/* Where the longest run of zero groups begins that is worth a "::"; 8: nowhere. */
static unsigned
longest_gap(const uint8_t *bytes, unsigned *len)
{
	unsigned best = 8;

	*len = 1;
	for (unsigned i = 0; i < 8; i++) {
		unsigned n = 0;

		while (i + n < 8 && bytes[2 * (i + n)] == 0 && bytes[2 * (i + n) + 1] == 0)
			n++;
		if (n > *len) {
			best = i;
			*len = n;
		}
	}
	return best;
}

static void
print_group(struct text *t, unsigned value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned shift = 12;

	while (shift > 0 && value >> shift == 0)
		shift -= 4;
	for (;; shift -= 4) {
		text_bytes(t, &digits[value >> shift & 0xf], 1);
		if (shift == 0)
			break;
	}
}

static void
print_addr(struct text *t, const struct dest_addr *a)
{
	const uint8_t *b = a->bytes;
	unsigned gap_len, gap = longest_gap(b, &gap_len);

	if (a->family == 4) {
		text_format(t, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
		return;
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == gap) {
			text_string(t, "::");
			i += gap_len - 1;
			continue;
		}
		if (i > 0 && (gap == 8 || i != gap + gap_len))
			text_string(t, ":");
		print_group(t, (unsigned)b[2 * i] << 8 | b[2 * i + 1]);
	}
}

size_t
dest_addr_print(const struct dest_addr *a, char out[DEST_TEXT_MAX])
{
	struct text t = text_over(out, DEST_TEXT_MAX);

	if (a->family != 0)
		print_addr(&t, a);
	return t.len;
}

size_t
dest_print(const struct dest *d, char out[DEST_TEXT_MAX])
{
	struct text t = text_over(out, DEST_TEXT_MAX);
	struct span name = dest_name_trim(d->name);

	if (name.len != 0) {
		text_bytes(&t, name.at, name.len < DEST_NAME_MAX ? name.len : DEST_NAME_MAX);
	} else if (d->addr.family == 6 && d->port != DEST_PORT_UNKNOWN) {
		text_string(&t, "[");
		print_addr(&t, &d->addr);
		text_string(&t, "]");
	} else if (d->addr.family != 0) {
		print_addr(&t, &d->addr);
	}
	if (d->port != DEST_PORT_UNKNOWN)
		text_format(&t, ":%u", (unsigned)d->port);
	return t.len;
}

static bool
is_local_name(struct span name)
{
	static const struct span localhost = {"localhost", 9};

	name = dest_name_trim(name);
	if (name.len > localhost.len && name.at[name.len - localhost.len - 1] == '.') {
		name.at += name.len - localhost.len;
		name.len = localhost.len;
	}
	return dest_name_equal(name, localhost);
}

bool
dest_is_loopback(const struct dest *d)
{
	static const uint8_t zero[16] = {0};
	const uint8_t *b = d->addr.bytes;

	if (d->addr.family == 4 && (b[0] == 127 || memcmp(b, zero, 4) == 0))
		return true;
	if (d->addr.family == 6 && memcmp(b, zero, 15) == 0 && b[15] <= 1)
		return true;
	return d->name.len != 0 && is_local_name(d->name);
}
