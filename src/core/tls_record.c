#include "core/tls_record.h"

#include <stdbool.h>

/* RFC 5246, 6.2.3: a ciphertext may be 2048 bytes longer than the longest plaintext. */
#define LENGTH_MAX (16384 + 2048)

#define VERSION_MAJOR 3

static bool
take_header_byte(struct tls_record *c, uint8_t byte)
{
	c->have++;
	switch (c->have) {
	case 1:
		c->type = byte;
		return byte >= TLS_CHANGE_CIPHER && byte <= TLS_HEARTBEAT;
	case 2:
		return byte == VERSION_MAJOR;
	case 3:
		return true;
	case 4:
		c->length = (uint16_t)(byte << 8);
		return true;
	default:
		c->length |= byte;
		c->left = c->length;
		c->have = 0;
		return c->length <= LENGTH_MAX;
	}
}

size_t
tls_record_next(struct tls_record *c, const char *bytes, size_t size, enum tls_piece *piece)
{
	if (c->left > 0) {
		size_t taken = size < c->left ? size : c->left;

		c->left = (uint16_t)(c->left - taken);
		*piece = TLS_PIECE_BODY;
		return taken;
	}
	if (!bytes || !take_header_byte(c, (uint8_t)bytes[0]))
		*piece = TLS_PIECE_BAD;
	else
		*piece = c->have == 0 ? TLS_PIECE_HEAD : TLS_PIECE_PART;
	return 1;
}
