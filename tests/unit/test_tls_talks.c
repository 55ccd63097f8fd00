/*
 * What real programs sent and got, as a relay between them saw it: CLIENT-SERVER.talk has
 * all the connections of one process of the client in their order.
 *
 *   hello HEX      a ClientHello or ServerHello, numbered from 0; *N* is N bytes 0
 *   answered HOW: RECORDS, hung HOW: RECORDS
 *
 * Of RECORDS, a number is the moment in milliseconds from which on what follows passed,
 * >LENGTH a record of data that the client sent, <LENGTH one that it got, >TYPE:LENGTH one
 * of another type, >#N a hello, and <end or >end who ended the stream.  A line that begins
 * with white space goes on with the one above it.
 */
#include "tests/unit/tls_support.h"

#include <ctype.h>

#define HELLOS_MAX 80
#define TEXT_MAX 65536

struct hello {
	uint8_t bytes[4096];
	size_t size;
};

struct tally {
	unsigned answered, neutral, hung, found;
};

static struct hello hellos[HELLOS_MAX];
static unsigned hello_count;
static char text[TEXT_MAX];

static void
read_hello(const char *at)
{
	assert_true(hello_count < HELLOS_MAX);
	struct hello *h = &hellos[hello_count++];

	memset(h, 0, sizeof(*h));
	while (*at != '\0') {
		unsigned value;
		int taken = 0;

		if (sscanf(at, " *%u*%n", &value, &taken) == 1 && taken > 0) {
			h->size += value;
		} else {
			assert_int_equal(sscanf(at, " %2x%n", &value, &taken), 1);
			h->bytes[h->size++] = (uint8_t)value;
		}
		assert_true(h->size < sizeof(h->bytes));
		at += taken;
	}
}

static void
read_record(struct tls_talk *t, const char *word)
{
	bool is_sent = word[0] == '>';
	unsigned type = TLS_DATA, number;

	if (word[1] == '#') {
		assert_int_equal(sscanf(word + 2, "%u", &number), 1);
		assert_true(number < hello_count);
		tls_talk_record(t, is_sent, TLS_HANDSHAKE, hellos[number].size,
				hellos[number].bytes);
		return;
	}
	if (sscanf(word + 1, "%u:%u", &type, &number) != 2) {
		type = TLS_DATA;
		assert_int_equal(sscanf(word + 1, "%u", &number), 1);
	}
	tls_talk_record(t, is_sent, type, number, NULL);
}

/* True: the server ended the stream. */
static bool
read_records(struct tls_talk *t, char *records)
{
	tls_talk_begin(t);
	for (char *word = strtok(records, " "); word != NULL; word = strtok(NULL, " ")) {
		if (strcmp(word + 1, "end") == 0)
			return word[0] == '<';
		if (isdigit((unsigned char)word[0]))
			t->now_ns = SECOND + (uint64_t)(strtod(word, NULL) * (double)MS);
		else
			read_record(t, word);
	}
	return false;
}

/* HOW names a path for each request; a body after an early answer looks like another one. */
static unsigned
requests_of(const char *how)
{
	unsigned each = strstr(how, "post") != NULL ? 2 : 1, count = 0;

	for (; *how != '\0'; how++)
		count += *how == '-' ? each : 0;
	return count;
}

static void
judge(struct tls_talk *t, bool was_answered, const char *how, bool server_ended,
      struct tally *tally)
{
	enum tls_answered answered =
		tls_was_answered(&t->sent, &t->received, t->learned, server_ended, t->now_ns);

	assert_int_equal(t->losses, 0);
	assert_true(t->sent.is_finished);
	assert_in_range(t->questions, 0, requests_of(how));
	if (t->questions == 0) { /* a connection that was made for later */
		assert_int_equal(tls_talk_silence(t), SILENCE_SAYS_NOTHING);
		return;
	}
	if (!was_answered) {
		assert_int_not_equal(answered, TLS_ANSWERED);
		tally->hung++;
		tally->found += tls_talk_fails(t);
		return;
	}
	t->now_ns += 2 * SECOND;
	assert_int_equal(tls_talk_silence(t), SILENCE_SAYS_NOTHING);
	tally->answered++;
	tally->neutral += answered != TLS_ANSWERED;
}

