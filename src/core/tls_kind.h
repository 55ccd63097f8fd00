/* What the parts of tls.h ask of both sides of a connection. */
#ifndef CORE_TLS_KIND_H
#define CORE_TLS_KIND_H

#include "core/tls.h"

/* After so long no ticket is under way any more, and a client has given up, or not at once. */
#define TLS_PAUSE_NS UINT64_C(1000000000)

/* What is sent within this is one burst. */
#define TLS_BURST_NS UINT64_C(100000000)

/* The ServerHello chose TLS 1.3, where all that follows is records of data. */
bool tls_is_1_3(const struct tls_received *r);

/* HTTP/2 was chosen or may have been: in TLS 1.3 the choice is encrypted. */
bool tls_may_be_h2(const struct tls_sent *s, const struct tls_received *r);

/* A record of data has the length of an alert or a KeyUpdate of TLS 1.3. */
bool tls_is_control(uint16_t length);

/* It has that of a Finished, with an empty client certificate before it or not. */
bool tls_is_finished(const struct tls_received *r, uint16_t length);

/*
 * The newest question is like those before: requests on one connection resemble each
 * other.  A small one may be a goodbye, a large one the body of a request that was answered
 * early, and sizes that vary the messages of a WebSocket, which need no answer.
 */
bool tls_is_like_those_before(const struct tls_sent *s);

/* What tickets are learned by. */
uint64_t tls_key(const struct tls_sent *s, const struct tls_received *r);

#endif
