#include <string.h>

#include "core/rules_parse.h"
#include "core/utf8.h"

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

const char *
rules_byte_fault(struct span line)
{
	if (memchr(line.at, '\0', line.len) != NULL)
		return "the line has a NUL byte: this is no text";
	while (line.len > 0) {
		uint32_t c;
		unsigned n = utf8_decode(line.at, line.len, &c);

		if (n == 0)
			return "the line is not valid UTF-8";
		if (utf8_is_control(c) && c != '\t')
			return "the line has a control character";
		line.at += n;
		line.len -= n;
	}
	return NULL;
}
