/*
 * RTLD_DEEPBIND lets a library find its symbols in itself and in what it needs, before
 * all that is preloaded: its calls pass the hooks, as those of PHP's extensions do.
 *
 * dlopen() learns from its return address which object calls, and looks for files by
 * that one's $ORIGIN and RUNPATH and in its namespace.  So the hook jumps there instead
 * of calling it, which no compiler promises to do.  dlmopen() is left alone: but for
 * LM_ID_BASE it loads into a namespace that has no hooks.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "shim/gate.h"
#include "shim/hooks.h"
#include "shim/init.h"

#if defined(RTLD_DEEPBIND) && (defined(__x86_64__) && defined(__LP64__) || defined(__aarch64__))

typedef void *open_object(const char *, int);

/* As the calling conventions return two words: in rax and rdx, in x0 and x1. */
struct jump {
	open_object *to;
	long mode;
};

struct jump dlopen_jump(const char *file, int mode);

static void *
open_nothing(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

__attribute__((used)) struct jump
dlopen_jump(const char *file, int mode)
{
	(void)file;
	/* Finding one later would take away the text that dlerror() gave or will give. */
	if (real.dlopen == NULL)
		real_find_all();

	struct jump jump = {real.dlopen ? real.dlopen : open_nothing, mode};

	if ((mode & RTLD_DEEPBIND) == 0)
		return jump;
	init_now();
	if (gate_rules() != NULL)
		jump.mode &= ~(long)RTLD_DEEPBIND;
	return jump;
}

/* The frame is the hook's for as long as it calls, and gone when it jumps. */
/* clang-format off */
#ifdef __x86_64__
#define JUMP                              \
	"	endbr64\n"                \
	"	push	%rdi\n"           \
	"	.cfi_def_cfa_offset 16\n" \
	"	sub	$16, %rsp\n"      \
	"	.cfi_def_cfa_offset 32\n" \
	"	call	dlopen_jump\n"    \
	"	add	$16, %rsp\n"      \
	"	.cfi_def_cfa_offset 16\n" \
	"	pop	%rdi\n"           \
	"	.cfi_def_cfa_offset 8\n"  \
	"	mov	%edx, %esi\n"     \
	"	jmp	*%rax\n"
#else
/* hint 34 is "bti c"; a jump by x16 may land on one as a call may. */
#define JUMP                                   \
	"	hint	34\n"                  \
	"	stp	x29, x30, [sp, -32]!\n"\
	"	.cfi_def_cfa_offset 32\n"      \
	"	.cfi_offset 29, -32\n"         \
	"	.cfi_offset 30, -24\n"         \
	"	mov	x29, sp\n"             \
	"	str	x0, [sp, 16]\n"        \
	"	bl	dlopen_jump\n"         \
	"	mov	x16, x0\n"             \
	"	ldr	x0, [sp, 16]\n"        \
	"	ldp	x29, x30, [sp], 32\n"  \
	"	.cfi_restore 30\n"             \
	"	.cfi_restore 29\n"             \
	"	.cfi_def_cfa_offset 0\n"       \
	"	br	x16\n"
#endif

__asm__("	.pushsection .text.dlopen, \"ax\", %progbits\n"
	"	.globl	dlopen\n"
	"	.type	dlopen, %function\n"
	"	.p2align 4\n"
	"dlopen:\n"
	"	.cfi_startproc\n"
	JUMP
	"	.cfi_endproc\n"
	"	.size	dlopen, .-dlopen\n"
	"	.popsection\n");
/* clang-format on */

#endif

/* What was found in a library holds until it is unloaded. */
EXPORT int
dlclose(void *handle)
{
	int result = REAL(dlclose)(handle);

	real_unloaded();
	return result;
}
