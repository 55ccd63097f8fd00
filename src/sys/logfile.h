/*
 * Where the log's lines go: stderr, or a file that the log keeps open out of the
 * program's way (see log.h).
 *
 * The descriptor is never 0-2 and is closed on exec.  It is written to only while
 * it is the very file that was opened; else the path is opened again.  No locks:
 * threads that open at once agree on one descriptor and close the others.  A vfork
 * child, which shares the memory but not the descriptors, leaves no trace in
 * either.
 */
#ifndef SYS_LOGFILE_H
#define SYS_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Chooses the file, and opens it: NULL is the stderr of now, which is not kept
 * open; each %p in path is the pid of the one who writes.  Called once, before other
 * threads log.  False: the path is too long or its directory cannot be known, and
 * the choice is stderr.  A file that cannot be opened now is tried with each line.
 */
bool logfile_open(const char *path);

/*
 * Writes one line with one write(2), or drops it: where there is no file, a pipe is
 * full that must not block, or a signal came first.  A reader that has gone away
 * does not become a SIGPIPE.
 */
void logfile_write(const char *line, size_t len);

/*
 * This thread has left the program's table of descriptors: its lines still go where
 * the others' do.  One thread at a time; it reads no thread-local variable.
 */
void logfile_stand_apart(void);

/* 0: a line would find its file now; else -errno. */
int logfile_check(void);

#endif
