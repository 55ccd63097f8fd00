#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "core/match.h"
#include "core/text.h"
#include "sys/env.h"
#include "sys/rulesfile.h"

/* The longest message, the longest URLs and fallbacks, and the rest. */
#define SETTINGS_TEXT_MAX (RULES_MESSAGE_MAX + 2 * RULES_URL_MAX + 8 * DEST_TEXT_MAX + 4096)

static const char usage[] = "usage: cutout check FILE [DESTINATION...]\n"
			    "FILE is - for standard input; DESTINATION is HOST, HOST:PORT, "
			    "[ADDRESS]:PORT or a URL.\n";

struct check {
	const char *path; /* as errors and answers name it */
	struct rulesfile file;
	struct proxies proxies;
	bool *shown; /* the sections whose settings stand in the output already */
};

static void
tell(void *context, unsigned line, const char *text)
{
	const char *path = ((struct check *)context)->path;

	if (line > 0)
		fprintf(stderr, "%s:%u: %s\n", path, line, text);
	else
		fprintf(stderr, "%s: %s\n", path, text);
}

static struct span
span_of(const char *s)
{
	return (struct span){s, (uint32_t)strlen(s)};
}

/* The port that a URL means where it names none. */
static int32_t
port_of_scheme(struct span scheme)
{
	static const struct {
		const char *scheme;
		int32_t port;
	} known[] = {{"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (dest_name_equal(scheme, span_of(known[i].scheme)))
			return known[i].port;
	return DEST_PORT_UNKNOWN;
}

static bool
parse_destination(const char *word, struct dest *out)
{
	const char *scheme_end = strstr(word, "://");

	if (!scheme_end)
		return dest_parse(span_of(word), out);
	struct span host = {scheme_end + 3, (uint32_t)strcspn(scheme_end + 3, "/?#")};
	const char *at = memrchr(host.at, '@', host.len);

	if (at) {
		host.len -= (uint32_t)(at + 1 - host.at);
		host.at = at + 1;
	}
	if (!dest_parse(host, out))
		return false;
	if (out->port == DEST_PORT_UNKNOWN)
		out->port = port_of_scheme((struct span){word, (uint32_t)(scheme_end - word)});
	return true;
}

static void
print_matches(const struct check *c, const struct section *s)
{
	const struct rule_match *m = &c->file.rules.matches[s->first_match];

	for (uint32_t i = 0; i < s->match_count; i++, m++)
		if (m->text.len > 0)
			printf("%-15s = %.*s\n", "match", (int)m->text.len, m->text.at);
}

static void
print_section(struct check *c, const struct section *s)
{
	char buffer[SETTINGS_TEXT_MAX];
	struct text settings = text_over(buffer, sizeof(buffer));
	bool *shown = &c->shown[s - c->file.rules.sections];

	if (*shown) {
		printf("# the settings of [%.*s] stand above\n", (int)s->name.len, s->name.at);
		return;
	}
	*shown = true;
	printf("[%.*s]\n", (int)s->name.len, s->name.at);
	print_matches(c, s);
	rules_print(&settings, s);
	fputs(buffer, stdout);
}

static const char *
why_none(const struct check *c, const struct dest *d)
{
	const struct ruleset *rules = &c->file.rules;
	bool has_rest = false;

	for (uint32_t i = 0; i < rules->section_count; i++)
		if (rules->sections[i].name.len == 1 && *rules->sections[i].name.at == '*')
			has_rest = true;
	if (!has_rest)
		return "no section fits";
	if (dest_is_loopback(d))
		return "[*] leaves out loopback";
	if (d->port == 53)
		return "[*] leaves out port 53";
	if (match_is_proxy(&c->proxies, d))
		return "[*] leaves out the proxies of the environment";
	return "no section fits";
}

/* A destination without a port may meet one section on some ports, others on the rest. */
static void
answer(struct check *c, const char *word, const struct dest *d)
{
	struct met met;
	uint32_t from = 0;
	bool again = match_next(&c->file.rules, &c->proxies, d, &from, &met);

	if (!again)
		printf("# %s meets no breaker: %s\n", word, why_none(c, d));
	while (again) {
		const struct rule_match *m = met.match;
		bool some_ports = d->port == DEST_PORT_UNKNOWN && m->port_low > 0;

		printf("# %s meets breaker %s%s\n", word, met.breaker,
		       some_ports ? " on the ports of this match" : "");
		if (m->text.len > 0)
			printf("# %s:%u: match = %.*s\n", c->path, m->line, (int)m->text.len,
			       m->text.at);
		else
			printf("# %s:%u: [*]\n", c->path, m->line);
		print_section(c, met.section);
		again = some_ports && match_next(&c->file.rules, &c->proxies, d, &from, &met);
		if (again)
			putchar('\n');
	}
}

static bool
answer_all(struct check *c, char **words)
{
	struct dest d;

	for (char **word = words; *word; word++) {
		if (parse_destination(*word, &d))
			continue;
		fprintf(stderr,
			"cutout check: '%s' is not HOST, HOST:PORT, [ADDRESS]:PORT or a URL\n",
			*word);
		return false;
	}
	for (char **word = words; *word; word++) {
		parse_destination(*word, &d);
		if (word != words)
			putchar('\n');
		answer(c, *word, &d);
	}
	return true;
}

/* How the breakers of a section are named. */
static void
print_names(const struct check *c, const struct section *s)
{
	const struct rule_match *m = &c->file.rules.matches[s->first_match];
	bool plain = false, regions = false;

	for (uint32_t i = 0; i < s->match_count; i++) {
		regions = regions || m[i].kind == HOST_REGION;
		plain = plain || m[i].kind != HOST_REGION;
	}
	if (s->name.len == 1 && *s->name.at == '*') {
		fputs("one breaker per host", stdout);
		return;
	}
	if (plain)
		printf("breaker %.*s%s%.*s", (int)s->name.len, s->name.at,
		       s->region.len > 0 ? "/" : "", (int)s->region.len, s->region.at);
	if (regions)
		printf("%sbreakers %.*s/{region}", plain ? ", " : "", (int)s->name.len, s->name.at);
}

static void
summarize(const struct check *c)
{
	const struct ruleset *rules = &c->file.rules;

	printf("%s: no errors, %u section%s\n", c->path, rules->section_count,
	       rules->section_count == 1 ? "" : "s");
	for (uint32_t i = 0; i < rules->section_count; i++) {
		const struct section *s = &rules->sections[i];

		printf("%s:%u: [%.*s] ", c->path, s->line, (int)s->name.len, s->name.at);
		print_names(c, s);
		putchar('\n');
	}
}

/* The exit status. */
static int
check(struct check *c, char **words)
{
	int status = 0;

	env_proxies(&c->proxies);
	c->shown = calloc(c->file.rules.section_count + 1, sizeof(*c->shown));
	if (!c->shown) {
		perror("cutout check");
		return 2;
	}
	if (!*words)
		summarize(c);
	else if (!answer_all(c, words))
		status = 2;
	free(c->shown);
	if (fflush(stdout) != 0) {
		perror("cutout check: standard output");
		status = 2;
	}
	return status;
}

int
cmd_check(int argc, char **argv)
{
	struct check c = {.path = NULL};
	char **words = argv + 1;
	bool is_fine;

	if (argc > 1 && strcmp(*words, "--help") == 0) {
		fputs(usage, stdout);
		return fflush(stdout) == 0 ? 0 : 2;
	}
	bool dashes = argc > 1 && strcmp(*words, "--") == 0;

	words += dashes;
	if (!*words || (!dashes && words[0][0] == '-' && words[0][1] != '\0')) {
		fputs(usage, stderr);
		return 2;
	}
	c.path = *words++;
	if (strcmp(c.path, "-") == 0) {
		c.path = "<stdin>";
		is_fine = rulesfile_load_fd(STDIN_FILENO, c.path, &c.file, tell, &c);
	} else {
		is_fine = rulesfile_load(c.path, &c.file, tell, &c);
	}
	if (!is_fine)
		return 1;
	int status = check(&c, words);

	rulesfile_free(&c.file);
	return status;
}
