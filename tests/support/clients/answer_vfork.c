/*
 * answer_vfork PORT: a connect to 127.0.0.1 PORT that fails, one in a child of vfork, and one
 * whose request is written by such a child; prints the errors' numbers and the answer's line.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "connects.h"

/* What runs in the child of vfork; its result is the exit code. */
static int
in_child(int (*run)(int), int fd)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(run(fd));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int
connects(int fd)
{
	return connect_fd(fd, open_port) == 0 ? 0 : errno;
}

static int
asks(int fd)
{
	static const char request[] = "GET / HTTP/1.1\r\n\r\n";

	return write(fd, request, strlen(request)) == (ssize_t)strlen(request) ? 0 : errno;
}

int
main(int argc, char **argv)
{
	char line[16] = "";
	int fd;

	open_port = argc > 1 ? atoi(argv[1]) : 0;
	printf("%d", connects(socket(AF_INET, SOCK_STREAM, 0)));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	printf(" %d", in_child(connects, fd));
	printf(" %d", connects(fd));
	printf(" %d", in_child(asks, fd));
	if (read(fd, line, sizeof(line) - 4) <= 0)
		printf(" %d", errno);
	printf(" %s\n", line);
	close(fd);
	return 0;
}
