#include "cli/doctor_words.h"

#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
drop(struct words *w, unsigned n)
{
	if (n > w->count)
		n = w->count;
	w->count -= n;
	memmove(w->at, w->at + n, w->count * sizeof(w->at[0]));
}

static void
insert(struct words *w, unsigned place, const char *word)
{
	if (place >= WORDS_MAX)
		return;
	if (w->count == WORDS_MAX)
		w->count--;
	memmove(w->at + place + 1, w->at + place, (w->count - place) * sizeof(w->at[0]));
	w->at[place] = word;
	w->count++;
}

/* The bytes as a word; NULL: there is no more room. */
static const char *
keep(struct words *w, const char *bytes, size_t len)
{
	char *word = w->text + w->used;

	if (len >= sizeof(w->text) - w->used)
		return NULL;
	memcpy(word, bytes, len);
	word[len] = '\0';
	w->used += len + 1;
	return word;
}

/* A path of a file; the kernel looks for an interpreter in no PATH. */
static const char *
keep_path(struct words *w, const char *bytes, size_t len)
{
	if (len > 0 && !memchr(bytes, '/', len) && sizeof(w->text) - w->used > 2) {
		memcpy(w->text + w->used, "./", 2);
		w->used += 2;
		const char *name = keep(w, bytes, len);

		return name ? name - 2 : NULL;
	}
	return keep(w, bytes, len);
}

void
words_init(struct words *w, char *const argv[])
{
	w->used = 0;
	for (w->count = 0; argv[w->count] && w->count < WORDS_MAX; w->count++)
		w->at[w->count] = argv[w->count];
}

bool
words_interpret(struct words *w, const char *head, size_t len, const char *path)
{
	if (len < 3 || memcmp(head, "#!", 2) != 0)
		return false;
	const char *at = head + 2, *end = memchr(at, '\n', len - 2);

	end = end ? end : head + len;
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	const char *name_end = at;

	while (name_end < end && *name_end && !is_blank(*name_end))
		name_end++;
	const char *argument = name_end;

	while (argument < end && is_blank(*argument))
		argument++;
	const char *interpreter = keep_path(w, at, (size_t)(name_end - at));
	const char *one = keep(w, argument, (size_t)(end - argument));

	if (!interpreter || !one || !*interpreter)
		return false;
	drop(w, 1);
	insert(w, 0, path);
	if (*one)
		insert(w, 0, one);
	insert(w, 0, interpreter);
	return true;
}

/* Where a shell ends a command. */
static bool
ends_command(char c)
{
	return c == '\0' || c == '\n' || strchr(";|&<>()", c) != NULL;
}

/* A line that goes on in the next one. */
static bool
is_joint(const char *s, const char *end)
{
	return *s == '\\' && s + 1 < end && s[1] == '\n';
}

/*
 * The next word of a command at *at, without its quotes; expansions are left as they are.
 * NULL: the command is over, or there is no more room.
 */
static const char *
next_word(struct words *w, const char **at, const char *end)
{
	char *word = w->text + w->used, *out = word, *last = w->text + sizeof(w->text) - 1;
	const char *s = *at;
	char quote = '\0';

	while (s < end && (is_blank(*s) || is_joint(s, end)))
		s += is_blank(*s) ? 1 : 2;
	if (s == end || ends_command(*s) || *s == '#')
		return NULL;
	for (; s < end && *s && out < last; s++) {
		if (!quote && (ends_command(*s) || is_blank(*s)))
			break;
		if (quote != '\'' && is_joint(s, end))
			s++;
		else if (*s == quote)
			quote = '\0';
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (*s == '\\' && quote != '\'' && s + 1 < end && s[1])
			*out++ = *++s;
		else
			*out++ = *s;
	}
	if (out >= last)
		return NULL;
	*out = '\0';
	w->used += (size_t)(out - word) + 1;
	*at = s;
	return word;
}

/* Puts the words of the text before the others. */
static void
split(struct words *w, const char *text)
{
	const char *word, *end = text + strlen(text);

	for (unsigned place = 0; (word = next_word(w, &text, end)) != NULL; place++)
		insert(w, place, word);
}

/* The option at the front, with its value; its letter is the last one looked at. */
static void
skip_letters(struct words *w)
{
	for (const char *letter = w->at[0] + 1; *letter; letter++) {
		const char *value = letter[1] ? letter + 1 : w->count > 1 ? w->at[1] : "";
		unsigned taken = letter[1] ? 1 : 2;

		if (!strchr("uCaS", *letter))
			continue;
		char option = *letter;

		drop(w, taken);
		if (option == 'S')
			split(w, value);
		return;
	}
	drop(w, 1);
}

static void
skip_long(struct words *w)
{
	static const char split_option[] = "--split-string";
	const char *word = w->at[0], *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : strlen(word);
	bool splits = len == strlen(split_option) && memcmp(word, split_option, len) == 0;
	bool takes = splits || strcmp(word, "--unset") == 0 || strcmp(word, "--chdir") == 0 ||
		     strcmp(word, "--argv0") == 0;

	if (value)
		value++;
	else if (takes && w->count > 1)
		value = w->at[1];
	drop(w, takes && !strchr(word, '=') ? 2 : 1);
	if (splits && value)
		split(w, value);
}

