#include "core/utf8.h"

unsigned
utf8_decode(const char *bytes, size_t len, uint32_t *value)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)bytes[0];
	unsigned n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (n == 0 || n > len || first > 0xf4)
		return 0;
	*value = n == 1 ? first : first & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		if (((unsigned char)bytes[i] & 0xc0) != 0x80)
			return 0;
		*value = *value << 6 | ((unsigned char)bytes[i] & 0x3f);
	}
	if (*value < least[n] || *value > 0x10ffff || (*value >= 0xd800 && *value < 0xe000))
		return 0;
	return n;
}

bool
utf8_is_control(uint32_t value)
{
	return value < ' ' || (value >= 0x7f && value < 0xa0);
}
