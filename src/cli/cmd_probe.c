#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "core/rules.h"
#include "core/text.h"
#include "probe/dial.h"
#include "probe/fetch.h"
#include "probe/helper.h"
#include "sys/rawnet.h"

#define PASSES 0
#define USAGE 2
#define WAIT_NS UINT64_C(60000000000)

static const char usage[] =
	"usage: cutout probe [--expect RANGES] [--timeout DURATION] TARGET\n"
	"TARGET is an http:// or https:// URL, HOST:PORT to connect to, or HOST to look up.\n";

struct probe {
	const char *expect, *timeout, *post, *target;
	struct settings settings;
	char limit[32];
};

static void
tell_error(void *context, unsigned line, const char *text)
{
	(void)context, (void)line;
	fprintf(stderr, "cutout probe: %s\n", text);
}

/* The words are judged as the rules file's values are; name is a host that has no port. */
static bool
judge(struct probe *p, bool is_name)
{
	bool is_url = strstr(p->target, "://") != NULL;
	char rules[3 * RULES_LINE_MAX];
	struct ruleset set;
	int len = snprintf(rules, sizeof(rules),
			   "[probe]\nmatch = %s\nprobe = %s%s\nprobe_expect = %s\n"
			   "probe_timeout = %s\n",
			   is_name ? p->target : "*",
			   is_name  ? "tcp"
			   : is_url ? ""
				    : "tcp ",
			   is_name ? "" : p->target, p->expect, p->timeout);
	static char kept[sizeof(rules)];

	if (len < 0 || (size_t)len >= sizeof(rules) || strpbrk(p->target, "\r\n") != NULL ||
	    strpbrk(p->expect, "\r\n") != NULL || strpbrk(p->timeout, "\r\n") != NULL) {
		fputs("cutout probe: a value is too long or has a line's end in it\n", stderr);
		return false;
	}
	memcpy(kept, rules, (size_t)len + 1);
	void *memory = malloc(rules_memory(kept, (size_t)len));

	bool is_fine =
		memory != NULL && rules_parse(&set, kept, (size_t)len, memory, tell_error, NULL);

	if (is_fine)
		p->settings = set.sections[0].settings;
	free(memory);
	if (!is_fine)
		return false;
	struct text t = text_over(p->limit, sizeof(p->limit));

	text_duration(&t, p->settings.breaker.lease_ns);
	return true;
}

static int __attribute__((format(printf, 2, 3))) end(int status, const char *format, ...)
{
	const struct itimerval never = {.it_value = {0, 0}};
	va_list args;

	setitimer(ITIMER_REAL, &never, NULL);
	fputs(status == PASSES		     ? "pass: "
	      : status == HELPER_EXIT_FAILED ? "fail: "
					     : "neutral: ",
	      stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return status;
}

static const char *limit_text;

/* Whatever hangs, be it the look-up. */
static void
on_alarm(int number)
{
	char line[64];
	struct text t = text_over(line, sizeof(line));

	(void)number;
	text_string(&t, "fail: no answer within ");
	text_string(&t, limit_text);
	text_string(&t, "\n");
	raw_write(STDOUT_FILENO, line, t.len);
	_exit(HELPER_EXIT_FAILED);
}

static void
limit(const struct probe *p)
{
	uint64_t us = p->settings.breaker.lease_ns / 1000;
	struct itimerval timer = {
		.it_value = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)}};

	if (us == 0)
		return;
	limit_text = p->limit;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static int
fetch_url(const struct probe *p)
{
	/* A little more than the alarm, which tells of the limit. */
	uint64_t ms = p->settings.breaker.lease_ns / 1000000;
	struct fetched f;

	fetch(p->target, p->post, ms > 0 ? ms + 1000 : 0, &f);
	switch (f.end) {
	case FETCH_ANSWERED:
		return end(status_in(&p->settings.probe_expect, f.status) ? PASSES
									  : HELPER_EXIT_FAILED,
			   "HTTP status %u", f.status);
	case FETCH_FAILED:
		return end(HELPER_EXIT_FAILED, "%s", f.error);
	case FETCH_LOCAL:
		return end(HELPER_EXIT_UNDECIDED, "%s", f.error);
	default:
		return end(HELPER_EXIT_LACKS, "there is no libcurl on this machine");
	}
}

