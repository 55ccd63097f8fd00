#include "shim/libdl.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sys/glibc.h"

/*
 * Before glibc 2.34 a program that never loaded libdl has no dlsym. Its libc has a
 * private way to load a library, used for iconv and NSS. A private symbol can't be
 * linked to without tying the library to one glibc, so it is looked up by hand in
 * libc's own symbol table. None of this runs where dlsym is there.
 */

enum { LOAD_MODE = RTLD_NOW | (int)0x80000000u }; /* glibc's __RTLD_DLOPEN */

typedef ElfW(Sym) elf_sym;
typedef ElfW(Dyn) elf_dyn;
typedef ElfW(Phdr) elf_phdr;

typedef void *open_fn(const char *file, int mode);
typedef void *sym_fn(void *handle, const char *name);

struct table {
	const elf_sym *symbols;
	const char *strings;
	const uint32_t *hash; /* DT_GNU_HASH */
};

struct search {
	const char *name;
	void *found;
};

static uint32_t
gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* glibc relocates the pointers of the dynamic section where it stands. */
static struct table
table_of(const elf_dyn *dyn)
{
	struct table table = {0};

	for (; dyn->d_tag != DT_NULL; dyn++) {
		const void *at = (const void *)dyn->d_un.d_ptr;

		if (dyn->d_tag == DT_SYMTAB)
			table.symbols = at;
		else if (dyn->d_tag == DT_STRTAB)
			table.strings = at;
		else if (dyn->d_tag == DT_GNU_HASH)
			table.hash = at;
	}
	return table;
}

static const elf_sym *
table_find(const struct table *table, const char *name)
{
	uint32_t buckets = table->hash[0];
	uint32_t first = table->hash[1];
	uint32_t bloom_words = table->hash[2];
	const uint32_t *bucket = table->hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	uint32_t want = gnu_hash(name);
	uint32_t i = bucket[want % buckets];

	if (i < first)
		return NULL;
	for (;; i++) {
		const elf_sym *symbol = &table->symbols[i];
		uint32_t hash = chain[i - first];

		if ((hash | 1) == (want | 1) && strcmp(table->strings + symbol->st_name, name) == 0)
			return symbol;
		if (hash & 1)
			return NULL;
	}
}

static bool
is_libc(const char *path)
{
	const char *base = path ? strrchr(path, '/') : NULL;

	return base && strcmp(base, "/libc.so.6") == 0;
}

static int
search_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;

	(void)size;
	if (!is_libc(object->dlpi_name))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const elf_phdr *header = &object->dlpi_phdr[i];
		struct table table;
		const elf_sym *symbol;

		if (header->p_type != PT_DYNAMIC)
			continue;
		table = table_of((const void *)(object->dlpi_addr + header->p_vaddr));
		if (!table.symbols || !table.strings || !table.hash)
			continue;
		symbol = table_find(&table, search->name);
		if (symbol && symbol->st_shndx != SHN_UNDEF)
			search->found = (void *)(object->dlpi_addr + symbol->st_value);
	}
	return 1;
}

static void *
find_in_libc(const char *name)
{
	struct search search = {.name = name};

	dl_iterate_phdr(search_object, &search);
	return search.found;
}

static void *
load(const char *file)
{
	open_fn *open_private = (open_fn *)find_in_libc("__libc_dlopen_mode");

	return open_private ? open_private(file, LOAD_MODE) : NULL;
}

static void *
sym_in(void *handle, const char *name)
{
	sym_fn *sym_private = (sym_fn *)find_in_libc("__libc_dlsym");

	return handle && sym_private ? sym_private(handle, name) : NULL;
}

/* Two threads that both get here load the same library: the handle is one. */
static void *
loaded_libdl(void)
{
	static _Atomic(void *) libdl;
	void *handle = atomic_load_explicit(&libdl, memory_order_acquire);

	if (!handle) {
		handle = load("libdl.so.2");
		atomic_store_explicit(&libdl, handle, memory_order_release);
	}
	return handle;
}

void *
libdl_sym(void *handle, const char *name)
{
	static _Atomic(sym_fn *) loaded_sym;
	sym_fn *sym = dlsym;
	void *found;

	if (sym)
		return sym(handle, name);
	sym = atomic_load_explicit(&loaded_sym, memory_order_acquire);
	if (!sym) {
		sym = (sym_fn *)sym_in(loaded_libdl(), "dlsym");
		atomic_store_explicit(&loaded_sym, sym, memory_order_release);
	}
	found = sym ? sym(handle, name) : NULL;
	if (!found && handle == RTLD_NEXT)
		found = sym_in(loaded_libdl(), name);
	return found;
}
