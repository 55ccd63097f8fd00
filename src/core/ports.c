#include "core/ports.h"

#include <stddef.h>

/* As registered, or as the service's own manual has it; ascending. */
static const uint16_t others[] = {
	20,   21,   22,	  23,	25,   53,   70,	  110,	119,   139,   143,   179,   194,  389,
	443,  445,  465,  513,	514,  563,  587,  636,	853,   873,   989,   990,   992,  993,
	994,  995,  1433, 1521, 1883, 2049, 2181, 2222, 2376,  3306,  3389,  3690,  4222, 4433,
	4443, 5222, 5223, 5269, 5432, 5433, 5671, 5672, 5900,  6379,  6380,  6432,  6443, 6667,
	6697, 7687, 8443, 8883, 9042, 9092, 9418, 9443, 11211, 26379, 27017, 33060,
};

bool
ports_speak_other(int32_t port)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (port == others[i])
			return true;
	return false;
}
