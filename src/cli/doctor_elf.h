/*
 * What an ELF file says of how it is started: for which machine it is, which loader it
 * names, and whether Go made it.  Pure: the bytes are read by the caller's function.
 */
#ifndef CLI_DOCTOR_ELF_H
#define CLI_DOCTOR_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_LOADER_MAX 1024

enum elf_kind {
	ELF_NONE,    /* no ELF file */
	ELF_BROKEN,  /* cut short, or contradicts itself: the kernel takes no such file */
	ELF_FOREIGN, /* for another machine: only bits and machine are set */
	ELF_NATIVE,  /* for the machine that this command was built for */
};

struct elf_source {
	/* Gives how many of the size bytes at that place are there; fewer: the end. */
	size_t (*read)(void *context, uint64_t at, void *out, size_t size);
	void *context;
};

struct elf {
	enum elf_kind kind;
	unsigned bits;	  /* 32 or 64 */
	uint16_t machine; /* EM_ of <elf.h> */
	bool is_go;
	char loader[ELF_LOADER_MAX]; /* "": none, it is static */
};

void elf_look(const struct elf_source *source, struct elf *out);

/* The usual name of a machine, such as "aarch64"; NULL: not among the known ones. */
const char *elf_machine_name(uint16_t machine);

#endif
