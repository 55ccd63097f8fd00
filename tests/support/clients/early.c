/* A library whose constructor calls before the shim's own has run: it stands behind it. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((constructor)) static void
call(void)
{
	const char *port = getenv("EARLY_PORT");
	struct addrinfo *list = NULL;

	if (port == NULL || getaddrinfo("localhost", port, NULL, &list) != 0)
		return;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		dprintf(1, "%s\n", strerror(errno));
	close(fd);
	freeaddrinfo(list);
}
