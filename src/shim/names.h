/*
 * Which name the program looked up for an address, and which addresses a name had.
 *
 * The latest look-up of an address by the thread wins, else the latest by the process.
 * The tables are of fixed size; what is oldest gives way.  No lock, no allocation.
 */
#ifndef SHIM_NAMES_H
#define SHIM_NAMES_H

#include <netdb.h>

#include "core/dest.h"

#define NAMES_ADDRESSES 16 /* of one name that are told apart */

/* A name as the look-up of one of its addresses found it. */
struct named {
	uint32_t ref;		/* stands for the name's text; 0: no name */
	uint8_t index;		/* of the address among the name's */
	uint8_t total;		/* addresses that the name had */
	bool of_fallback;	/* the address is none of the name's: it was told instead of them */
	bool is_shared;		/* other names had it too, and another thread looked it up */
	uint16_t fallback_port; /* then the one port for which it was; 0: for any */
};

/* False: not an internet address. */
bool names_sockaddr(const struct sockaddr *sa, socklen_t len, struct dest_addr *addr,
		    int32_t *port);

void names_learn(const char *name, const struct addrinfo *list);

/* The name alone: its addresses keep the names that they have.  Its reference, 0: none. */
uint32_t names_note(const char *name, const struct dest_addr *addr, unsigned count);

/*
 * These, which are a fallback's, are to be told the program when it looks the name up, for
 * port or DEST_PORT_UNKNOWN.  The name is known.  Addresses that the program knows under a
 * name are left as they are.  False, and nothing is learnt: a connect to one of them may be
 * taken for another's and go astray, be it only to a wrong port, unless port is_its_port.
 */
bool names_learn_fallback(const char *name, int32_t port, bool is_its_port,
			  const struct addrinfo *list);

/* The program means these addresses themselves. */
void names_forget_fallback(const struct addrinfo *list);

/* The addresses of a list, each once; returns their number. */
unsigned names_list(const struct addrinfo *list, struct dest_addr out[NAMES_ADDRESSES]);

/* A number for an address, the same in every call. */
uint64_t names_hash(const struct dest_addr *addr);

struct named names_of(const struct dest_addr *addr, uint64_t hash);

/* The name's text, or an empty one when it has given way. */
struct span names_text(uint32_t ref, char buf[DEST_NAME_MAX + 1]);

/* The addresses that the name had at its latest look-up; returns their number. */
unsigned names_addresses(const char *name, struct dest_addr out[NAMES_ADDRESSES]);

/* The name's reference; 0: it is not known. */
uint32_t names_reference(const char *name);

#endif
