/*
 * What a program says inside TLS by GnuTLS.
 *
 * A call without data goes on with what an earlier one began (after GNUTLS_E_AGAIN, or
 * by gnutls_record_uncork()): it asks nothing new.
 */
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "shim/hooks.h"
#include "shim/tls_call.h"

#define CALLER __builtin_return_address(0)

#define INVALID_REQUEST (-50) /* GNUTLS_E_INVALID_REQUEST */

typedef struct gnutls_session_int *gnutls_session_t;

typedef struct {
	unsigned char *data;
	unsigned size;
} gnutls_datum_t;

struct gnutls_range_st;
struct mbuffer_st;

typedef ssize_t record_send(gnutls_session_t, const void *, size_t);
typedef ssize_t record_send2(gnutls_session_t, const void *, size_t, size_t, unsigned);

/* As the library declares them, whose headers the build does not need. */
ssize_t gnutls_record_send(gnutls_session_t, const void *, size_t);
ssize_t gnutls_record_send2(gnutls_session_t, const void *, size_t, size_t, unsigned);
ssize_t gnutls_record_send_range(gnutls_session_t, const void *, size_t,
				 const struct gnutls_range_st *);
ssize_t gnutls_record_recv(gnutls_session_t, void *, size_t);
ssize_t gnutls_record_recv_seq(gnutls_session_t, void *, size_t, unsigned char *);
ssize_t gnutls_record_recv_packet(gnutls_session_t, struct mbuffer_st **);
int gnutls_handshake(gnutls_session_t);
int gnutls_bye(gnutls_session_t, int);

static uint64_t
client_random(void *session, const void *function)
{
	void (*get)(gnutls_session_t, gnutls_datum_t *, gnutls_datum_t *) =
		real_for("gnutls_session_get_random", function);
	gnutls_datum_t client = {NULL, 0};
	uint64_t random = 0;

	if (get != NULL)
		get(session, &client, NULL);
	if (client.data != NULL && client.size >= sizeof(random))
		memcpy(&random, client.data, sizeof(random));
	return random;
}

/* No function says which side a session is of, but this one is for servers alone. */
static bool
is_client(void *session, const void *function)
{
	int (*name)(gnutls_session_t, void *, size_t *, unsigned *, unsigned) =
		real_for("gnutls_server_name_get", function);
	char none[1];
	size_t size = 0;
	unsigned type;

	return name != NULL && name(session, none, &size, &type, 0) == INVALID_REQUEST;
}

static const struct tls_library gnutls = {"gnutls", client_random, is_client};

#define CALL_OF(of, real_function)                                                                 \
	{                                                                                          \
		.library = &gnutls, .session = (of), .function = (const void *)(real_function)     \
	}

EXPORT ssize_t
gnutls_record_send2(gnutls_session_t session, const void *data, size_t size, size_t pad,
		    unsigned flags)
{
	record_send2 *function = real_for("gnutls_record_send2", CALLER);
	struct tls_call c = CALL_OF(session, function);
	struct conn_sending s;

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_sends(&c, data, size, &s);

	ssize_t result = function(session, data, size, pad, flags);

	tls_call_sent(&c, &s, result);
	return result;
}

/*
 * The library's own gnutls_record_send() is this by way of gnutls_record_send2(), which
 * would come to the hook as well.
 */
static ssize_t
send_plainly(gnutls_session_t session, const void *data, size_t size, record_send2 *send2,
	     record_send *send)
{
	return send2 != NULL ? send2(session, data, size, 0, 0) : send(session, data, size);
}

/* is_inner: gnutls_record_uncork() sends what was given to the hook before. */
EXPORT ssize_t
gnutls_record_send(gnutls_session_t session, const void *data, size_t size)
{
	bool is_inner;
	record_send *send = real_for_whom("gnutls_record_send", CALLER, &is_inner);
	record_send2 *send2 = real_for("gnutls_record_send2", CALLER);
	struct tls_call c = CALL_OF(session, send);
	struct conn_sending s;

	if (send == NULL)
		return INVALID_REQUEST;
	if (is_inner)
		return send_plainly(session, data, size, send2, send);
	tls_call_sends(&c, data, size, &s);

	ssize_t result = send_plainly(session, data, size, send2, send);

	tls_call_sent(&c, &s, result);
	return result;
}

EXPORT ssize_t
gnutls_record_send_range(gnutls_session_t session, const void *data, size_t size,
			 const struct gnutls_range_st *range)
{
	ssize_t (*function)(gnutls_session_t, const void *, size_t,
			    const struct gnutls_range_st *) =
		real_for("gnutls_record_send_range", CALLER);
	struct tls_call c = CALL_OF(session, function);
	struct conn_sending s;

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_sends(&c, data, size, &s);

	ssize_t result = function(session, data, size, range);

	tls_call_sent(&c, &s, result);
	return result;
}

EXPORT ssize_t
gnutls_record_recv(gnutls_session_t session, void *data, size_t size)
{
	ssize_t (*function)(gnutls_session_t, void *, size_t) =
		real_for("gnutls_record_recv", CALLER);
	struct tls_call c = CALL_OF(session, function);

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_receives(&c);

	ssize_t result = function(session, data, size);

	tls_call_received(&c, data, result);
	return result;
}

EXPORT ssize_t
gnutls_record_recv_seq(gnutls_session_t session, void *data, size_t size, unsigned char *seq)
{
	ssize_t (*function)(gnutls_session_t, void *, size_t, unsigned char *) =
		real_for("gnutls_record_recv_seq", CALLER);
	struct tls_call c = CALL_OF(session, function);

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_receives(&c);

	ssize_t result = function(session, data, size, seq);

	tls_call_received(&c, data, result);
	return result;
}

EXPORT ssize_t
gnutls_record_recv_packet(gnutls_session_t session, struct mbuffer_st **packet)
{
	ssize_t (*function)(gnutls_session_t, struct mbuffer_st **) =
		real_for("gnutls_record_recv_packet", CALLER);
	void (*get)(struct mbuffer_st *, gnutls_datum_t *, unsigned char *);
	struct tls_call c = CALL_OF(session, function);
	gnutls_datum_t data = {NULL, 0};

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_receives(&c);

	ssize_t result = function(session, packet);

	if (result > 0 && c.ref.place != 0 &&
	    (get = real_for("gnutls_packet_get", c.function)) != NULL)
		get(*packet, &data, NULL);
	tls_call_received(&c, data.data, data.data != NULL ? (ssize_t)data.size : 0);
	return result;
}

/* A server may ask for a new handshake; the program is told, and makes it by this. */
EXPORT int
gnutls_handshake(gnutls_session_t session)
{
	int (*function)(gnutls_session_t) = real_for("gnutls_handshake", CALLER);
	struct tls_call c = CALL_OF(session, function);

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_receives(&c);

	int result = function(session);

	tls_call_received(&c, NULL, 0);
	return result;
}

EXPORT int
gnutls_bye(gnutls_session_t session, int how)
{
	int (*function)(gnutls_session_t, int) = real_for("gnutls_bye", CALLER);
	struct tls_call c = CALL_OF(session, function);

	if (function == NULL)
		return INVALID_REQUEST;
	tls_call_leaves(&c);
	return function(session, how);
}
