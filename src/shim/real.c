#include "shim/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/seqlock.h"
#include "shim/libdl.h"

/* A loaded object: the program, or a library. */
struct object {
	uintptr_t low, high;
	const char *name; /* the linker's own, for as long as it is loaded */
	bool is_program;
};

struct search {
	uintptr_t address; /* 0: by number */
	unsigned wanted, number;
	char *name; /* where not NULL, PATH_MAX bytes for a copy of the name */
	struct object found;
};

static struct object
object_of(const struct dl_phdr_info *info)
{
	struct object o = {UINTPTR_MAX, 0, info->dlpi_name, false};

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (low < o.low)
			o.low = low;
		if (low + segment->p_memsz > o.high)
			o.high = low + segment->p_memsz;
	}
	return o;
}

static int
on_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;
	unsigned number = s->number++;
	struct object o = object_of(info);

	(void)size;
	o.is_program = number == 0;
	if (s->address ? s->address < o.low || s->address >= o.high : number != s->wanted)
		return 0;
	if (s->name)
		snprintf(s->name, PATH_MAX, "%s", o.name);
	s->found = o;
	return 1;
}

static bool
object_at(const void *address, struct object *out)
{
	struct search s = {.address = (uintptr_t)address};

	if (dl_iterate_phdr(on_object, &s) == 0)
		return false;
	*out = s.found;
	return true;
}

static bool
is_own(const void *function)
{
	struct object own, other;

	return object_at(&real, &own) && object_at(function, &other) && own.low == other.low;
}

bool
real_is_of_libc(const void *function)
{
	struct object home;

	if (!object_at(function, &home))
		return false;
	const char *slash = strrchr(home.name, '/'), *base = slash ? slash + 1 : home.name;

	/* Before 2.34 libpthread had some of them, and the files were called libc-2.31.so. */
	return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-", 5) == 0 ||
	       strncmp(base, "libpthread", 10) == 0;
}

const char *
real_own_name(void)
{
	struct object own;

	return object_at(&real, &own) && own.name[0] ? own.name : NULL;
}

