/* Gives files to a fuzz target, for machines without the fuzzer: replay FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE_MAX_READ (4U << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		return 1;
	}
	uint8_t *data = malloc(SIZE_MAX_READ);
	size_t size = data ? fread(data, 1, SIZE_MAX_READ, file) : 0;
	int failed = !data || ferror(file);

	if (failed)
		perror(path);
	fclose(file);
	/* A copy of just its size, so that a read behind its end is noticed. */
	uint8_t *exact = realloc(data, size > 0 ? size : 1);

	if (!failed && exact)
		LLVMFuzzerTestOneInput(exact, size);
	free(exact ? exact : data);
	return failed;
}

int
main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
