/*
 * A child of vfork() runs in its parent's memory, where what it closes is none of the
 * parent's.  To know whether one may be at work costs a system call at each close, so it
 * is asked only by those who ever called this.
 *
 * vfork() returns twice from one call, so the hook jumps there, see hook_dlopen.c.
 */
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include "shim/guard.h"
#include "shim/hooks.h"

#if defined(__x86_64__) && defined(__LP64__) || defined(__aarch64__)

typedef pid_t make_child(void);

make_child *vfork_jump(void);

__attribute__((used)) make_child *
vfork_jump(void)
{
	guard_expect_vfork();
	return REAL(vfork);
}

/* clang-format off */
#ifdef __x86_64__
#define JUMP                              \
	"	endbr64\n"                \
	"	sub	$8, %rsp\n"       \
	"	.cfi_def_cfa_offset 16\n" \
	"	call	vfork_jump\n"     \
	"	add	$8, %rsp\n"       \
	"	.cfi_def_cfa_offset 8\n"  \
	"	jmp	*%rax\n"
#else
#define JUMP                                   \
	"	hint	34\n"                  \
	"	stp	x29, x30, [sp, -16]!\n"\
	"	.cfi_def_cfa_offset 16\n"      \
	"	.cfi_offset 29, -16\n"         \
	"	.cfi_offset 30, -8\n"          \
	"	mov	x29, sp\n"             \
	"	bl	vfork_jump\n"          \
	"	mov	x16, x0\n"             \
	"	ldp	x29, x30, [sp], 16\n"  \
	"	.cfi_restore 30\n"             \
	"	.cfi_restore 29\n"             \
	"	.cfi_def_cfa_offset 0\n"       \
	"	br	x16\n"
#endif

__asm__("	.pushsection .text.vfork, \"ax\", %progbits\n"
	"	.globl	vfork\n"
	"	.type	vfork, %function\n"
	"	.p2align 4\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	JUMP
	"	.cfi_endproc\n"
	"	.size	vfork, .-vfork\n"
	"	.popsection\n");
/* clang-format on */

#endif

/* What it takes further are pointers; see syscall() for reading more than were passed. */
EXPORT int
clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	void *more[3];
	va_list list;

	va_start(list, argument);
	for (unsigned i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	if ((flags & (CLONE_VM | CLONE_THREAD)) == CLONE_VM)
		guard_expect_vfork();
	return REAL(clone)(run, stack, flags, argument, more[0], more[1], more[2]);
}
