#include "core/tls_hello.h"

#include <string.h>

#define CLIENT_HELLO 1
#define SERVER_HELLO 2
#define RANDOM_BYTES 32

#define EXTENSION_SNI 0
#define EXTENSION_ALPN 16
#define EXTENSION_PSK 41
#define EXTENSION_VERSIONS 43
#define EXTENSION_OTHER 255

#define FNV_START UINT32_C(2166136261)
#define FNV_PRIME UINT32_C(16777619)

/* The name h2 with its length before it.  No other name has a byte 2. */
#define ALPN_H2 0x026832

enum field {
	IN_TYPE, /* 0: nothing read yet */
	IN_SIZE,
	IN_VERSION,
	IN_RANDOM,
	IN_SESSION_SIZE,
	IN_SESSION,
	IN_CIPHERS_SIZE,
	IN_CIPHERS,
	IN_METHODS_SIZE,
	IN_METHODS,
	IN_EXTENSIONS_SIZE,
	IN_EXTENSION_TYPE,
	IN_EXTENSION_SIZE,
	IN_EXTENSION,
	AT_END
};

static const unsigned char retry_random[8] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11};

/* What follows each field, and how many bytes that has; 0: as many as the field says. */
static const struct {
	enum field next;
	uint8_t size;
} steps[] = {
	[IN_TYPE] = {IN_SIZE, 3},
	[IN_SIZE] = {IN_VERSION, 2},
	[IN_VERSION] = {IN_RANDOM, RANDOM_BYTES},
	[IN_RANDOM] = {IN_SESSION_SIZE, 1},
	[IN_SESSION_SIZE] = {IN_SESSION, 0},
	[IN_SESSION] = {IN_CIPHERS_SIZE, 2},
	[IN_CIPHERS_SIZE] = {IN_CIPHERS, 0},
	[IN_CIPHERS] = {IN_METHODS_SIZE, 1},
	[IN_METHODS_SIZE] = {IN_METHODS, 0},
	[IN_METHODS] = {IN_EXTENSIONS_SIZE, 2},
	[IN_EXTENSIONS_SIZE] = {IN_EXTENSION_TYPE, 2},
	[IN_EXTENSION_TYPE] = {IN_EXTENSION_SIZE, 2},
	[IN_EXTENSION_SIZE] = {IN_EXTENSION, 0},
	[IN_EXTENSION] = {IN_EXTENSION_TYPE, 2},
};

static void
begin_extension(struct tls_hello *h)
{
	h->hash = (FNV_START ^ h->extension) * FNV_PRIME;
	if (h->extension == EXTENSION_PSK)
		h->has_psk = true;
}

/* Clients may shuffle their extensions: the sum is the same in any order. */
static void
end_extension(struct tls_hello *h)
{
	if (h->extension == EXTENSION_SNI || h->extension == EXTENSION_ALPN)
		h->names += h->hash;
	if (h->extension == EXTENSION_VERSIONS && h->is_server)
		h->version = (uint16_t)h->value;
}

static void
note_field(struct tls_hello *h)
{
	if (h->field == IN_SIZE)
		h->rest = h->value;
	else if (h->field == IN_VERSION)
		h->version = (uint16_t)h->value;
	else if (h->field == IN_CIPHERS)
		h->cipher = (uint16_t)h->value;
	else if (h->field == IN_EXTENSION_TYPE)
		h->extension = h->value < EXTENSION_OTHER ? (uint8_t)h->value : EXTENSION_OTHER;
	else if (h->field == IN_EXTENSION_SIZE)
		begin_extension(h);
	else if (h->field == IN_EXTENSION)
		end_extension(h);
}

static void
end_field(struct tls_hello *h)
{
	enum field next = steps[h->field].next;
	uint8_t size = steps[h->field].size;

	note_field(h);
	/* The server names one cipher and one method, the client has lists. */
	if (h->is_server && (next == IN_CIPHERS_SIZE || next == IN_METHODS_SIZE))
		next++;
	h->field = next & 15;
	h->left = (uint16_t)(size > 0 ? size : h->value);
	h->value = 0;
}

static void
see(struct tls_hello *h, uint8_t byte)
{
	h->value = h->value << 8 | byte;
	if (h->field == IN_RANDOM && h->left > RANDOM_BYTES - sizeof(h->random))
		((uint8_t *)&h->random)[RANDOM_BYTES - h->left] = byte;
	if (h->field == IN_EXTENSION) {
		h->hash = (h->hash ^ byte) * FNV_PRIME;
		if (h->extension == EXTENSION_ALPN && (h->value & 0xffffff) == ALPN_H2)
			h->has_h2 = true;
	}
}

static bool
take(struct tls_hello *h, uint8_t byte)
{
	if (h->field == IN_TYPE) {
		end_field(h);
		return byte == (h->is_server ? SERVER_HELLO : CLIENT_HELLO);
	}
	bool is_inside = h->field > IN_SIZE;

	see(h, byte);
	h->left--;
	h->rest -= is_inside;
	while (h->left == 0)
		end_field(h);
	if (h->field > IN_SIZE && h->rest == 0)
		h->field = AT_END;
	return true;
}

enum tls_hello_progress
tls_hello_read(struct tls_hello *h, const char *bytes, size_t size)
{
	if (!bytes && h->field != AT_END)
		return TLS_HELLO_BAD;
	for (size_t i = 0; i < size && h->field != AT_END; i++)
		if (!take(h, (uint8_t)bytes[i]))
			return TLS_HELLO_BAD;
	return h->field == AT_END ? TLS_HELLO_DONE : TLS_HELLO_MORE;
}

bool
tls_hello_is_done(const struct tls_hello *h)
{
	return h->field == AT_END;
}

bool
tls_hello_is_retry(const struct tls_hello *h)
{
	return h->field == AT_END && memcmp(&h->random, retry_random, sizeof(retry_random)) == 0;
}
