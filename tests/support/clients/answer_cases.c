/*
 * What programs do with handles of libcurl that are given an HTTP answer.
 *
 *     answer_cases CASE WELL BAD
 *
 * WELL is a URL that answers, BAD one that fails once and is refused then.  Each line of
 * the output says what came of a transfer, or what a callback was told.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "answers.h"

static unsigned headers;

static size_t
on_header(char *data, size_t size, size_t count, void *context)
{
	if (headers++ == 0)
		printf("%s %.*s\n", (const char *)context, (int)(size * count) - 2, data);
	return size * count;
}

static void
callbacks(void)
{
	CURL *handle = handle_to(bad);
	CURLcode code;

	curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(handle, CURLOPT_HEADERDATA, "header");
	code = curl_easy_perform(handle);
	printf("headers %u\n", headers);
	tell("answered", handle, code);
	curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, NULL);
	curl_easy_setopt(handle, CURLOPT_HEADERDATA, NULL);
	curl_easy_setopt(handle, CURLOPT_HEADER, 1L);
	perform("with header", handle);
	curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
	perform("header alone", handle);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, NULL);
	perform("to stdout", handle);
	curl_easy_cleanup(handle);
}

static void
infos(void)
{
	CURL *handle = handle_to(bad);
	char *url, *scheme, *type, *address;
	long protocol, connects, redirects;
	curl_off_t size, first_us, total_us;

	perform("answered", handle);
	curl_easy_getinfo(handle, CURLINFO_EFFECTIVE_URL, &url);
	curl_easy_getinfo(handle, CURLINFO_SCHEME, &scheme);
	curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &address);
	curl_easy_getinfo(handle, CURLINFO_PROTOCOL, &protocol);
	curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &connects);
	curl_easy_getinfo(handle, CURLINFO_REDIRECT_COUNT, &redirects);
	curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &size);
	curl_easy_getinfo(handle, CURLINFO_STARTTRANSFER_TIME_T, &first_us);
	curl_easy_getinfo(handle, CURLINFO_TOTAL_TIME_T, &total_us);
	printf("url %s\nscheme %s\ntype %s\naddress %s.\nprotocol %ld\n", url, scheme, type,
	       address, protocol);
	printf("connects %ld\nredirects %ld\nsize %ld\n", connects, redirects, (long)size);
	printf("times %s\n", first_us > 0 && total_us >= first_us ? "told" : "missing");
	curl_easy_cleanup(handle);
}

static void
fails_on_error(void)
{
	char error[CURL_ERROR_SIZE] = "";
	CURL *handle = handle_to(bad);

	curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
	perform("answered", handle);
	printf("%s\n", error);
	curl_easy_cleanup(handle);
}

static unsigned opened;

static curl_socket_t
on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)context;
	(void)purpose;
	opened++;
	return socket(address->family, address->socktype, address->protocol);
}

/* What the program has set holds for its next transfer, and nothing else does. */
static void
options(void)
{
	CURL *handle = handle_to(bad);
	char *url;

	curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR,
			 strncmp(bad, "https", 5) ? "http" : "https");
	curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	curl_easy_setopt(handle, CURLOPT_IPRESOLVE, (long)CURL_IPRESOLVE_V4);
	perform("answered", handle);
	printf("opened %u\n", opened);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	perform("other protocol", handle);
	curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "all");
	perform("other version", handle);
	curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	perform("well", handle);
	perform("again", handle);
	printf("opened %u\n", opened);
	curl_easy_getinfo(handle, CURLINFO_EFFECTIVE_URL, &url);
	printf("url %s\n", strcmp(url, well) == 0 ? "well" : url);
	curl_easy_cleanup(handle);
}

static void
parsed_urls(void)
{
	CURLU *parts = curl_url();
	CURL *handle = curl_easy_init();
	char *text;

	curl_url_set(parts, CURLUPART_URL, bad, 0);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(handle, CURLOPT_CURLU, parts);
	perform("answered", handle);
	perform("answered", handle);
	curl_url_get(parts, CURLUPART_URL, &text, 0);
	printf("url %s\n", strcmp(text, bad) == 0 ? "bad" : text);
	curl_free(text);
	curl_easy_cleanup(handle);
	curl_url_cleanup(parts);
}

static size_t
on_read(char *out, size_t size, size_t count, void *context)
{
	const char **left = context;
	size_t len = strlen(*left), piece = len < 7 ? len : 7;

	if (piece > size * count)
		piece = size * count;
	memcpy(out, *left, piece);
	*left += piece;
	return piece;
}

