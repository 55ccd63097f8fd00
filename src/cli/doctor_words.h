/*
 * The words by which a program is started, and what takes their place when the program
 * turns out to be a script or one that starts another.  Pure.
 */
#ifndef CLI_DOCTOR_WORDS_H
#define CLI_DOCTOR_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_MAX 64 /* what is behind the last one is left out */
#define WORDS_TEXT_MAX 16384

struct words {
	const char *at[WORDS_MAX];
	unsigned count;
	char text[WORDS_TEXT_MAX]; /* those that were not given as they are */
	size_t used;
};

void words_init(struct words *w, char *const argv[]);

/*
 * Puts what the kernel starts for a script before the words: the interpreter and its
 * argument from head, the first len bytes of the script, and its path in place of the
 * first word.  False: head has no such line.  path must stay as long as w.
 */
bool words_interpret(struct words *w, const char *head, size_t len, const char *path);

/* Of an env(1) leaves the words of the program that it starts; false: it starts none. */
bool words_skip_env(struct words *w);

/*
 * The same of a program called base that starts another one and is nothing else: nohup(1),
 * timeout(1) and their like, or glibc's loader.  False: it is another, or starts none.
 */
bool words_skip_starter(struct words *w, const char *base);

/*
 * Where the last command of a shell script is an exec of a program that it names without
 * expansions: replaces the words by those of that line.  False: it is not; they stay.
 */
bool words_exec(struct words *w, const char *script, size_t len);

/* Whether the word is among them behind the first. */
bool words_have(const struct words *w, const char *word);

#endif
