#include "core/letters.h"

#include <string.h>

static bool
is_same(const char *at, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] | 0x20) : at[i];

		if (c != word[i])
			return false;
	}
	return true;
}

bool
letters_begin(struct span text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && is_same(text.at, word, len);
}

bool
letters_end(struct span text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && is_same(text.at + text.len - len, word, len);
}

bool
letters_are(struct span text, const char *word)
{
	return text.len == strlen(word) && letters_begin(text, word);
}