bool
words_skip_env(struct words *w)
{
	bool options = true;

	drop(w, 1);
	while (w->count > 0) {
		const char *word = w->at[0];

		if (options && strcmp(word, "--") == 0) {
			options = false;
			drop(w, 1);
		} else if (options && strncmp(word, "--", 2) == 0) {
			skip_long(w);
		} else if (options && word[0] == '-') {
			skip_letters(w);
		} else if (strchr(word, '=')) {
			options = false;
			drop(w, 1);
		} else {
			break;
		}
	}
	return w->count > 0;
}

#define LONGS_MAX 6

/* Which words of such a program come before those of the one that it starts. */
struct starter {
	char name[10];
	char letters[8];	      /* of options with a value */
	unsigned operands;	      /* that are no options */
	const char *longs[LONGS_MAX]; /* options with a value in a word of its own */
};

static const struct starter starters[] = {
	{"nohup", "", 0, {NULL}},
	{"setsid", "", 0, {NULL}},
	{"nice", "n", 0, {"--adjustment"}},
	{"timeout", "ks", 1, {"--kill-after", "--signal"}},
	{"stdbuf", "ioe", 0, {"--input", "--output", "--error"}},
	{"time", "fo", 0, {"--format", "--output"}},
	{"ld-linux",
	 "",
	 0,
	 {"--library-path", "--preload", "--argv0", "--audit", "--inhibit-rpath",
	  "--glibc-hwcaps-prepend"}},
};

static const struct starter *
starter_of(const char *base)
{
	for (unsigned i = 0; i < sizeof(starters) / sizeof(starters[0]); i++) {
		const char *name = starters[i].name;

		if (strcmp(base, name) == 0 ||
		    (strncmp(base, "ld-linux", 8) == 0 && strcmp(name, "ld-linux") == 0))
			return &starters[i];
	}
	return NULL;
}

/* How many words the option takes. */
static unsigned
words_of_option(const struct starter *s, const char *word)
{
	for (unsigned i = 0; i < LONGS_MAX && s->longs[i]; i++)
		if (strcmp(word, s->longs[i]) == 0)
			return 2;
	return word[1] != '-' && !word[2] && strchr(s->letters, word[1]) ? 2 : 1;
}

bool
words_skip_starter(struct words *w, const char *base)
{
	const struct starter *s = starter_of(base);
	struct words rest;

	if (!s)
		return false;
	rest.count = w->count;
	memcpy(rest.at, w->at, w->count * sizeof(w->at[0]));
	drop(&rest, 1);
	while (rest.count > 0 && rest.at[0][0] == '-' && rest.at[0][1]) {
		bool is_last = strcmp(rest.at[0], "--") == 0;

		drop(&rest, words_of_option(s, rest.at[0]));
		if (is_last)
			break;
	}
	drop(&rest, s->operands);
	if (rest.count == 0)
		return false;
	w->count = rest.count;
	memcpy(w->at, rest.at, rest.count * sizeof(w->at[0]));
	return true;
}

/* A line that only ends what was begun before it. */
static bool
says_nothing(const char *line, const char *end)
{
	static const char *const closers[] = {"fi", "done", "esac", ";;", "}"};

	while (end > line && strchr(" \t\r\n", end[-1]) && end[-1])
		end--;
	if (line == end || *line == '#')
		return true;
	for (unsigned i = 0; i < sizeof(closers) / sizeof(closers[0]); i++)
		if ((size_t)(end - line) == strlen(closers[i]) &&
		    memcmp(line, closers[i], strlen(closers[i])) == 0)
			return true;
	return false;
}

/* The last line that says something; a backslash before its end binds it to the next. */
static const char *
last_line(const char *script, const char *end, const char **line_end)
{
	while (end > script) {
		const char *line = memrchr(script, '\n', (size_t)(end - script));

		line = line ? line + 1 : script;
		while (line - script >= 2 && line[-2] == '\\') {
			const char *before = memrchr(script, '\n', (size_t)(line - 1 - script));

			line = before ? before + 1 : script;
		}
		const char *first = line;

		while (first < end && is_blank(*first))
			first++;
		if (!says_nothing(first, end)) {
			*line_end = end;
			return first;
		}
		end = line > script ? line - 1 : script;
	}
	return NULL;
}

static const char *
exec_program(struct words *w, const char **at, const char *end)
{
	const char *word = next_word(w, at, end);

	if (!word || strcmp(word, "exec") != 0)
		return NULL;
	while ((word = next_word(w, at, end)) != NULL && word[0] == '-') {
		if (strcmp(word, "-a") == 0)
			next_word(w, at, end);
		else if (strcmp(word, "--") == 0)
			return next_word(w, at, end);
	}
	return word;
}

bool
words_exec(struct words *w, const char *script, size_t len)
{
	const char *end = script + len, *at = last_line(script, end, &end);
	const char *word = at ? exec_program(w, &at, end) : NULL;
	const char *given[WORDS_MAX];
	unsigned count = w->count;

	/* "exec 3>&1" names a descriptor. */
	if (!word || !*word || strpbrk(word, "$`*?~{") || (at < end && strchr("<>", *at) && *at))
		return false;
	memcpy(given, w->at, count * sizeof(given[0]));
	w->count = 0;
	do {
		if (strcmp(word, "$@") != 0)
			insert(w, w->count, word);
		else
			for (unsigned i = 1; i < count; i++)
				insert(w, w->count, given[i]);
	} while (w->count < WORDS_MAX && (word = next_word(w, &at, end)) != NULL);
	return true;
}

bool
words_have(const struct words *w, const char *word)
{
	for (unsigned i = 1; i < w->count; i++)
		if (strcmp(w->at[i], word) == 0)
			return true;
	return false;
}
