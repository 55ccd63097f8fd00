/*
 * A destination as a value: what a program wants to reach.
 *
 * v4-mapped IPv6 addresses are IPv4 here.  Names are compared without regard to
 * case and without a trailing dot.
 */
#ifndef CORE_DEST_H
#define CORE_DEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/settings.h"

#define DEST_NAME_MAX 253
#define DEST_PORT_UNKNOWN (-1)
#define DEST_TEXT_MAX (DEST_NAME_MAX + 10) /* name, colon, port, terminating zero */

struct dest_addr {
	uint8_t family;	   /* 4 or 6; 0: none */
	uint8_t bytes[16]; /* network order; IPv4 takes the first four */
};

struct dest {
	struct span name; /* len 0: only the address is known */
	struct dest_addr addr;
	int32_t port; /* DEST_PORT_UNKNOWN where the lookup did not say */
};

/* From the bytes of an in_addr (family 4) or an in6_addr (6); v4-mapped becomes 4. */
void dest_addr_set(struct dest_addr *out, unsigned family, const uint8_t *bytes);

bool dest_addr_equal(const struct dest_addr *a, const struct dest_addr *b);

/* Reads "1.2.3.4", "::1" or "[::1]".  False: not an address. */
bool dest_addr_parse(struct span text, struct dest_addr *out);

/* Reads a port from 1 to 65535 in plain digits. */
bool dest_port_parse(struct span text, uint16_t *out);

/*
 * Reads HOST[:PORT]; an address, in brackets or not, or a name of any printable
 * characters but brackets, colons and slashes.  out points into text.
 */
bool dest_parse(struct span text, struct dest *out);

/* Without regard to case; trailing dots must be gone, see dest_name_trim(). */
bool dest_name_equal(struct span a, struct span b);

/* Without the one dot that may end a name. */
struct span dest_name_trim(struct span name);

/* Writes name:port, 1.2.3.4:port or [::1]:port; the name wins.  Returns the length. */
size_t dest_print(const struct dest *d, char out[DEST_TEXT_MAX]);

/* The address alone, as dest_print writes it but without brackets and port. */
size_t dest_addr_print(const struct dest_addr *a, char out[DEST_TEXT_MAX]);

/*
 * 127/8, ::1, the unspecified addresses (a connect to them is one to loopback),
 * localhost and *.localhost.
 */
bool dest_is_loopback(const struct dest *d);

#endif
