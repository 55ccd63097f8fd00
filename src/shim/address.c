#include "shim/address.h"

#include <netinet/in.h>
#include <string.h>

socklen_t
address_make(const struct dest_addr *addr, int32_t port, sa_family_t family,
	     struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (void *)out;
	struct sockaddr_in6 *v6 = (void *)out;

	memset(out, 0, sizeof(*out));
	out->ss_family = family;
	if (family == AF_INET) {
		v4->sin_port = htons((uint16_t)port);
		memcpy(&v4->sin_addr, addr->bytes, 4);
		return sizeof(*v4);
	}
	v6->sin6_port = htons((uint16_t)port);
	if (addr->family == 6) {
		memcpy(&v6->sin6_addr, addr->bytes, 16);
	} else {
		v6->sin6_addr.s6_addr[10] = v6->sin6_addr.s6_addr[11] = 0xff;
		memcpy(&v6->sin6_addr.s6_addr[12], addr->bytes, 4);
	}
	return sizeof(*v6);
}
