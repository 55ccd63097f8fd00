#include "sys/neterr.h"

#include <errno.h>

bool
neterr_blames_peer(int error)
{
	switch (error) {
	case ECONNREFUSED:
	case ECONNRESET:
	case ECONNABORTED:
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case EHOSTDOWN:
	case ENETUNREACH:
	case ENETDOWN:
	case ENETRESET:
	case EPIPE:
		return true;
	default:
		return false;
	}
}