/* Joins lines that go on, and hands out the next one. */
static char *
next_line(char **rest)
{
	char *line = *rest;

	if (*line == '\0')
		return NULL;
	char *end = line;

	for (;;) {
		end = strchr(end, '\n');
		assert_non_null(end);
		if (end[1] != ' ')
			break;
		*end = ' ';
	}
	*end = '\0';
	*rest = end + 1;
	return line;
}

static void
read_file(const char *name)
{
	const char *top = getenv("srcdir");
	char path[1024];

	snprintf(path, sizeof(path), "%s/tests/unit/tls/%s.talk", top != NULL ? top : ".", name);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	size_t size = fread(text, 1, sizeof(text) - 1, file);

	fclose(file);
	assert_true(size < sizeof(text) - 1);
	text[size] = '\0';
}

static struct tally
play(const char *name, size_t part)
{
	struct tls_tickets learned = {0};
	struct tls_talk t = {.learned = &learned, .part = part};
	struct tally tally = {0};
	char *rest = text, *line;

	read_file(name);
	hello_count = 0;
	while ((line = next_line(&rest)) != NULL) {
		char how[64], what[16];
		char *records = strchr(line, ':');

		if (strncmp(line, "hello ", 6) == 0) {
			read_hello(line + 6);
			continue;
		}
		assert_non_null(records);
		assert_int_equal(sscanf(line, "%15s %63[^:]", what, how), 2);
		bool server_ended = read_records(&t, records + 1);

		judge(&t, strcmp(what, "answered") == 0, how, server_ended, &tally);
	}
	assert_true(tally.answered > 10 && tally.hung > 5);
	return tally;
}

struct expected {
	const char *name;
	unsigned found;	  /* of the hung ones, at least so many */
	unsigned neutral; /* of the answered ones, at most so many */
};

static const struct expected all[] = {
	{"node-python", 10, 0},	     {"node-nginx", 9, 0},	{"node-haproxy", 10, 0},
	{"node-caddy", 9, 2},	     {"node-node", 10, 0},	{"node-java", 11, 0},
	{"node-javachain", 11, 0},   {"node-bun", 9, 0},	{"node-deno", 9, 0},
	{"node-notickets", 10, 0},   {"node-off", 9, 0},	{"node-hrr", 9, 0},
	{"node-tls12", 10, 0},	     {"nodecert-certs", 4, 0},	{"undici-nginx", 6, 0},
	{"undici-node", 7, 0},	     {"bun-nginx", 8, 0},	{"bun-caddy", 8, 2},
	{"bun-notickets", 8, 2},     {"deno-caddy", 0, 23},	{"deno1-nginx", 10, 0},
	{"javaurl-python", 9, 0},    {"javaurl-node", 5, 0},	{"javaurl-java", 10, 0},
	{"javaurl-deno", 9, 6},	     {"javaurl-tls12", 8, 0},	{"javahttp-python", 9, 0},
	{"javahttp-nginxh2", 0, 17}, {"javahttp1-caddy", 8, 0},
};

#define COUNT (sizeof(all) / sizeof(all[0]))

static void
no_answered_call_fails_and_no_hung_one_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct tally tally = play(all[i].name, 0);

		print_message("%-16s answered %2u, neutral %2u; hung %u, found %u\n", all[i].name,
			      tally.answered, tally.neutral, tally.hung, tally.found);
		assert_true(tally.found >= all[i].found);
		assert_true(tally.neutral <= all[i].neutral);
	}
}

static void
it_is_the_same_however_the_bytes_are_split(void **state)
{
	static const size_t parts[] = {1, 2, 3, 7, 64, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct tally whole = play(all[i].name, 0);

		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
			struct tally tally = play(all[i].name, parts[k]);

			assert_memory_equal(&tally, &whole, sizeof(tally));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_answered_call_fails_and_no_hung_one_passes),
		cmocka_unit_test(it_is_the_same_however_the_bytes_are_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
