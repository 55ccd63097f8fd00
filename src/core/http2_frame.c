#include "core/http2_frame.h"

#include <string.h>

enum about { CONNECTION, STREAM, BOTH };

/* Lengths from low to high; high 0: any. */
static const struct {
	uint8_t about, low, high;
} rules[] = {
	[HTTP2_DATA] = {STREAM, 0, 0},	       [HTTP2_HEADERS] = {STREAM, 0, 0},
	[HTTP2_PRIORITY] = {STREAM, 5, 5},     [HTTP2_RST_STREAM] = {STREAM, 4, 4},
	[HTTP2_SETTINGS] = {CONNECTION, 0, 0}, [HTTP2_PUSH_PROMISE] = {STREAM, 4, 0},
	[HTTP2_PING] = {CONNECTION, 8, 8},     [HTTP2_GOAWAY] = {CONNECTION, 8, 0},
	[HTTP2_WINDOW_UPDATE] = {BOTH, 4, 4},  [HTTP2_CONTINUATION] = {STREAM, 0, 0},
};

#define TYPES (sizeof(rules) / sizeof(rules[0]))
#define SETTING_LEN 6

static bool
is_in_order(const struct http2_frame *f)
{
	if (!f->has_settings)
		return f->type == HTTP2_SETTINGS && (f->flags & HTTP2_ACK) == 0;
	if (f->block != 0)
		return f->type == HTTP2_CONTINUATION && f->stream == f->block;
	return f->type != HTTP2_CONTINUATION;
}

static bool
is_sound(const struct http2_frame *f)
{
	if (!is_in_order(f))
		return false;
	if (f->type >= TYPES)
		return true;
	if (rules[f->type].about != BOTH && (rules[f->type].about == STREAM) != (f->stream != 0))
		return false;
	if (f->type == HTTP2_SETTINGS)
		return f->left % SETTING_LEN == 0 && ((f->flags & HTTP2_ACK) == 0 || f->left == 0);
	return f->left >= rules[f->type].low &&
	       (rules[f->type].high == 0 || f->left <= rules[f->type].high);
}

static uint32_t
number(const uint8_t *bytes, unsigned count)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < count; i++)
		n = n << 8 | bytes[i];
	return n;
}

static bool
begin(struct http2_frame *f)
{
	f->have = 0;
	f->left = number(f->head, 3);
	f->type = f->head[3];
	f->flags = f->head[4];
	f->stream = number(f->head + 5, 4) & INT32_MAX;
	if (!is_sound(f))
		return false;
	f->has_settings = true;
	if (f->type == HTTP2_HEADERS || f->type == HTTP2_PUSH_PROMISE ||
	    f->type == HTTP2_CONTINUATION)
		f->block = (f->flags & HTTP2_END_HEADERS) != 0 ? 0 : f->stream;
	return true;
}

size_t
http2_frame_read(struct http2_frame *f, const char *bytes, size_t size, enum http2_begun *begun)
{
	size_t n = HTTP2_FRAME_HEAD - (size_t)f->have;

	n = n < size ? n : size;
	memcpy(f->head + f->have, bytes, n);
	f->have += (uint8_t)n;
	*begun = HTTP2_NOT_YET;
	if (f->have == HTTP2_FRAME_HEAD)
		*begun = begin(f) ? HTTP2_BEGUN : HTTP2_NO_FRAME;
	return n;
}

bool
http2_is_clients(uint32_t stream)
{
	return stream % 2 == 1;
}
