#include "core/tls_kind.h"

/* Behind a plaintext of TLS 1.3: its type and the tag of the cipher; Java pads as well. */
#define TYPE_AND_TAG 17
#define TYPE_AND_SHORT_TAG 9
#define JAVA_PADDING 16

#define ALERT_BYTES 2
#define KEY_UPDATE_BYTES 5
#define FINISHED_BYTES 4 /* before the hash */
#define NO_CERTIFICATE_BYTES 8

#define AES_256_GCM_SHA384 0x1302
#define AES_128_CCM_8_SHA256 0x1305

/*
 * The lengths of a record of EncryptedExtensions that cannot name h2, which takes 9 bytes:
 * none, an acknowledged name, and ALPN with http/1.1.
 */
#define EXTENSIONS_NONE (TYPE_AND_TAG + 6)
#define EXTENSIONS_NAME (EXTENSIONS_NONE + 4)
#define EXTENSIONS_HTTP_1_1 (EXTENSIONS_NONE + 15)

bool
tls_is_1_3(const struct tls_received *r)
{
	return r->hello.version >= TLS_1_3;
}

bool
tls_may_be_h2(const struct tls_sent *s, const struct tls_received *r)
{
	if (!tls_is_1_3(r))
		return r->hello.has_h2;
	return s->hello.has_h2 && r->first != EXTENSIONS_NONE && r->first != EXTENSIONS_NAME &&
	       r->first != EXTENSIONS_HTTP_1_1;
}

bool
tls_is_control(uint16_t length)
{
	return length == ALERT_BYTES + TYPE_AND_TAG || length == KEY_UPDATE_BYTES + TYPE_AND_TAG ||
	       length == ALERT_BYTES + TYPE_AND_TAG + JAVA_PADDING ||
	       length == KEY_UPDATE_BYTES + TYPE_AND_TAG + JAVA_PADDING;
}

bool
tls_is_finished(const struct tls_received *r, uint16_t length)
{
	unsigned hash = r->hello.cipher == AES_256_GCM_SHA384 ? 48 : 32;
	unsigned behind =
		r->hello.cipher == AES_128_CCM_8_SHA256 ? TYPE_AND_SHORT_TAG : TYPE_AND_TAG;
	unsigned more = length - (FINISHED_BYTES + hash + behind);

	return more == 0 || more == NO_CERTIFICATE_BYTES || more == JAVA_PADDING ||
	       more == NO_CERTIFICATE_BYTES + JAVA_PADDING;
}

uint64_t
tls_key(const struct tls_sent *s, const struct tls_received *r)
{
	uint64_t key = (uint64_t)s->hello.names << 32 | s->server;

	key = (key ^ r->hello.cipher ^ (uint64_t)s->before << 16) * UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 29;
	return key * UINT64_C(0xbf58476d1ce4e5b9);
}
