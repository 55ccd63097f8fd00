/* Becomes the program of its arguments, with the environment it has. */
#include <unistd.h>

int
main(int argc, char **argv)
{
	if (argc > 1)
		execvp(argv[1], argv + 1);
	return 127;
}
