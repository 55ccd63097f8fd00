/*
 * connect_loop N PORT: connects to 127.0.0.1 PORT and closes, N times.
 * connect_loop N: writes a byte to a pipe and reads it, N times.
 *
 * Nothing else that depends on N, so that two runs tell what one round costs.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
connects(int n, int port)
{
	struct sockaddr_in to;

	memset(&to, 0, sizeof(to));
	to.sin_family = AF_INET;
	to.sin_port = htons((unsigned short)port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		(void)!connect(fd, (struct sockaddr *)&to, sizeof(to));
		close(fd);
	}
}

static void
pipes(int n)
{
	int ends[2];
	char byte = 0;

	if (pipe(ends) != 0)
		exit(1);
	for (int i = 0; i < n; i++)
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			exit(1);
}

int
main(int argc, char *argv[])
{
	if (argc == 3)
		connects(atoi(argv[1]), atoi(argv[2]));
	else if (argc == 2)
		pipes(atoi(argv[1]));
	return argc > 3;
}
