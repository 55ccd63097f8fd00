#include "core/near.h"

#include <string.h>

#define WORD_MAX 24 /* no known word is longer */

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static char
fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '-' ? '_' : c;
}

/* The optimal string alignment distance; both are at most WORD_MAX long. */
static unsigned
distance(struct span a, const char *b, size_t b_len)
{
	unsigned rows[3][WORD_MAX + 1];

	for (unsigned j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a.len; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3];
		const unsigned *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			char x = fold(a.at[i - 1]), y = fold(b[j - 1]);
			unsigned d = least(above[j], row[j - 1]) + 1;

			d = least(d, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == fold(b[j - 2]) && fold(a.at[i - 2]) == y)
				d = least(d, two_above[j - 2] + 1);
			row[j] = d;
		}
	}
	return rows[a.len % 3][b_len];
}

void
near_offer(struct near *n, struct span typed, const char *word)
{
	size_t len = strlen(word);

	if (typed.len == 0 || typed.len > WORD_MAX || len > WORD_MAX)
		return;
	unsigned limit = typed.len < 6 ? 1 : typed.len / 3;
	unsigned d = distance(typed, word, len);

	if (d <= limit && (n->word == NULL || d < n->distance)) {
		n->word = word;
		n->distance = d;
	}
}