#define TOOL_CALL "{\"jsonrpc\":\"2.0\",\"id\":\"id 7\",\"method\":\"tools/call\"}"
#define OTHER_CALL "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"

static void
post_from_callback(const char *what, CURL *handle)
{
	const char *left = TOOL_CALL;

	curl_easy_setopt(handle, CURLOPT_READDATA, &left);
	perform(what, handle);
}

/* Of a length that is told, and of one that is not. */
static void
posts(void)
{
	CURL *handle = handle_to(bad);
	size_t big = 3000000;
	char *data = malloc(big);

	curl_easy_setopt(handle, CURLOPT_POST, 1L);
	curl_easy_setopt(handle, CURLOPT_READFUNCTION, on_read);
	post_from_callback("chunks", handle);
	curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)strlen(TOOL_CALL));
	post_from_callback("pieces", handle);
	memset(data, ' ', big);
	memcpy(data, OTHER_CALL, strlen(OTHER_CALL));
	data[big - 1] = ']';
	curl_easy_setopt(handle, CURLOPT_POSTFIELDS, data);
	curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)big);
	perform("big", handle);
	curl_easy_cleanup(handle);
	free(data);
}

static jmp_buf outside;

static size_t
jump(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)size;
	(void)count;
	(void)unused;
	longjmp(outside, 1);
}

/* libcurl takes a handle that was left for busy, so a duplicate has to do. */
static void
jumps(void)
{
	CURL *volatile handle = handle_to(bad);
	CURL *copy;

	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, jump);
	if (setjmp(outside) == 0)
		curl_easy_perform(handle);
	copy = curl_easy_duphandle(handle);
	curl_easy_cleanup(handle);
	curl_easy_setopt(copy, CURLOPT_WRITEFUNCTION, on_body);
	perform("answered", copy);
	curl_easy_setopt(copy, CURLOPT_URL, well);
	perform("well", copy);
	curl_easy_cleanup(copy);
}

static size_t
perform_inside(char *data, size_t size, size_t count, void *outer)
{
	CURL *copy = curl_easy_duphandle(outer);

	curl_easy_setopt(copy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(copy, CURLOPT_WRITEDATA, NULL);
	perform("inner", copy);
	curl_easy_setopt(copy, CURLOPT_URL, well);
	perform("inner", copy);
	curl_easy_cleanup(copy);
	return on_body(data, size, count, NULL);
}

static void
nested(void)
{
	CURL *handle = handle_to(bad);

	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, perform_inside);
	curl_easy_setopt(handle, CURLOPT_WRITEDATA, handle);
	perform("outer", handle);
	curl_easy_cleanup(handle);
}

static size_t
refuse_data(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)unused;
	return size * count + 1;
}

/* What the program ends is not told as something else, and what is no HTTP is text. */
static void
other_ends(void)
{
	char error[CURL_ERROR_SIZE] = "";
	CURL *handle = handle_to(bad);

	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, refuse_data);
	perform("not wanted", handle);
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
	perform("connect only", handle);
	printf("%s\n", error);
	curl_easy_setopt(handle, CURLOPT_CONNECT_ONLY, 0L);
	curl_easy_setopt(handle, CURLOPT_DEFAULT_PROTOCOL, "ftp");
	curl_easy_setopt(handle, CURLOPT_URL, strstr(bad, "://") + 3);
	perform("ftp", handle);
	printf("%s\n", error);
	curl_easy_cleanup(handle);
}

static void
texts(void)
{
	CURL *handle = handle_to(well);

	printf("7 %s\n", curl_easy_strerror(CURLE_COULDNT_CONNECT));
	curl_easy_setopt(handle, CURLOPT_URL, bad);
	perform("refused", handle);
	printf("6 %s\n", curl_easy_strerror(CURLE_COULDNT_RESOLVE_HOST));
	printf("7 %s\n", curl_easy_strerror(CURLE_COULDNT_CONNECT));
	curl_easy_setopt(handle, CURLOPT_URL, well);
	perform("well", handle);
	printf("7 %s\n", curl_easy_strerror(CURLE_COULDNT_CONNECT));
	curl_easy_cleanup(handle);
}

int
main(int argc, char *argv[])
{
	static const struct answer_case cases[] = {{"callbacks", callbacks},
						   {"infos", infos},
						   {"fails_on_error", fails_on_error},
						   {"options", options},
						   {"parsed_urls", parsed_urls},
						   {"posts", posts},
						   {"jumps", jumps},
						   {"nested", nested},
						   {"other_ends", other_ends},
						   {"texts", texts}};

	return argc == 4 ? run_case(cases, sizeof(cases) / sizeof(cases[0]), argv) : 2;
}
