#include <string.h>

#include "core/rules_parse.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS (0x80 * ONES)

/* The high bit of each byte that is below n (up to 0x80), or not ASCII itself. */
static uint64_t
bytes_below(uint64_t word, unsigned n)
{
	return ((word - n * ONES) | word) & HIGHS;
}

static bool
is_plain_byte(unsigned char c)
{
	return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n';
}

bool
rules_is_plain(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		uint64_t word;

		if (len - i >= sizeof(word)) {
			memcpy(&word, text + i, sizeof(word));
			/* A borrow makes it look twice at most; DEL plus one is not ASCII. */
			if (bytes_below(word, ' ') == 0 && ((word + ONES) & HIGHS) == 0) {
				i += sizeof(word);
				continue;
			}
		}
		size_t stop = len - i < sizeof(word) ? len : i + sizeof(word);

		for (; i < stop; i++)
			if (!is_plain_byte((unsigned char)text[i]))
				return false;
	}
	return true;
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
