/* Any bytes as a program that cutout doctor looks at. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor_elf.h"

struct image {
	const uint8_t *bytes;
	size_t size;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
image_read(void *context, uint64_t at, void *out, size_t size)
{
	const struct image *image = context;

	if (at >= image->size)
		return 0;
	if (size > image->size - at)
		size = image->size - at;
	memcpy(out, image->bytes + at, size);
	return size;
}

/* What is said holds: a name has an end, and a file that is none of ours has no name. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image image = {data, size};
	struct elf elf;

	elf_look(&(struct elf_source){image_read, &image}, &elf);
	if (!memchr(elf.loader, '\0', sizeof(elf.loader)))
		abort();
	if (elf.kind == ELF_NATIVE && elf.bits != 64)
		abort();
	if ((elf.kind == ELF_NONE || elf.kind == ELF_FOREIGN) && (elf.loader[0] || elf.is_go))
		abort();
	return 0;
}
