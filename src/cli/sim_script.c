#include "cli/sim_script.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cli/sim_words.h"

struct id {
	UT_hash_handle hh;
	struct span text;
	uint32_t call;
	uint32_t end_line; /* where its latest call ended; 0: it has not */
};

/* The words of one line stand in words, T first. */
struct parser {
	struct sim_script *script;
	sim_find_fn *find;
	sim_error_fn *on_error;
	void *context;
	struct id *ids;
	uint64_t last_ns;
	uint32_t line;
	bool line_failed;
	bool failed;
	uint32_t word_count;
	struct span words[SIM_WORDS_MAX];
};

#define QUOTE(s) (int)(s).len, (s).at

/* Tells the first error of a line; always false. */
static bool __attribute__((format(printf, 2, 3))) fail(struct parser *p, const char *format, ...)
{
	char buffer[SIM_ERROR_MAX];
	struct text t = text_over(buffer, sizeof(buffer));
	va_list args;

	va_start(args, format);
	text_vformat(&t, format, args);
	va_end(args);
	if (!p->line_failed)
		p->on_error(p->context, p->line, buffer);
	p->line_failed = p->failed = true;
	return false;
}

static bool
fail_unknown(struct parser *p, const char *what, const char *const *list, struct span word)
{
	char buffer[SIM_ERROR_MAX];
	struct text t = text_over(buffer, sizeof(buffer));

	sim_word_suggest(&t, list, word);
	return fail(p, "unknown %s '%.*s'%s", what, QUOTE(word), buffer);
}

/* Room for one more in a list of count, which doubles at each power of two. */
static void *
grown(void *list, uint32_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return list;
	list = reallocarray(list, count > 0 ? 2 * (size_t)count : 1, size);
	if (!list)
		err(2, NULL);
	return list;
}

static struct id *
find_id(const struct parser *p, struct span text)
{
	struct id *id;

	HASH_FIND(hh, p->ids, text.at, text.len, id);
	return id;
}

static struct id *
add_id(struct parser *p, struct span text)
{
	struct id *id = calloc(1, sizeof(*id));

	if (!id)
		err(2, NULL);
	id->text = text;
	id->call = p->script->call_count++;
	HASH_ADD_KEYPTR(hh, p->ids, id->text.at, id->text.len, id);
	return id;
}

/* NULL: told that there is none. */
static struct id *
parse_known_id(struct parser *p, struct span word, struct sim_statement *s)
{
	struct id *id = find_id(p, word);

	if (!id) {
		fail(p, "no call '%.*s' above this line", QUOTE(word));
		return NULL;
	}
	s->id = id->text;
	s->call = id->call;
	return id;
}

static bool
parse_name(struct parser *p, struct span word, struct sim_statement *s)
{
	char buffer[SIM_ERROR_MAX];
	struct text why = text_over(buffer, sizeof(buffer));

	s->breaker = p->find(p->context, word, &why);
	return s->breaker || fail(p, "%s", buffer);
}

static bool
parse_ending(struct parser *p, struct span word, struct sim_statement *s)
{
	int ending = sim_word_find(sim_endings, word);
	bool fits = s->verb == SIM_BURST || ending <= SIM_FAIL ||
		    (s->verb == SIM_END && ending == SIM_NEUTRAL) ||
		    (s->verb == SIM_PROBE && ending == SIM_HANG);

	if (ending < 0)
		return fail_unknown(p, "result", sim_endings, word);
	s->ending = (enum sim_ending)ending;
	return fits || fail(p, "no '%s' here: '%s'", sim_endings[ending], sim_usages[s->verb]);
}

static bool
parse_duration(struct parser *p, struct span word, uint64_t *ns)
{
	return sim_read_duration(word, ns) ||
	       fail(p, "'%.*s' is no duration such as 250ms, 5s, 2m or 1h", QUOTE(word));
}

/* What may stand behind the result; without it only a hang is long. */
static bool
parse_length(struct parser *p, uint32_t at, struct sim_statement *s)
{
	s->length_ns = s->ending == SIM_HANG ? UINT64_MAX : 0;
	return at >= p->word_count || parse_duration(p, p->words[at], &s->length_ns);
}

static bool
parse_count(struct parser *p, struct span word, uint64_t *count)
{
	return (sim_read_number(word, SIM_CALLS_MAX, count) && *count > 0) ||
	       fail(p, "'%.*s' is no number of calls from 1 to 1000000", QUOTE(word));
}

static bool
parse_call(struct parser *p, struct sim_statement *s)
{
	struct id *id = find_id(p, p->words[2]);

	if (!id)
		id = add_id(p, p->words[2]);
	id->end_line = 0;
	s->id = id->text;
	s->call = id->call;
	return parse_name(p, p->words[3], s);
}

static bool
parse_end(struct parser *p, struct sim_statement *s)
{
	struct id *id = parse_known_id(p, p->words[2], s);

	if (!id)
		return false;
	if (id->end_line != 0)
		return fail(p, "call '%.*s' has ended on line %u", QUOTE(s->id), id->end_line);
	id->end_line = p->line;
	return parse_ending(p, p->words[3], s);
}

static bool
parse_burst(struct parser *p, struct sim_statement *s)
{
	return parse_count(p, p->words[2], &s->count) && parse_name(p, p->words[3], s) &&
	       parse_ending(p, p->words[4], s) && parse_length(p, 5, s);
}

