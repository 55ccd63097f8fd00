/*
 * What a program starts stays under the shim: the environment that it hands on gets
 * back LD_PRELOAD and the CUTOUT_ variables that were in force when this process
 * started.
 *
 * A variable that the new environment has is left as it is there; an LD_PRELOAD that
 * lacks the shim gets it in front.  An environment is passed on untouched when it
 * says CUTOUT_OFF=1 or CUTOUT_FOLLOW=0, when the shim's file is not to be found any
 * more (a chroot), and when a copy of it would not fit in FOLLOW_SIZE_MAX.
 *
 * But for follow_command() nothing here allocates, takes a lock or writes to other
 * memory than the caller's own: safe in signal handlers and in a vfork child.
 */
#ifndef SHIM_FOLLOW_H
#define SHIM_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#define FOLLOW_SIZE_MAX (64 * 1024)

/*
 * Notes what has to be put back, if envp has CUTOUT_FOLLOW=1; once, at the start.
 * own_name is where the linker found the shim.  NULL, or why following is off.
 */
const char *follow_init(char *const envp[], const char *own_name);

struct follow_plan {
	char *const *from;
	size_t entries;	     /* in from */
	const char *preload; /* from's LD_PRELOAD; NULL: it has none */
	uint32_t missing;    /* which of the noted variables have to be written */
	size_t size;	     /* that follow_write() needs; 0: from is passed as it is */
};

/* What to do with an environment; envp may be NULL. */
struct follow_plan follow_plan(char *const envp[]);

/*
 * The environment to pass on, which is made in room, for as long as the other one
 * lives; what is put back comes last.
 */
char *const *follow_write(const struct follow_plan *plan, void *room);

/*
 * A command for sh(1) that runs command as sh would, in a shell that has what the plan
 * puts into env.  The caller frees it.  NULL: there is no room for it.
 */
char *follow_command(const struct follow_plan *plan, char *const *env, const char *command);

#endif
