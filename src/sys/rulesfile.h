/*
 * The rules file: from a path to sections.
 *
 * Works before main(): memory comes from mmap, nothing is allocated, no hook is
 * met, no descriptor is left open, errno is kept.
 */
#ifndef SYS_RULESFILE_H
#define SYS_RULESFILE_H

#include "core/rules.h"

struct rulesfile {
	struct ruleset rules; /* points into the two maps */
	const char *path;     /* as it was given; "built-in" where there is no file */
	void *text, *memory;
	size_t memory_size;
};

/*
 * Loads the file; NULL is the built-in one.  False: on_error was called for each
 * thing that is wrong, with line 0 where it is the file as a whole, and nothing has
 * to be freed.  path must outlive *out.
 */
bool rulesfile_load(const char *path, struct rulesfile *out, rules_error_fn *on_error,
		    void *context);

/* The same from a descriptor of any kind, which stays open. */
bool rulesfile_load_fd(int fd, const char *path, struct rulesfile *out, rules_error_fn *on_error,
		       void *context);

void rulesfile_free(struct rulesfile *r);

#endif
