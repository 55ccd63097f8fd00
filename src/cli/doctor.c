#include "cli/doctor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor_elf.h"
#include "cli/doctor_find.h"
#include "cli/doctor_libs.h"
#include "cli/doctor_tls.h"
#include "core/text.h"

#define EXIT_NOT_FOUND 127

#define SOCKETS_ONLY                                                                               \
	"refused and broken connections, time-outs and silence are seen, the status of an "        \
	"https answer is not"

static void __attribute__((format(printf, 3, 4)))
judge(struct diagnosis *d, int status, const char *format, ...)
{
	struct text t = text_over(d->reason, sizeof(d->reason));
	va_list args;

	va_start(args, format);
	text_vformat(&t, format, args);
	va_end(args);
	d->status = status;
}

static void __attribute__((format(printf, 2, 3)))
remark(struct diagnosis *d, const char *format, ...)
{
	size_t len = strlen(d->remarks);
	struct text t = text_over(d->remarks + len, sizeof(d->remarks) - len);
	va_list args;

	va_start(args, format);
	text_vformat(&t, format, args);
	va_end(args);
	text_string(&t, "\n");
}

static bool
has_loader_of_glibc(const struct found *f)
{
	return strncmp(find_base(f->elf.loader), "ld-linux", 8) == 0;
}

static void
judge_machine(const struct found *f, struct diagnosis *d)
{
	const char *name = elf_machine_name(f->elf.machine);

	judge(d, DOCTOR_NOT, "it is for another machine (%u bit, %s) than the library", f->elf.bits,
	      name ? name : "unknown");
}

/* Why the library is not loaded at all.  False: it is. */
static bool
judge_loading(const struct found *f, struct diagnosis *d)
{
	const char *privilege;

	if (f->status)
		judge(d, f->status, "'%s': %s", f->path, f->error);
	else if (f->wrapper)
		judge(d, DOCTOR_NOT, "%s", f->wrapper);
	else if (f->elf.kind == ELF_FOREIGN)
		judge_machine(f, d);
	else if (f->elf.loader[0] == '\0')
		judge(d, DOCTOR_NOT,
		      "it is a static program%s, and no loader adds the library to it",
		      f->elf.is_go ? " of Go" : "");
	else if (access(f->elf.loader, F_OK) != 0)
		judge(d, EXIT_NOT_FOUND, "'%s' needs the loader %s, which is not found", f->path,
		      f->elf.loader);
	else if (strncmp(find_base(f->elf.loader), "ld-musl", 7) == 0)
		judge(d, DOCTOR_NOT, "its C library is musl, and the library is for glibc");
	else if (!has_loader_of_glibc(f))
		judge(d, DOCTOR_NOT, "its loader '%s' is not that of glibc", f->elf.loader);
	else if ((privilege = find_privilege(f)) != NULL)
		judge(d, DOCTOR_NOT,
		      "it gains privileges (%s), and the loader then adds nothing to it",
		      privilege);
	else
		return false;
	if (d->status == DOCTOR_NOT && f->elf.kind == ELF_NATIVE && !f->elf.loader[0])
		remark(d, "What it starts is seen where it hands on the environment that it has.");
	return true;
}

struct libs {
	struct tls_libs tls;
	struct tls_marks marks; /* of the first one that has any and comes with the program */
	char missing[TLS_NAME_MAX], sanitizer[DOCTOR_REASON_MAX / 2];
	bool is_java, are_listed;
};

static void
copy(char *out, size_t size, const char *s)
{
	struct text t = text_over(out, size);

	text_string(&t, s);
}

static bool
is_of_the_system(const char *path)
{
	return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0 || path[0] != '/';
}

static void
look_into(const char *path, struct tls_marks *marks)
{
	struct found f = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};

	if (f.fd < 0)
		return;
	tls_look(&(struct elf_source){find_read, &f}, marks);
	close(f.fd);
}

static void
on_library(void *context, const char *name, const char *path)
{
	struct libs *libs = context;

	if (!path)
		copy(libs->missing, sizeof(libs->missing), name);
	else if (strncmp(name, "libasan.so", 10) == 0)
		copy(libs->sanitizer, sizeof(libs->sanitizer), path);
	else if (strncmp(name, "libjli.so", 9) == 0)
		libs->is_java = true;
	else if (!libs->marks.built_in && !is_of_the_system(path))
		look_into(path, &libs->marks);
	tls_library(&libs->tls, name);
}

