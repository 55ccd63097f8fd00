#include "core/text.h"

#include <string.h>

#include "core/utf8.h"

#define NS_PER_MS UINT64_C(1000000)

struct text
text_over(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct text){buffer, 0, size};
}

void
text_bytes(struct text *t, const char *bytes, size_t len)
{
	size_t room = t->size - 1 - t->len;

	if (len > room)
		len = room;
	if (len != 0)
		memcpy(t->at + t->len, bytes, len);
	t->len += len;
	t->at[t->len] = '\0';
}

void
text_string(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

void
text_plain(struct text *t, const char *bytes, size_t len)
{
	while (len > 0 && t->len < t->size - 1) {
		uint32_t c;
		unsigned taken = utf8_decode(bytes, len, &c), n = taken;
		const char *put = bytes;

		if (taken == 0) {
			taken = n = 1;
			put = "?";
		} else if (utf8_is_control(c) || c == 0x2028 || c == 0x2029) {
			n = 1;
			put = " ";
		}
		if (n > t->size - 1 - t->len)
			t->size = t->len + 1;
		text_bytes(t, put, n);
		bytes += taken;
		len -= taken;
	}
}

void
text_number(struct text *t, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n != 0);
	text_bytes(t, digits + at, sizeof(digits) - at);
}

void
text_duration(struct text *t, uint64_t ns)
{
	static const struct {
		uint64_t ms;
		const char *unit;
	} units[] = {{3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
	uint64_t ms = ns / NS_PER_MS;
	unsigned i = 0;

	if (ms == 0)
		i = 2;
	while (ms % units[i].ms != 0)
		i++;
	text_number(t, ms / units[i].ms);
	text_string(t, units[i].unit);
}

void
text_share(struct text *t, uint32_t permille)
{
	text_number(t, permille / 10);
	if (permille % 10 != 0) {
		text_string(t, ".");
		text_number(t, permille % 10);
	}
	text_string(t, "%");
}

static void
text_quote(struct text *t, const char *bytes, size_t len)
{
	size_t cut = TEXT_QUOTE_MAX;

	if (len <= TEXT_QUOTE_MAX) {
		text_bytes(t, bytes, len);
		return;
	}
	while (cut > 0 && ((unsigned char)bytes[cut] & 0xc0) == 0x80)
		cut--;
	text_bytes(t, bytes, cut);
	text_string(t, "...");
}

void
text_vformat(struct text *t, const char *format, va_list args)
{
	const char *mark;

	while ((mark = strchr(format, '%')) != NULL) {
		text_bytes(t, format, (size_t)(mark - format));
		if (mark[1] == 's') {
			text_string(t, va_arg(args, const char *));
			format = mark + 2;
		} else if (mark[1] == 'u') {
			text_number(t, va_arg(args, unsigned));
			format = mark + 2;
		} else {
			int len = va_arg(args, int);

			text_quote(t, va_arg(args, const char *), (size_t)len);
			format = mark + 4;
		}
	}
	text_string(t, format);
}

void
text_format(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vformat(t, format, args);
	va_end(args);
}
