#include "cli/doctor_tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (1 << 18)

static const char own_texts[] =
	"It has texts of its own for errors, so that a refusal's message shows only where the "
	"section has answer = http.";

static const struct tls_program programs[] = {
	{"python", true, "its module ssl loads libssl", NULL},
	{"perl", true, "its modules load libssl", NULL},
	{"ruby", true, "its module openssl loads libssl", NULL},
	{"php", true, "its extensions load libssl and libcurl",
	 "What it loads with RTLD_DEEPBIND is seen: the library takes that flag away."},
	{"node", false, NULL, own_texts},
	{"nodejs", false, NULL, own_texts},
	{"bun", false, NULL, own_texts},
	{"deno", false, NULL, own_texts},
	{"java", false, "JSSE", NULL},
	{"beam.smp", false, "Erlang", NULL},
	{"dotnet", false, "libssl, found by dlsym", NULL},
};

/* By the beginning of the name; libssl3.so is not OpenSSL's but NSS's. */
static const struct {
	const char *prefix;
	enum { IS_CURL, IS_KNOWN, IS_UNKNOWN } kind;
} libraries[] = {
	{"libcurl.so", IS_CURL},    {"libcurl-gnutls.so", IS_CURL}, {"libcurl-nss.so", IS_CURL},
	{"libssl.so", IS_KNOWN},    {"libgnutls.so", IS_KNOWN},	    {"libssl3.so", IS_UNKNOWN},
	{"libnss3.so", IS_UNKNOWN}, {"libmbedtls.so", IS_UNKNOWN},  {"libwolfssl.so", IS_UNKNOWN},
	{"libs2n.so", IS_UNKNOWN},  {"libtls.so", IS_UNKNOWN},
};

/* What is in a program that has such a library in itself; the first found holds. */
static const struct {
	const char *bytes;
	const char *name;
} marks[] = {
	{"BoringSSL", "BoringSSL"}, {"rustls", "rustls"},     {"OpenSSL 3.", "OpenSSL"},
	{"OpenSSL 1.", "OpenSSL"},  {"Mbed TLS", "Mbed TLS"}, {"wolfSSL", "wolfSSL"},
};

static const char *const loaded[] = {"libssl.so", "libcurl.so", "libgnutls.so"};

static const char go_mark[] = "\xff Go buildinf:";

void
tls_library(struct tls_libs *libs, const char *name)
{
	char *places[] = {libs->curl, libs->known, libs->unknown};

	for (unsigned i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		char *place = places[libraries[i].kind];

		if (strncmp(name, libraries[i].prefix, strlen(libraries[i].prefix)) == 0 &&
		    place[0] == '\0')
			snprintf(place, TLS_NAME_MAX, "%s", name);
	}
}

static bool
has(const char *bytes, size_t len, const char *mark)
{
	return memmem(bytes, len, mark, strlen(mark)) != NULL;
}

static void
look_at(const char *bytes, size_t len, struct tls_marks *out)
{
	for (unsigned i = 0; !out->built_in && i < sizeof(marks) / sizeof(marks[0]); i++)
		if (has(bytes, len, marks[i].bytes))
			out->built_in = marks[i].name;
	for (unsigned i = 0; !out->loaded && i < sizeof(loaded) / sizeof(loaded[0]); i++)
		if (has(bytes, len, loaded[i]))
			out->loaded = loaded[i];
	if (!out->is_go)
		out->is_go = has(bytes, len, go_mark);
}

/* Each chunk begins with the end of the one before, as a mark may lie across. */
void
tls_look(const struct elf_source *source, struct tls_marks *out)
{
	enum { OVERLAP = 32 };
	char *bytes = malloc(OVERLAP + CHUNK);
	size_t kept = 0, len = 0;

	memset(out, 0, sizeof(*out));
	if (!bytes)
		return;
	for (uint64_t at = 0;; at += len) {
		len = source->read(source->context, at, bytes + kept, CHUNK);
		look_at(bytes, kept + len, out);
		if (len < CHUNK)
			break;
		memmove(bytes, bytes + kept + len - OVERLAP, OVERLAP);
		kept = OVERLAP;
	}
	free(bytes);
}

const struct tls_program *
tls_known_program(const char *base)
{
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		size_t len = strlen(programs[i].name);

		if (strncmp(base, programs[i].name, len) == 0 &&
		    base[len + strspn(base + len, "0123456789.-")] == '\0')
			return &programs[i];
	}
	return NULL;
}