static bool
parse_every(struct parser *p, struct sim_statement *s)
{
	return parse_duration(p, p->words[2], &s->apart_ns) &&
	       parse_count(p, p->words[3], &s->count) && parse_name(p, p->words[4], s) &&
	       parse_ending(p, p->words[5], s) && parse_length(p, 6, s);
}

static bool
parse_probe(struct parser *p, struct sim_statement *s)
{
	return parse_name(p, p->words[2], s) && parse_ending(p, p->words[3], s) &&
	       parse_length(p, 4, s);
}

static bool
parse_force(struct parser *p, struct sim_statement *s)
{
	int force = sim_word_find(sim_forces, p->words[3]);

	s->force = (enum force)force;
	return parse_name(p, p->words[2], s) &&
	       (force >= 0 || fail_unknown(p, "state", sim_forces, p->words[3]));
}

static bool
parse_mark(struct parser *p, struct sim_statement *s)
{
	return parse_name(p, p->words[2], s);
}

static bool
parse_expect(struct parser *p, struct sim_statement *s)
{
	struct sim_script *script = p->script;
	bool of_call = false;

	s->first_term = script->term_count;
	s->term_count = p->word_count - 3;
	for (uint32_t i = 3; i < p->word_count; i++) {
		char buffer[SIM_ERROR_MAX];
		struct text why = text_over(buffer, sizeof(buffer));
		struct sim_term term;

		if (!sim_term_read(p->words[i], &term, &why))
			return fail(p, "%s", buffer);
		of_call |= term.field == SIM_ADMISSION;
		script->terms = grown(script->terms, script->term_count, sizeof(term));
		script->terms[script->term_count++] = term;
	}
	if (!of_call)
		return parse_name(p, p->words[2], s);
	if (s->term_count > 1)
		return fail(p, "'admitted' and 'refused' stand alone");
	return parse_known_id(p, p->words[2], s) != NULL;
}

static bool
parse_words(struct parser *p, struct sim_statement *s)
{
	static bool (*const parse[])(struct parser *, struct sim_statement *) = {
		parse_call,  parse_end,	  parse_burst, parse_every,
		parse_probe, parse_force, parse_mark,  parse_expect,
	};
	static const struct {
		uint32_t least, most;
	} words[] = {{4, 4}, {4, 4}, {5, 6}, {6, 7}, {4, 5}, {4, 4}, {3, 3}, {4, SIM_WORDS_MAX}};
	struct span time = p->words[0];

	if (!sim_read_time(time, &s->at_ns))
		fail(p, "'%.*s' is no time in seconds", QUOTE(time));
	else if (s->at_ns < p->last_ns)
		fail(p, "the time goes back to %.*s", QUOTE(time));
	else
		p->last_ns = s->at_ns;
	if (p->word_count < 2)
		return fail(p, "nothing behind the time");

	int verb = sim_word_find(sim_verbs, p->words[1]);

	if (verb < 0)
		return fail_unknown(p, "statement", sim_verbs, p->words[1]);
	s->verb = (enum sim_verb)verb;
	if (p->word_count < words[verb].least || p->word_count > words[verb].most)
		return fail(p, "too %s words for '%s'",
			    p->word_count < words[verb].least ? "few" : "many", sim_usages[verb]);
	return parse[verb](p, s);
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A word that begins with # and what follows are a comment. */
static bool
split_line(struct parser *p, struct span line)
{
	uint32_t i = 0;

	p->word_count = 0;
	for (;;) {
		while (i < line.len && is_space(line.at[i]))
			i++;
		if (i == line.len || line.at[i] == '#')
			return true;
		uint32_t start = i;

		/* Printable only: the words are quoted in errors. */
		while (i < line.len && line.at[i] > ' ' && line.at[i] < 0x7f)
			i++;
		if (i < line.len && !is_space(line.at[i]))
			return fail(p, "a byte that is not printable ASCII");
		if (p->word_count == SIM_WORDS_MAX)
			return fail(p, "more than %u words", SIM_WORDS_MAX);
		p->words[p->word_count++] = (struct span){line.at + start, i - start};
	}
}

static void
parse_line(struct parser *p, struct span line)
{
	struct sim_script *script = p->script;
	struct sim_statement s = {.line = ++p->line};

	p->line_failed = false;
	if (!split_line(p, line) || p->word_count == 0 || !parse_words(p, &s) || p->line_failed)
		return;
	script->statements = grown(script->statements, script->statement_count, sizeof(s));
	script->statements[script->statement_count++] = s;
}

static void
free_ids(struct parser *p)
{
	struct id *id, *next;

	HASH_ITER(hh, p->ids, id, next)
	{
		HASH_DEL(p->ids, id);
		free(id);
	}
}

bool
sim_script_parse(struct sim_script *out, const char *text, size_t len, sim_find_fn *find,
		 sim_error_fn *on_error, void *context)
{
	struct parser p = {
		.script = out,
		.find = find,
		.on_error = on_error,
		.context = context,
	};
	const char *end = text + len;

	*out = (struct sim_script){0};
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		parse_line(&p, (struct span){text, (uint32_t)(stop - text)});
		text = stop + 1;
	}
	free_ids(&p);
	return !p.failed;
}

void
sim_script_free(struct sim_script *script)
{
	free(script->statements);
	free(script->terms);
}
