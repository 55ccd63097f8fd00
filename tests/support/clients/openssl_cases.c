/*
 * openssl_cases CASE PORT PATH...: asks https://127.0.0.1:PORT for each PATH on one
 * connection, in ways that programs use OpenSSL, and prints the status of each answer.
 * The exit code is 1 when there was none.
 *
 * openssl_cases CASE 0 CERT KEY: is the server as well, on another thread, which says 503
 * once and then 200.
 */
#include <fcntl.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "connects.h"

#define BODY_SIZE 1000000
#define REQUEST_SIZE (BODY_SIZE + 200)

static char request[REQUEST_SIZE], answer[4096];
static char **words;
static int port;

/* A client, over a descriptor or over memory whose bytes the program carries. */
static SSL *ssl;
static BIO *in, *out;
static int fd;

static int
make_request(const char *path, int body_size)
{
	int size = snprintf(request, sizeof(request),
			    "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n",
			    body_size > 0 ? "POST" : "GET", path, body_size);

	memset(request + size, 'x', (size_t)body_size);
	return size + body_size;
}

/* Once more where only the socket was not ready. */
static bool
goes_on(int result)
{
	int error = SSL_get_error(ssl, result);

	if (error == SSL_ERROR_WANT_READ)
		return await(fd, POLLIN) == 0;
	return error == SSL_ERROR_WANT_WRITE && await(fd, POLLOUT) == 0;
}

/* In pieces of any size. */
static bool
write_by_descriptor(const char *data, int size)
{
	for (int done = 0; done < size;) {
		int n = SSL_write(ssl, data + done, size - done);

		if (n <= 0 && !goes_on(n))
			return false;
		done += n > 0 ? n : 0;
	}
	return true;
}

static int
read_by_descriptor(void)
{
	int n;

	do
		n = SSL_read(ssl, answer, sizeof(answer) - 1);
	while (n <= 0 && goes_on(n));
	return n;
}

static bool
carry_out(void)
{
	char bytes[5000];
	int size;

	while ((size = BIO_read(out, bytes, sizeof(bytes))) > 0)
		if (send(fd, bytes, (size_t)size, MSG_NOSIGNAL) != size)
			return false;
	return true;
}

static bool
carry_in(void)
{
	char bytes[5000];
	ssize_t size = recv(fd, bytes, sizeof(bytes), 0);

	return size > 0 && BIO_write(in, bytes, (int)size) == size;
}

static bool
write_by_memory(const char *data, int size)
{
	size_t taken;

	return SSL_write_ex(ssl, data, (size_t)size, &taken) == 1 && carry_out();
}

static int
read_by_memory(void)
{
	size_t given;

	while (SSL_read_ex(ssl, answer, sizeof(answer) - 1, &given) != 1)
		if (SSL_get_error(ssl, 0) != SSL_ERROR_WANT_READ || !carry_out() || !carry_in())
			return -1;
	return (int)given;
}

static bool
open_session(int version)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());

	SSL_CTX_set_max_proto_version(context, version);
	ssl = SSL_new(context);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	return connect_fd(fd, port) == 0;
}

static bool
show(int size)
{
	if (size < 12)
		return false;
	answer[size] = '\0';
	printf("%.3s\n", answer + 9);
	return true;
}

static int
ask_all(bool (*write_all)(const char *, int), int (*read_some)(void), int body_size)
{
	for (; *words != NULL; words++)
		if (!write_all(request, make_request(*words, body_size)) || !show(read_some()))
			return 1;
	return 0;
}

static int
descriptor(void)
{
	if (!open_session(0) || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1)
		return 1;
	return ask_all(write_by_descriptor, read_by_descriptor, 0);
}

static bool
write_in_two(const char *data, int size)
{
	return write_by_descriptor(data, size - 1) && write_by_descriptor(data + size - 1, 1);
}

/* The handshake is made by the first write; the end comes long after the answer. */
static int
implicit(void)
{
	if (!open_session(0) || SSL_set_fd(ssl, fd) != 1)
		return 1;
	SSL_set_connect_state(ssl);
	if (ask_all(write_in_two, read_by_descriptor, 1) != 0)
		return 1;
	sleep(2);
	return close(fd);
}

static int
memory(void)
{
	int result;

	if (!open_session(0))
		return 1;
	SSL_set_bio(ssl, in = BIO_new(BIO_s_mem()), out = BIO_new(BIO_s_mem()));
	while ((result = SSL_connect(ssl)) != 1)
		if (SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ || !carry_out() ||
		    !carry_in())
			return 1;
	return ask_all(write_by_memory, read_by_memory, 0);
}

/* More than the socket takes at a time. */
static int
partial(void)
{
	int small = 4096;

	if (!open_session(0) || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1)
		return 1;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	return ask_all(write_by_descriptor, read_by_descriptor, BODY_SIZE);
}

/* Looks at the answer before it is read. */
static int
peek(void)
{
	char byte;

	if (!open_session(0) || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1)
		return 1;
	for (; *words != NULL; words++) {
		if (!write_by_descriptor(request, make_request(*words, 0)) ||
		    SSL_peek(ssl, &byte, 1) != 1 || SSL_peek(ssl, &byte, 1) != 1 ||
		    !show(read_by_descriptor()))
			return 1;
	}
	return 0;
}

/* ---- with a server of our own */

static int listener;
static bool asks_anew;
static const char *const paths[] = {"/first", "/second", NULL};

/* A new handshake before the answer, as a server makes that wants a certificate after all. */
static void
ask_anew(SSL *server)
{
	struct timeval soon = {0, 300000};
	char byte;

	SSL_renegotiate(server);
	SSL_do_handshake(server);
	setsockopt(SSL_get_fd(server), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	SSL_peek(server, &byte, 1);
	soon.tv_sec = 30;
	setsockopt(SSL_get_fd(server), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
}

static void *
serve(void *context)
{
	static const char *const answers[] = {"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno",
					      "HTTP/1.1 200 Yes\r\nContent-Length: 3\r\n\r\nyes"};
	SSL *server = SSL_new(context);
	char bytes[4096];

	SSL_set_fd(server, accept(listener, NULL, NULL));
	SSL_accept(server);
	for (int i = 0; i < 2 && SSL_read(server, bytes, sizeof(bytes)) > 0; i++) {
		if (asks_anew)
			ask_anew(server);
		SSL_write(server, answers[i], (int)strlen(answers[i]));
	}
	return NULL;
}

static int
both_ends(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	pthread_t thread;

	SSL_CTX_use_certificate_chain_file(context, words[0]);
	SSL_CTX_use_PrivateKey_file(context, words[1], SSL_FILETYPE_PEM);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
	    pthread_create(&thread, NULL, serve, context) != 0)
		return 1;
	port = ntohs(at.sin_port);
	words = (char **)paths;
	if (!open_session(asks_anew ? TLS1_2_VERSION : 0) || SSL_set_fd(ssl, fd) != 1 ||
	    SSL_connect(ssl) != 1)
		return 1;
	return ask_all(write_by_descriptor, read_by_descriptor, 0);
}

static int
renegotiation(void)
{
	asks_anew = true;
	return both_ends();
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{"descriptor", descriptor},
		{"implicit", implicit},
		{"memory", memory},
		{"partial", partial},
		{"peek", peek},
		{"both_ends", both_ends},
		{"renegotiation", renegotiation},
	};

	if (argc < 4)
		return 2;
	port = atoi(argv[2]);
	words = argv + 3;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	return 2;
}
