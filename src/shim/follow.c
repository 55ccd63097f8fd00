#include "shim/follow.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/atomics.h"
#include "core/preloads.h"
#include "core/text.h"
#include "shim/hooks.h"
#include "sys/raw.h"

#define PRELOAD "LD_PRELOAD="
#define OURS "CUTOUT_"
#define VARIABLES_MAX 32
#define POOL_SIZE (20 * 1024)
/* What the kernel takes as one argument, see execve(2). */
#define ARGUMENT_MAX (128 * 1024)

static const char too_long[] =
	"LD_PRELOAD and the CUTOUT_ variables are too long, started programs are not followed";
static const char not_held[] =
	"LD_PRELOAD cannot hold the path of the library, started programs are not followed";

/* Written once, before on is set. */
static struct {
	atomic_u32 on;
	unsigned count;
	char *variables[VARIABLES_MAX]; /* NAME=VALUE; the first one is LD_PRELOAD */
	const char *library;		/* in it, and its end */
	char pool[POOL_SIZE];
} kept;

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* The length of the name that the shell can have too; 0: it is none. */
static size_t
name_length(const char *entry)
{
	size_t len = strspn(entry, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789_");

	return entry[len] == '=' ? len : 0;
}

static bool
has_name_of(const char *entry, const char *variable)
{
	return strncmp(entry, variable, name_length(variable) + 1) == 0;
}

static const char *
base_of(const char *path, size_t *len)
{
	const char *slash = memrchr(path, '/', *len);
	const char *base = slash ? slash + 1 : path;

	*len -= (size_t)(base - path);
	return base;
}

/* The entry of the list that is the library; NULL: none, or there is no list. */
static const char *
entry_of(const char *list, const char *library)
{
	size_t own_len = strlen(library), entry_len;
	const char *own = base_of(library, &own_len);
	const char *entry = preloads_entry(list ? list : "", &entry_len);

	for (; entry_len; entry = preloads_entry(entry + entry_len, &entry_len)) {
		size_t len = entry_len;
		const char *base = base_of(entry, &len);

		if (len == own_len && memcmp(base, own, len) == 0)
			return entry;
	}
	return NULL;
}

/* The last one counts for the loader. */
static const char *
preload_in(char *const envp[])
{
	const char *found = NULL;

	for (; envp && *envp; envp++)
		if (begins(*envp, PRELOAD))
			found = *envp + strlen(PRELOAD);
	return found;
}

/* Ends the text as a variable of its own.  False: it was cut off, or is one too many. */
static bool
keep(struct text *t)
{
	if (kept.count == VARIABLES_MAX || t->len == t->size - 1)
		return false;
	kept.variables[kept.count++] = t->at;
	*t = text_over(t->at + t->len + 1, t->size - t->len - 1);
	return true;
}

static bool
is_plain(const char *entry, size_t len)
{
	return entry[0] == '/' && memchr(entry, '$', len) == NULL;
}

/*
 * LD_PRELOAD with the library as its last entry, by a path that is good everywhere.
 * What stood before it comes with it: it may be what the library itself needs.
 */
static void
form_preload(struct text *t, const char *list, const char *own_name)
{
	const char *entry = entry_of(list, own_name);
	char directory[PATH_MAX];
	size_t len = 0;

	text_string(t, PRELOAD);
	if (entry) {
		text_bytes(t, list, (size_t)(entry - list));
		preloads_entry(entry, &len);
	}
	kept.library = t->at + t->len;
	if (entry && is_plain(entry, len)) {
		text_bytes(t, entry, len);
		return;
	}
	if (own_name[0] != '/' && getcwd(directory, sizeof(directory))) {
		text_string(t, directory);
		text_string(t, "/");
	}
	text_string(t, own_name);
}

static bool
is_kept(const char *entry)
{
	for (unsigned i = 0; i < kept.count; i++)
		if (has_name_of(entry, kept.variables[i]))
			return true;
	return false;
}

static bool
follows(char *const envp[])
{
	for (; envp && *envp; envp++)
		if (begins(*envp, "CUTOUT_FOLLOW="))
			return strcmp(*envp, "CUTOUT_FOLLOW=1") == 0;
	return false;
}

const char *
follow_init(char *const envp[], const char *own_name)
{
	struct text t = text_over(kept.pool, sizeof(kept.pool));

	store_release(&kept.on, 0);
	kept.count = 0;
	if (!follows(envp))
		return NULL;
	if (!own_name)
		return not_held;
	form_preload(&t, preload_in(envp), own_name);
	if (!keep(&t))
		return too_long;
	if (kept.library[0] != '/' || !preloads_can_hold(kept.library))
		return not_held;
	for (; *envp; envp++) {
		if (!begins(*envp, OURS) || !name_length(*envp) || is_kept(*envp))
			continue;
		text_string(&t, *envp);
		if (!keep(&t))
			return too_long;
	}
	store_release(&kept.on, 1);
	return NULL;
}

/* False: it says that the shim has to keep out. */
static bool
look_at(struct follow_plan *plan, const char *entry)
{
	if (begins(entry, PRELOAD))
		plan->preload = entry + strlen(PRELOAD);
	if (!begins(entry, OURS))
		return true;
	for (unsigned i = 1; i < kept.count; i++)
		if (has_name_of(entry, kept.variables[i]))
			plan->missing &= ~(UINT32_C(1) << i);
	return strcmp(entry, "CUTOUT_OFF=1") != 0 && strcmp(entry, "CUTOUT_FOLLOW=0") != 0;
}

/* The loader complains of a library that it cannot open. */
static bool
can_be_loaded(const char *library)
{
	return raw_call(SYS_faccessat, AT_FDCWD, (long)(uintptr_t)library, R_OK, 0, 0, 0) == 0;
}

static bool
is_joined(const struct follow_plan *plan)
{
	return (plan->missing & 1) != 0 && plan->preload != NULL;
}

static size_t
added(const struct follow_plan *plan)
{
	return (size_t)__builtin_popcount(plan->missing);
}

static size_t
array_size(const struct follow_plan *plan)
{
	return (plan->entries + added(plan) + 1) * sizeof(char *);
}

static size_t
size_of(const struct follow_plan *plan)
{
	size_t size = array_size(plan);

	if (is_joined(plan))
		size += strlen(kept.variables[0]) + strlen(plan->preload) + PRELOADS_JOINED_EXTRA;
	return size <= FOLLOW_SIZE_MAX ? size : 0;
}

struct follow_plan
follow_plan(char *const envp[])
{
	struct follow_plan plan = {.from = envp};

	if (load_acquire(&kept.on) == 0 || (envp && !may_be_read(envp)))
		return plan;
	plan.missing = (uint32_t)((UINT64_C(1) << kept.count) - 1);
	for (; envp && envp[plan.entries]; plan.entries++)
		if (!may_be_read(envp[plan.entries]) || !look_at(&plan, envp[plan.entries]))
			return plan;
	if (entry_of(plan.preload, kept.library))
		plan.missing &= ~UINT32_C(1);
	if (plan.missing && (!(plan.missing & 1) || can_be_loaded(kept.library)))
		plan.size = size_of(&plan);
	return plan;
}

static char *
write_preload(const struct follow_plan *plan, char *room)
{
	struct text t = text_over(room, plan->size - array_size(plan));

	text_string(&t, PRELOAD);
	preloads_join(&t, kept.variables[0] + strlen(PRELOAD), plan->preload);
	return t.at;
}

/* Where another thread changes what was counted, no more than that is read. */
char *const *
follow_write(const struct follow_plan *plan, void *room)
{
	char **out = room, *preload = kept.variables[0];
	bool joined = is_joined(plan);
	size_t n = 0;

	if (plan->size == 0)
		return plan->from;
	if (joined)
		preload = write_preload(plan, (char *)room + array_size(plan));
	for (size_t i = 0; i < plan->entries && plan->from[i]; i++)
		if (!joined || !begins(plan->from[i], PRELOAD))
			out[n++] = plan->from[i];
	for (unsigned i = 0; i < kept.count; i++)
		if (plan->missing & UINT32_C(1) << i)
			out[n++] = i == 0 ? preload : kept.variables[i];
	out[n] = NULL;
	return out;
}

static void
quote(struct text *t, const char *s)
{
	const char *mark;

	text_string(t, " '");
	for (; (mark = strchr(s, '\'')) != NULL; s = mark + 1) {
		text_bytes(t, s, (size_t)(mark - s));
		text_string(t, "'\\''");
	}
	text_string(t, s);
	text_string(t, "'");
}

/* With room for each character's being a quote. */
static size_t
quoted_size(const char *s)
{
	return 4 * strlen(s) + sizeof(" ''");
}

char *
follow_command(const struct follow_plan *plan, char *const *env, const char *command)
{
	static const char begin[] = "export", then[] = "; exec /bin/sh -c --", end[] = " sh";
	size_t size = sizeof(begin) + sizeof(then) + sizeof(end) + quoted_size(command);
	char *const *last = env;

	while (*last)
		last++;
	for (size_t i = added(plan); i > 0; i--)
		size += quoted_size(last[-i]);

	char *room = malloc(size);

	if (!room)
		return NULL;
	struct text t = text_over(room, size);

	text_string(&t, begin);
	for (size_t i = added(plan); i > 0; i--)
		quote(&t, last[-i]);
	text_string(&t, then);
	quote(&t, command);
	text_string(&t, end);
	if (t.len < ARGUMENT_MAX)
		return room;
	free(room);
	return NULL;
}