static unsigned
addresses_of(const struct addrinfo *list, struct dest_addr out[DIAL_ADDRESSES])
{
	unsigned n = 0;

	for (const struct addrinfo *a = list; a != NULL && n < DIAL_ADDRESSES; a = a->ai_next) {
		const void *sa = a->ai_addr;

		if (a->ai_family == AF_INET)
			dest_addr_set(&out[n++], 4,
				      (const uint8_t *)&((const struct sockaddr_in *)sa)->sin_addr);
		else if (a->ai_family == AF_INET6)
			dest_addr_set(
				&out[n++], 6,
				(const uint8_t *)&((const struct sockaddr_in6 *)sa)->sin6_addr);
	}
	return n;
}

static int
dial(const struct dest_addr *addr, unsigned n, uint16_t port)
{
	struct pollfd fds[DIAL_ADDRESSES];
	enum outcome outcome;
	struct dial d;

	dial_start(&d, addr, n, port);
	while (!dial_is_over(&d, &outcome))
		raw_poll(fds, dial_waits_for(&d, fds), WAIT_NS, NULL);
	switch (outcome) {
	case OUTCOME_OK:
		return end(PASSES, "connected");
	case OUTCOME_FAIL:
		return end(HELPER_EXIT_FAILED, "no address could be connected to");
	default:
		return end(HELPER_EXIT_UNDECIDED, "this machine could not connect");
	}
}

static int
look_up(const char *name, struct dest_addr out[DIAL_ADDRESSES], unsigned *n)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	int eai = getaddrinfo(name, NULL, &hints, &list);

	if (eai == 0) {
		*n = addresses_of(list, out);
		freeaddrinfo(list);
		return PASSES;
	}
	return end(eai == EAI_MEMORY || eai == EAI_SYSTEM ? HELPER_EXIT_UNDECIDED
							  : HELPER_EXIT_FAILED,
		   "look-up: %s", gai_strerror(eai));
}

static int
connect_to(const struct dest *d)
{
	struct dest_addr addr[DIAL_ADDRESSES] = {d->addr};
	char name[DEST_NAME_MAX + 1];
	unsigned n = 1;

	if (d->addr.family == 0) {
		snprintf(name, sizeof(name), "%.*s", (int)d->name.len, d->name.at);
		int status = look_up(name, addr, &n);

		if (status != PASSES)
			return status;
		if (d->port == DEST_PORT_UNKNOWN)
			return end(PASSES, "%u address%s", n, n == 1 ? "" : "es");
	}
	return dial(addr, n, (uint16_t)d->port);
}

static int
run(struct probe *p)
{
	struct span words = {p->target, (uint32_t)strlen(p->target)};
	bool is_url = strstr(p->target, "://") != NULL;
	struct dest d = {.port = DEST_PORT_UNKNOWN};
	bool is_name = !is_url && dest_parse(words, &d) && d.port == DEST_PORT_UNKNOWN &&
		       d.addr.family == 0;

	if (!judge(p, is_name))
		return USAGE;
	limit(p);
	return is_url ? fetch_url(p) : connect_to(&d);
}

int
cmd_probe(int argc, char **argv)
{
	/* --post is the engine's own. */
	static const struct option options[] = {
		{"expect", required_argument, NULL, 'e'},
		{"timeout", required_argument, NULL, 't'},
		{"post", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct probe p = {.expect = "200-399", .timeout = "5s"};
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		switch (c) {
		case 'e':
			p.expect = optarg;
			break;
		case 't':
			p.timeout = optarg;
			break;
		case 'p':
			p.post = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return fflush(stdout) == 0 ? 0 : USAGE;
		default:
			fputs(usage, stderr);
			return USAGE;
		}
	}
	/* "tcp HOST:PORT", as the rules file has it. */
	if (argc - optind == 2 && strcmp(argv[optind], "tcp") == 0)
		optind++;
	if (argc - optind != 1) {
		fputs(usage, stderr);
		return USAGE;
	}
	p.target = argv[optind];
	return run(&p);
}
