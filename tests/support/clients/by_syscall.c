/* A library like those that lead a program's connections through a proxy: it stands in
 * front of libc as well, and makes its system calls by syscall(). */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int
connect(int fd, const struct sockaddr *sa, socklen_t len)
{
	return (int)syscall(SYS_connect, fd, sa, len);
}

ssize_t
read(int fd, void *data, size_t size)
{
	return syscall(SYS_read, fd, data, size);
}

ssize_t
write(int fd, const void *data, size_t size)
{
	return syscall(SYS_write, fd, data, size);
}

int
close(int fd)
{
	return (int)syscall(SYS_close, fd);
}
