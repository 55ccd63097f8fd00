/* What a port's number tells of what is spoken there. */
#ifndef CORE_PORTS_H
#define CORE_PORTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a service of that number speaks something else than plaintext HTTP: TLS, or a
 * protocol of mail, of a shell, of a database, of messages.
 */
bool ports_speak_other(int32_t port);

#endif
