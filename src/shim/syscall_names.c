#include "shim/syscall_names.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/fds.h"
#include "shim/real.h"

#define POINTER(value) ((void *)(value))

static bool
io_by_name(long number, const long a[6], long *result)
{
	int fd = (int)a[0];
	size_t size = (size_t)a[2];

	switch (number) {
	case SYS_read:
		*result = read(fd, POINTER(a[1]), size);
		return true;
	case SYS_readv:
		*result = readv(fd, POINTER(a[1]), (int)a[2]);
		return true;
	case SYS_write:
		*result = write(fd, POINTER(a[1]), size);
		return true;
	case SYS_writev:
		*result = writev(fd, POINTER(a[1]), (int)a[2]);
		return true;
	case SYS_sendfile:
		*result = sendfile(fd, (int)a[1], POINTER(a[2]), (size_t)a[3]);
		return true;
	default:
		return false;
	}
}

static bool
socket_by_name(long number, const long a[6], long *result)
{
	int fd = (int)a[0];
	size_t size = (size_t)a[2];

	switch (number) {
	case SYS_sendto:
		*result =
			sendto(fd, POINTER(a[1]), size, (int)a[3], POINTER(a[4]), (socklen_t)a[5]);
		return true;
	case SYS_sendmsg:
		*result = sendmsg(fd, POINTER(a[1]), (int)a[2]);
		return true;
	case SYS_sendmmsg:
		*result = sendmmsg(fd, POINTER(a[1]), (unsigned)a[2], (int)a[3]);
		return true;
	case SYS_recvfrom:
		*result =
			recvfrom(fd, POINTER(a[1]), size, (int)a[3], POINTER(a[4]), POINTER(a[5]));
		return true;
	case SYS_recvmsg:
		*result = recvmsg(fd, POINTER(a[1]), (int)a[2]);
		return true;
	case SYS_recvmmsg:
		*result = recvmmsg(fd, POINTER(a[1]), (unsigned)a[2], (int)a[3], POINTER(a[4]));
		return true;
	case SYS_getsockopt:
		*result = getsockopt(fd, (int)a[1], (int)a[2], POINTER(a[3]), POINTER(a[4]));
		return true;
	case SYS_getpeername:
		*result = getpeername(fd, POINTER(a[1]), POINTER(a[2]));
		return true;
	case SYS_shutdown:
		*result = shutdown(fd, (int)a[1]);
		return true;
	default:
		return false;
	}
}

static bool
copy_by_name(long number, const long a[6], long *result)
{
	switch (number) {
	case SYS_dup:
		*result = dup((int)a[0]);
		return true;
#ifdef SYS_dup2
	case SYS_dup2:
		*result = dup2((int)a[0], (int)a[1]);
		return true;
#endif
	case SYS_dup3:
		*result = dup3((int)a[0], (int)a[1], (int)a[2]);
		return true;
	case SYS_fcntl:
		*result = fcntl((int)a[0], (int)a[1], a[2]);
		return true;
	default:
		return false;
	}
}

bool
syscall_by_name(long number, const long a[6], long *result)
{
	int fd = (int)a[0];

	bool is_first = number == SYS_connect || number == SYS_splice;

	if ((!is_first && !fds_is_ours(fd)) || !real_calls_are_libcs())
		return false;
	switch (number) {
	case SYS_connect:
		*result = connect(fd, POINTER(a[1]), (socklen_t)a[2]);
		return true;
	case SYS_splice:
		*result = splice(fd, POINTER(a[1]), (int)a[2], POINTER(a[3]), (size_t)a[4],
				 (unsigned)a[5]);
		return true;
	default:
		return io_by_name(number, a, result) || socket_by_name(number, a, result) ||
		       copy_by_name(number, a, result);
	}
}
