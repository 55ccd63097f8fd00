/* Any bytes as a script, and as the words of an env. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct words *w)
{
	size_t all = 0;

	if (w->count > WORDS_MAX || w->used > WORDS_TEXT_MAX)
		abort();
	for (unsigned i = 0; i < w->count; i++)
		all += strlen(w->at[i]);
	if (all == 0 && w->count == WORDS_MAX)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "script", one[] = "one", two[] = "-two";
	char *argv[] = {name, one, two, NULL};
	const char *bytes = (const char *)data;
	struct words w;

	words_init(&w, argv);
	if (words_interpret(&w, bytes, size < 256 ? size : 256, "/path"))
		check(&w);
	for (unsigned step = 0; step < 8 && w.count > 0 && words_skip_env(&w); step++)
		check(&w);

	words_init(&w, argv);
	for (unsigned step = 0; step < 8 && words_exec(&w, bytes, size); step++)
		check(&w);
	return 0;
}
