/*
 * What the two messages that open a TLS connection say in the clear, ClientHello and
 * ServerHello (RFC 8446, 4.1; RFC 5246, 7.4.1), read byte by byte and not kept.
 */
#ifndef CORE_TLS_HELLO_H
#define CORE_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_1_3 0x0304

/* All zero but is_server before the first byte. */
struct tls_hello {
	uint64_t random;    /* the first 8 of its 32 bytes, as they lie in memory */
	uint32_t names;	    /* stands for what SNI and ALPN say; 0: neither is there */
	uint32_t rest;	    /* bytes of the message that are still to come */
	uint32_t value;	    /* of the bytes at hand, the last four */
	uint32_t hash;	    /* of the extension at hand */
	uint16_t left;	    /* bytes of the field at hand that are still to come */
	uint16_t version;   /* the one chosen; ServerHello only */
	uint16_t cipher;    /* likewise */
	uint8_t extension;  /* at hand; 255 and what is above it: 255 */
	uint8_t field : 4;  /* at hand */
	bool is_server : 1; /* it is a ServerHello; set by the caller */
	bool has_h2 : 1;    /* HTTP/2 is offered, or chosen in the clear (TLS 1.2) */
	bool has_psk : 1;   /* a session of TLS 1.3 is offered, or taken up again */
};

enum tls_hello_progress { TLS_HELLO_MORE, TLS_HELLO_DONE, TLS_HELLO_BAD };

/*
 * Reads on, up to the end of the message; what stands behind it is ignored, then and later.
 * TLS_HELLO_BAD: it is another message, or was not seen (bytes is NULL).
 */
enum tls_hello_progress tls_hello_read(struct tls_hello *h, const char *bytes, size_t size);

bool tls_hello_is_done(const struct tls_hello *h);

/* A ServerHello that asks for another ClientHello, a HelloRetryRequest. */
bool tls_hello_is_retry(const struct tls_hello *h);

#endif
