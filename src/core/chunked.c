#include "core/chunked.h"

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum chunked_state
after_size_byte(struct chunked *c, char byte)
{
	int digit = hex_digit(byte);

	if (digit >= 0) {
		if (c->left >> 59 != 0)
			return CHUNKED_BAD;
		c->left = c->left << 4 | (unsigned)digit;
		c->has_digit = true;
		return CHUNKED_SIZE;
	}
	if (!c->has_digit)
		return CHUNKED_BAD;
	if (byte == '\n')
		return c->left > 0 ? CHUNKED_DATA : CHUNKED_TRAILER;
	return byte == '\r' || byte == ';' || byte == ' ' || byte == '\t' ? CHUNKED_EXTENSION
									  : CHUNKED_BAD;
}

static enum chunked_state
after_byte(struct chunked *c, char byte)
{
	switch (c->state) {
	case CHUNKED_SIZE:
		return after_size_byte(c, byte);
	case CHUNKED_EXTENSION:
		if (byte != '\n')
			return CHUNKED_EXTENSION;
		return c->left > 0 ? CHUNKED_DATA : CHUNKED_TRAILER;
	case CHUNKED_DATA_END:
		c->has_digit = false;
		if (byte == '\n')
			return CHUNKED_SIZE;
		return byte == '\r' ? CHUNKED_DATA_END : CHUNKED_BAD;
	case CHUNKED_TRAILER:
		if (byte == '\n')
			return CHUNKED_ENDED;
		return byte == '\r' ? CHUNKED_TRAILER : CHUNKED_TRAILER_REST;
	case CHUNKED_TRAILER_REST:
		return byte == '\n' ? CHUNKED_TRAILER : CHUNKED_TRAILER_REST;
	default:
		return c->state;
	}
}

size_t
chunked_read(struct chunked *c, const char *bytes, size_t size, size_t *data_size)
{
	size_t n = 0;

	*data_size = 0;
	if (c->state == CHUNKED_DATA) {
		n = c->left < size ? (size_t)c->left : size;
		c->left -= n;
		if (c->left == 0)
			c->state = CHUNKED_DATA_END;
		*data_size = n;
		return n;
	}
	if (bytes == NULL && size > 0 && c->state != CHUNKED_ENDED)
		c->state = CHUNKED_BAD;
	while (n < size && c->state != CHUNKED_DATA && c->state < CHUNKED_ENDED)
		c->state = after_byte(c, bytes[n++]);
	return n;
}