/* What the object of that name, or one that it needs, defines. */
static void *
look_in(const char *object, const char *name)
{
	void *(*open_object)(const char *, int) = libdl_sym(RTLD_NEXT, "dlopen");
	int (*close_object)(void *) = libdl_sym(RTLD_NEXT, "dlclose");
	void *handle =
		open_object && close_object ? open_object(object, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	void *found = handle ? libdl_sym(handle, name) : NULL;

	if (handle)
		close_object(handle);
	return found && !is_own(found) ? found : NULL;
}

/*
 * The first object that defines it itself.  The linker holds a lock while it shows its
 * objects, under which none may be opened: so they are asked for one by one.
 */
static void *
look_everywhere(const char *name)
{
	char object[PATH_MAX];
	struct object home;
	void *found;

	for (unsigned n = 1;; n++) {
		struct search s = {.wanted = n, .name = object};

		if (dl_iterate_phdr(on_object, &s) == 0)
			return NULL;
		found = object[0] ? look_in(object, name) : NULL;
		if (found && object_at(found, &home) && home.low == s.found.low)
			return found;
	}
}

/* caller is not known where code was made at run time, or the shim itself calls. */
static void *
look_for(const char *name, const struct object *caller)
{
	void *found = NULL;

	if (caller && !caller->is_program)
		found = look_in(caller->name, name);
	if (!found)
		found = libdl_sym(RTLD_NEXT, name);
	return found ? found : look_everywhere(name);
}

/*
 * Each libcurl as the number of its first page and how many they are: one word, so
 * that connect() reads it whole.
 */
#define CURLS_MAX 8
#define PAGE_BITS 12
#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

static atomic_u64 curls[CURLS_MAX];

static uint64_t
pages_of(const struct object *o)
{
	uint64_t first = o->low >> PAGE_BITS;

	return first << COUNT_BITS | (((o->high - 1) >> PAGE_BITS) - first + 1);
}

int
real_is_curl(const void *caller)
{
	uint64_t page = (uintptr_t)caller >> PAGE_BITS;

	for (unsigned i = 0; i < CURLS_MAX; i++) {
		uint64_t pages = load_relaxed(&curls[i]);

		if (page - (pages >> COUNT_BITS) < (pages & COUNT_MASK))
			return 1;
	}
	return 0;
}

static void
curl_add(const void *function)
{
	struct object o;

	if (real_is_curl(function) || !object_at(function, &o))
		return;
	for (unsigned i = 0; i < CURLS_MAX; i++) {
		uint64_t free_slot = 0;

		if (cas_acq_rel(&curls[i], &free_slot, pages_of(&o)) || free_slot == pages_of(&o))
			return;
	}
}

/* Something was unloaded: a libcurl whose place holds nothing, or another size, is gone. */
static void
curls_check(void)
{
	for (unsigned i = 0; i < CURLS_MAX; i++) {
		uint64_t pages = load_relaxed(&curls[i]);
		uintptr_t low = (uintptr_t)(pages >> COUNT_BITS) << PAGE_BITS;
		struct object o;

		if (pages && !(object_at((void *)low, &o) && pages_of(&o) == pages))
			cas_acq_rel(&curls[i], &pages, 0);
	}
}

/*
 * What was found for a place in the code that calls.  It holds for as long as nothing has
 * been unloaded, which the hook of dlclose() tells: to ask the linker would take its lock.
 * A place has some ways, so that two that meet do not search at each of their calls.
 */
#define CACHE_BITS 6
#define CACHE_WAYS 4

struct finding {
	const void *caller;
	const char *name;
	void *function;
	uint64_t unloads;
	bool is_inner; /* the caller is of the object that has the function */
};

struct cached {
	atomic_u32 seq;
	atomic_u64 words[SEQ_WORDS(struct finding)];
};

static struct cached cache[1 << CACHE_BITS][CACHE_WAYS];
static atomic_u64 unloads;

static struct cached *
cache_place(const struct finding *f)
{
	uint64_t hash =
		((uintptr_t)f->caller ^ (uintptr_t)f->name << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return cache[hash >> (64 - CACHE_BITS)];
}

static bool
cache_get(struct finding *f)
{
	struct cached *c = cache_place(f);
	struct finding there;

	for (unsigned way = 0; way < CACHE_WAYS; way++) {
		if (!seq_read(&c[way].seq, c[way].words, &there, sizeof(there)) ||
		    there.caller != f->caller || there.name != f->name ||
		    there.unloads != f->unloads)
			continue;
		*f = there;
		return f->function != NULL;
	}
	return false;
}

/* In the place of what holds no longer, or of any other one. */
static void
cache_put(const struct finding *f)
{
	struct cached *c = cache_place(f);
	unsigned way = 0;
	struct finding there;

	while (way < CACHE_WAYS - 1 &&
	       (!seq_read(&c[way].seq, c[way].words, &there, sizeof(there)) ||
		(there.function != NULL && there.unloads == f->unloads)))
		way++;
	seq_write(&c[way].seq, c[way].words, f, sizeof(*f));
}

/* After an unload: what we know of the libcurls may have changed. */
static uint64_t
unloads_now(void)
{
	static atomic_u64 checked;
	uint64_t now = load_acquire(&unloads);

	if (load_relaxed(&checked) != now && swap_acq_rel(&checked, now) != now)
		curls_check();
	return now;
}

void
real_unloaded(void)
{
	add_relaxed(&unloads, 1);
}

__attribute__((noinline)) static void
search(struct finding *f)
{
	struct object object, home;
	int saved = errno;
	bool known = object_at(f->caller, &object) && !is_own(f->caller);

	f->function = look_for(f->name, known ? &object : NULL);
	f->is_inner =
		known && f->function && object_at(f->function, &home) && home.low == object.low;
	if (f->function && strncmp(f->name, "curl_", 5) == 0)
		curl_add(f->function);
	if (f->function && known)
		cache_put(f);
	errno = saved;
}

void *
real_for_whom(const char *name, const void *caller, bool *is_inner)
{
	struct finding f = {.caller = caller, .name = name, .unloads = unloads_now()};

	if (!cache_get(&f))
		search(&f);
	*is_inner = f.is_inner;
	return f.function;
}

void *
real_for(const char *name, const void *caller)
{
	bool is_inner;

	return real_for_whom(name, caller, &is_inner);
}
