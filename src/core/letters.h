/* Words of protocols, which are ASCII and mean the same in any case. */
#ifndef CORE_LETTERS_H
#define CORE_LETTERS_H

#include "core/settings.h"

/* word is in small letters.  Whether text begins with it, ends with it, is it. */
bool letters_begin(struct span text, const char *word);
bool letters_end(struct span text, const char *word);
bool letters_are(struct span text, const char *word);

#endif
