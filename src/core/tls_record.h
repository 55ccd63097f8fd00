/* The records of a TLS stream (RFC 8446, 5.1): where each begins, its type and length. */
#ifndef CORE_TLS_RECORD_H
#define CORE_TLS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define TLS_HEADER_BYTES 5

enum tls_type { /* of a record */
		TLS_CHANGE_CIPHER = 20,
		TLS_ALERT = 21,
		TLS_HANDSHAKE = 22,
		TLS_DATA = 23,
		TLS_HEARTBEAT = 24
};

/* All zero before the first byte. */
struct tls_record {
	uint16_t length; /* of the record that began last, without its header */
	uint16_t left;	 /* bytes of it that are still to come */
	uint8_t type;	 /* enum tls_type */
	uint8_t have;	 /* bytes of the next header that have come, 0 to 4 */
};

enum tls_piece {
	TLS_PIECE_PART, /* of a header that is not complete yet */
	TLS_PIECE_HEAD, /* the last byte of a header: type and length are known */
	TLS_PIECE_BODY,
	TLS_PIECE_BAD /* no record of TLS, or its header was not seen (bytes is NULL) */
};

/* Takes one piece from the front of bytes, size > 0; returns how long it is, 1 to size. */
size_t tls_record_next(struct tls_record *c, const char *bytes, size_t size, enum tls_piece *piece);

#endif
