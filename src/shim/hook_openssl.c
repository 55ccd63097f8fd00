/*
 * What a program says inside TLS by OpenSSL (1.1 and later, and what looks like it).
 *
 * Neither handshakes nor looks ahead (SSL_peek) are of interest: the socket shows the one,
 * and what was looked at is read later.
 */
#include <stdint.h>
#include <sys/types.h>

#include "shim/hooks.h"
#include "shim/tls_call.h"

#define CALLER __builtin_return_address(0)

typedef struct ssl_st SSL;

/* As the library declares them, whose headers the build does not need. */
int SSL_read(SSL *, void *, int);
int SSL_read_ex(SSL *, void *, size_t, size_t *);
int SSL_write(SSL *, const void *, int);
int SSL_write_ex(SSL *, const void *, size_t, size_t *);
int SSL_shutdown(SSL *);

/* All zero before the handshake.  Versions before 1.1 do not tell it. */
static uint64_t
client_random(void *session, const void *function)
{
	size_t (*get)(const SSL *, unsigned char *, size_t) =
		real_for("SSL_get_client_random", function);
	uint64_t random = 0;

	if (get == NULL || get(session, (unsigned char *)&random, sizeof(random)) != sizeof(random))
		return 0;
	return random;
}

static bool
is_client(void *session, const void *function)
{
	int (*is_server)(const SSL *) = real_for("SSL_is_server", function);

	return is_server != NULL && !is_server(session);
}

static const struct tls_library openssl = {"openssl", client_random, is_client};

#define CALL_OF(ssl, function)                                                                     \
	{                                                                                          \
		.library = &openssl, .session = (ssl), .function = (const void *)(function)        \
	}

EXPORT int
SSL_read(SSL *ssl, void *data, int size)
{
	int (*function)(SSL *, void *, int) = real_for("SSL_read", CALLER);
	struct tls_call c = CALL_OF(ssl, function);

	if (function == NULL)
		return -1;
	tls_call_receives(&c);

	int result = function(ssl, data, size);

	tls_call_received(&c, data, result);
	return result;
}

EXPORT int
SSL_read_ex(SSL *ssl, void *data, size_t size, size_t *given)
{
	int (*function)(SSL *, void *, size_t, size_t *) = real_for("SSL_read_ex", CALLER);
	struct tls_call c = CALL_OF(ssl, function);

	if (function == NULL)
		return 0;
	tls_call_receives(&c);

	int result = function(ssl, data, size, given);

	tls_call_received(&c, data, result > 0 ? (ssize_t)*given : result);
	return result;
}

EXPORT int
SSL_write(SSL *ssl, const void *data, int size)
{
	int (*function)(SSL *, const void *, int) = real_for("SSL_write", CALLER);
	struct tls_call c = CALL_OF(ssl, function);
	struct conn_sending s;

	if (function == NULL)
		return -1;
	tls_call_sends(&c, data, size > 0 ? (size_t)size : 0, &s);

	int result = function(ssl, data, size);

	tls_call_sent(&c, &s, result);
	return result;
}

EXPORT int
SSL_write_ex(SSL *ssl, const void *data, size_t size, size_t *taken)
{
	int (*function)(SSL *, const void *, size_t, size_t *) = real_for("SSL_write_ex", CALLER);
	struct tls_call c = CALL_OF(ssl, function);
	struct conn_sending s;

	if (function == NULL)
		return 0;
	tls_call_sends(&c, data, size, &s);

	int result = function(ssl, data, size, taken);

	tls_call_sent(&c, &s, result > 0 ? (ssize_t)*taken : result);
	return result;
}

EXPORT int
SSL_shutdown(SSL *ssl)
{
	int (*function)(SSL *) = real_for("SSL_shutdown", CALLER);
	struct tls_call c = CALL_OF(ssl, function);

	if (function == NULL)
		return -1;
	tls_call_leaves(&c);
	return function(ssl);
}
