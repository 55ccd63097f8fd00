#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/doctor.h"

/* 1 and 2 are answers. */
#define EXIT_USAGE 125

static const char usage[] = "usage: cutout doctor [--] PROGRAM [ARG...]\n";

int
cmd_doctor(int argc, char **argv)
{
	static const char *const verdicts[] = {
		[DOCTOR_FULLY] = "seen fully",
		[DOCTOR_IN_PART] = "seen in part",
		[DOCTOR_NOT] = "not seen",
	};
	struct diagnosis d;
	int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage, stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_USAGE;
	}
	if (first >= argc || (first == 1 && argv[1][0] == '-')) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	doctor_look(argv + first, &d);
	if (d.status > DOCTOR_NOT) {
		fprintf(stderr, "cutout doctor: %s\n", d.reason);
		return d.status;
	}
	printf("%s: %s: %s.\n%s", argv[first], verdicts[d.status], d.reason, d.remarks);
	return fflush(stdout) == 0 ? d.status : EXIT_USAGE;
}