/* TLS of which nothing passes the hooks.  False: there is none that is known. */
static bool
judge_hidden_tls(const struct tls_marks *marks, const struct libs *libs,
		 const struct tls_program *known, struct diagnosis *d)
{
	const char *built_in = marks->built_in ? marks->built_in : libs->marks.built_in;
	const char *where = known && !known->is_seen ? known->where : NULL;

	if (libs->is_java)
		where = "JSSE";
	if (libs->tls.unknown[0])
		judge(d, DOCTOR_IN_PART, "its TLS is that of %s: " SOCKETS_ONLY, libs->tls.unknown);
	else if (built_in)
		judge(d, DOCTOR_IN_PART, "its TLS is its own (%s): " SOCKETS_ONLY, built_in);
	else if (where)
		judge(d, DOCTOR_IN_PART, "its TLS is its own (%s): " SOCKETS_ONLY, where);
	else if (known && !known->is_seen)
		judge(d, DOCTOR_IN_PART, "its TLS is its own: " SOCKETS_ONLY);
	else
		return false;
	return true;
}

static void
judge_tls(const struct tls_marks *marks, const struct libs *libs, const struct tls_program *known,
	  struct diagnosis *d)
{
	const char *tls = libs->tls.known[0] ? libs->tls.known : "its own TLS";

	if (libs->tls.curl[0])
		judge(d, DOCTOR_FULLY, "it calls libc, %s and %s", libs->tls.curl, tls);
	else if (libs->tls.known[0])
		judge(d, DOCTOR_FULLY, "it calls libc and %s", tls);
	else if (judge_hidden_tls(marks, libs, known, d))
		return;
	else if (known)
		judge(d, DOCTOR_FULLY, "it calls libc, and %s", known->where);
	else if (marks->loaded)
		judge(d, DOCTOR_IN_PART,
		      "it names %s without being linked to it: what it finds there by dlsym is "
		      "not seen, the sockets below are",
		      marks->loaded);
	else
		judge(d, DOCTOR_FULLY, "it calls libc, and no TLS is in it");
}

static void
judge_libraries(const struct found *f, struct diagnosis *d)
{
	const struct tls_program *known = tls_known_program(find_base(f->path));
	struct tls_marks marks = {0};
	struct libs libs = {0};

	libs.are_listed = libs_list(f->path, on_library, &libs);
	if (!libs.tls.known[0] && !libs.tls.curl[0])
		tls_look(&(struct elf_source){find_read, (void *)(uintptr_t)f}, &marks);
	if (libs.missing[0])
		judge(d, EXIT_NOT_FOUND, "'%s' needs %s, which is not found", f->path,
		      libs.missing);
	else if (libs.sanitizer[0])
		judge(d, DOCTOR_IN_PART,
		      "it is a sanitizer build, which ends where its run-time is not loaded first: "
		      "start it with LD_PRELOAD=%s",
		      libs.sanitizer);
	else if (f->elf.is_go || marks.is_go)
		judge(d, DOCTOR_IN_PART,
		      "it is a program of Go, which calls the kernel itself: at most its look-ups "
		      "by libc are seen, its connections are not");
	else
		judge_tls(&marks, &libs, known, d);
	if (!libs.are_listed)
		remark(d, "The loader does not list its libraries.");
	if (known && known->remark && d->status <= DOCTOR_IN_PART)
		remark(d, "%s", known->remark);
}

void
doctor_look(char *const argv[], struct diagnosis *out)
{
	struct found f;

	out->reason[0] = out->remarks[0] = '\0';
	find_program(argv, &f);
	if (!judge_loading(&f, out))
		judge_libraries(&f, out);
	if (out->status <= DOCTOR_NOT && strcmp(f.path, argv[0]) != 0)
		remark(out, "What runs is %s.", f.path);
	if (find_is_shell(f.path) && out->status <= DOCTOR_IN_PART)
		remark(out, "That is a shell: what it starts is a question of its own.");
	if (f.fd >= 0)
		close(f.fd);
}

bool
doctor_sees_nothing(char *const argv[], struct diagnosis *out)
{
	struct found f;

	out->reason[0] = out->remarks[0] = '\0';
	find_program(argv, &f);
	bool is_so = judge_loading(&f, out) && out->status == DOCTOR_NOT;

	if (f.fd >= 0)
		close(f.fd);
	return is_so;
}
