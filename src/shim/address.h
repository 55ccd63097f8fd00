/* Addresses as the kernel has them. */
#ifndef SHIM_ADDRESS_H
#define SHIM_ADDRESS_H

#include <sys/socket.h>

#include "core/dest.h"

/*
 * For a socket of that family, AF_INET or AF_INET6, whose IPv4 addresses are v4-mapped
 * ones.  Returns the length.
 */
socklen_t address_make(const struct dest_addr *addr, int32_t port, sa_family_t family,
		       struct sockaddr_storage *out);

#endif
