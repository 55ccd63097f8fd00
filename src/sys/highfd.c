#include "sys/highfd.h"

#include <errno.h>
#include <sys/resource.h>

int
highfd_first(void)
{
	struct rlimit limit;
	int saved = errno;
	rlim_t top = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 256;

	errno = saved;
	if (top > 1024)
		top = 1024;
	return top > 32 ? (int)(top - top / 8) : 3;
}
