/* Whether and how far the library sees a program. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>

#define DOCTOR_REASON_MAX 8192

enum {
	DOCTOR_FULLY = 0,
	DOCTOR_IN_PART = 1,
	DOCTOR_NOT = 2,
};

struct diagnosis {
	/* One of those above; else as "cutout run" exits that cannot start the program. */
	int status;
	char reason[DOCTOR_REASON_MAX];	 /* one line without its end */
	char remarks[DOCTOR_REASON_MAX]; /* whole lines; may be empty */
};

/* Looks at the program and its libraries, of which nothing is run. */
void doctor_look(char *const argv[], struct diagnosis *out);

/*
 * Whether nothing of the program is seen: out then says why.  Cheap: reads some bytes of
 * the file, and never its libraries.
 */
bool doctor_sees_nothing(char *const argv[], struct diagnosis *out);

#endif
