/*
 * A file of another class or byte order is an answer already, so one layout is left, and
 * of that the first header, the program headers and two segments.  libelf would bring
 * itself and zlib into each "cutout run", which asks the same question.
 */
#include "cli/doctor_elf.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

#if defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#else
#define NATIVE_MACHINE EM_NONE
#endif

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define NATIVE_ORDER ELFDATA2LSB
#else
#define NATIVE_ORDER ELFDATA2MSB
#endif

#define SEGMENTS_MAX 4096   /* the kernel takes at most 64 KiB of them */
#define NOTES_SIZE_MAX 4096 /* where Go's own note stands, it is the first or second */
#define GO_NOTE_TYPE 4
static const char go_owner[4] = "Go";

static bool
get(const struct elf_source *s, uint64_t at, void *out, size_t size)
{
	return s->read(s->context, at, out, size) == size;
}

static uint16_t
half_at(const uint8_t *bytes, bool is_big)
{
	return is_big ? (uint16_t)(bytes[0] << 8 | bytes[1]) : (uint16_t)(bytes[1] << 8 | bytes[0]);
}

/* The first header but for what the layout of its class decides.  False: no program. */
static bool
look_at_ident(const uint8_t *bytes, struct elf *out)
{
	bool is_big = bytes[EI_DATA] == ELFDATA2MSB;
	uint16_t type = half_at(bytes + offsetof(Elf64_Ehdr, e_type), is_big);

	if (bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64)
		return false;
	if (!is_big && bytes[EI_DATA] != ELFDATA2LSB)
		return false;
	out->bits = bytes[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	out->machine = half_at(bytes + offsetof(Elf64_Ehdr, e_machine), is_big);
	return type == ET_EXEC || type == ET_DYN;
}

/* A name that ends in a zero within its segment. */
static bool
look_at_loader(const struct elf_source *s, const Elf64_Phdr *segment, struct elf *out)
{
	size_t size = segment->p_filesz;

	if (size < 2 || segment->p_filesz > sizeof(out->loader) ||
	    !get(s, segment->p_offset, out->loader, size) || out->loader[size - 1] != '\0') {
		out->loader[0] = '\0';
		return false;
	}
	return out->loader[0] != '\0';
}

static size_t
padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/* Notes that do not fit their segment are nobody's. */
static void
look_at_notes(const struct elf_source *s, const Elf64_Phdr *segment, struct elf *out)
{
	uint8_t notes[NOTES_SIZE_MAX];
	size_t size = segment->p_filesz < sizeof(notes) ? segment->p_filesz : sizeof(notes);
	size_t at = 0;

	size = s->read(s->context, segment->p_offset, notes, size);
	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t rest = size - at - sizeof(note);

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz == sizeof(go_owner) && note.n_type == GO_NOTE_TYPE &&
		    rest >= sizeof(go_owner) && memcmp(notes + at, go_owner, sizeof(go_owner)) == 0)
			out->is_go = true;
		if (padded(note.n_namesz) > rest ||
		    padded(note.n_descsz) > rest - padded(note.n_namesz))
			return;
		at += padded(note.n_namesz) + padded(note.n_descsz);
	}
}

/* Where the file ends before what is to be loaded of it, it dies on the way. */
static bool
is_whole(const struct elf_source *s, const Elf64_Phdr *segment)
{
	uint8_t last;

	return segment->p_filesz == 0 ||
	       (segment->p_offset < UINT64_MAX / 2 && segment->p_filesz < UINT64_MAX / 2 &&
		get(s, segment->p_offset + segment->p_filesz - 1, &last, 1));
}

static bool
look_at_segments(const struct elf_source *s, const Elf64_Ehdr *header, struct elf *out)
{
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
	    header->e_phnum > SEGMENTS_MAX || header->e_phoff > UINT64_MAX / 2)
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;

		if (!get(s, header->e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return false;
		if (segment.p_type == PT_INTERP && out->loader[0] == '\0' &&
		    !look_at_loader(s, &segment, out))
			return false;
		if (segment.p_type == PT_LOAD && !is_whole(s, &segment))
			return false;
		if (segment.p_type == PT_NOTE)
			look_at_notes(s, &segment, out);
	}
	return true;
}

void
elf_look(const struct elf_source *source, struct elf *out)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)] = {0};
	size_t size = source->read(source->context, 0, bytes, sizeof(bytes));
	Elf64_Ehdr header;

	memset(out, 0, sizeof(*out));
	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return;
	out->kind = ELF_BROKEN;
	if (size < sizeof(Elf32_Ehdr) || !look_at_ident(bytes, out))
		return;
	if (out->bits != 64 || bytes[EI_DATA] != NATIVE_ORDER || out->machine != NATIVE_MACHINE) {
		out->kind = ELF_FOREIGN;
		return;
	}
	memcpy(&header, bytes, sizeof(header));
	if (size == sizeof(header) && look_at_segments(source, &header, out))
		out->kind = ELF_NATIVE;
}

const char *
elf_machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		char name[12];
	} known[] = {
		{EM_386, "x86"},	 {EM_X86_64, "x86-64"}, {EM_ARM, "arm"},
		{EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"},	{EM_PPC64, "ppc64"},
		{EM_S390, "s390"},	 {EM_MIPS, "mips"},	{EM_LOONGARCH, "loongarch"},
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].machine == machine)
			return known[i].name;
	return NULL;
}
