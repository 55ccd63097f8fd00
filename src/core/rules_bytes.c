#include <string.h>

#include "core/rules_parse.h"

#define ONES UINT64_C(0x0101010101010101)
#define LOWS (0x7f * ONES)

static bool
is_plain_byte(unsigned char c)
{
	return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n';
}

/*
 * Eight bytes at once, the answer for each in its high bit.  None of the additions
 * carries into the next byte.  Tabs are left to the slow way.
 */
static bool
is_plain_word(uint64_t word)
{
	uint64_t printable = (word & LOWS) + (0x80 - ' ') * ONES;
	uint64_t no_newline = ((word ^ '\n' * ONES) & LOWS) + LOWS;
	uint64_t del = (word & LOWS) + ONES;

	return ((word | del | ~(printable | ~no_newline)) & ~LOWS) == 0;
}

bool
rules_is_plain(const char *text, size_t len)
{
	size_t i = 0;

	for (;;) {
		uint64_t word;

		while (len - i >= sizeof(word)) {
			memcpy(&word, text + i, sizeof(word));
			if (!is_plain_word(word))
				break;
			i += sizeof(word);
		}
		size_t stop = len - i < sizeof(word) ? len : i + sizeof(word);

		if (i == len)
			return true;
		while (i < stop)
			if (!is_plain_byte((unsigned char)text[i++]))
				return false;
	}
}

/* How many bytes the character at s takes, with its value; 0: it is malformed. */
static unsigned
decode(struct span s, uint32_t *value)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)s.at[0];
	unsigned n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (n == 0 || n > s.len || first > 0xf4)
		return 0;
	*value = n == 1 ? first : first & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		if (((unsigned char)s.at[i] & 0xc0) != 0x80)
			return 0;
		*value = *value << 6 | ((unsigned char)s.at[i] & 0x3f);
	}
	if (*value < least[n] || *value > 0x10ffff || (*value >= 0xd800 && *value < 0xe000))
		return 0;
	return n;
}

const char *
rules_byte_fault(struct span line)
{
	if (memchr(line.at, '\0', line.len) != NULL)
		return "the line has a NUL byte: this is no text";
	while (line.len > 0) {
		uint32_t c;
		unsigned n = decode(line, &c);

		if (n == 0)
			return "the line is not valid UTF-8";
		if ((c < ' ' && c != '\t') || (c >= 0x7f && c < 0xa0))
			return "the line has a control character";
		line.at += n;
		line.len -= n;
	}
	return NULL;
}
