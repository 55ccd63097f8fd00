/*
 * gnutls_cases CASE PORT PATH...: asks https://127.0.0.1:PORT for each PATH on one
 * connection, in ways that programs use GnuTLS, and prints the status of each answer.
 * The exit code is 1 when there was none.
 *
 * gnutls_cases both_ends 0 CERT KEY: is the server as well, on another thread, which says
 * 503 once and then 200.
 */
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "connects.h"

#define BODY_SIZE 1000000

static char request[BODY_SIZE + 200], answer[4096];
static char **words;
static int port, fd;
static gnutls_session_t session;

static int
make_request(const char *path, int body_size)
{
	int size = snprintf(request, sizeof(request),
			    "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n",
			    body_size > 0 ? "POST" : "GET", path, body_size);

	memset(request + size, 'x', (size_t)body_size);
	return size + body_size;
}

/* What came may have been no data, and a descriptor that blocks does so in the next call. */
static bool
goes_on(ssize_t result)
{
	if (result == GNUTLS_E_AGAIN && (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0)
		return await(fd, gnutls_record_get_direction(session) != 0 ? POLLOUT : POLLIN) == 0;
	return result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED;
}

static bool
send_all(const char *data, int size)
{
	for (int done = 0; done < size;) {
		ssize_t n = gnutls_record_send(session, data + done, (size_t)(size - done));

		if (n < 0 && !goes_on(n))
			return false;
		done += n > 0 ? (int)n : 0;
	}
	return true;
}

/* The first two calls send nothing. */
static bool
send_corked(const char *data, int size)
{
	gnutls_record_cork(session);
	return gnutls_record_send(session, data, 10) == 10 &&
	       gnutls_record_send(session, data + 10, (size_t)size - 10) == size - 10 &&
	       gnutls_record_uncork(session, GNUTLS_RECORD_WAIT) == size;
}

static ssize_t
receive_some(void)
{
	ssize_t n;

	do
		n = gnutls_record_recv(session, answer, sizeof(answer) - 1);
	while (goes_on(n));
	return n;
}

static ssize_t
receive_packet(void)
{
	gnutls_packet_t packet;
	gnutls_datum_t data;
	ssize_t n;

	do
		n = gnutls_record_recv_packet(session, &packet);
	while (goes_on(n));
	if (n <= 0 || n >= (ssize_t)sizeof(answer))
		return -1;
	gnutls_packet_get(packet, &data, NULL);
	memcpy(answer, data.data, data.size);
	gnutls_packet_deinit(packet);
	return n;
}

static bool
show(ssize_t size)
{
	if (size < 12)
		return false;
	answer[size] = '\0';
	printf("%.3s\n", answer + 9);
	return true;
}

static void
open_session(gnutls_session_t *s, unsigned flags, const char *cert, const char *key)
{
	gnutls_certificate_credentials_t credentials;

	gnutls_certificate_allocate_credentials(&credentials);
	if (cert != NULL)
		gnutls_certificate_set_x509_key_file(credentials, cert, key, GNUTLS_X509_FMT_PEM);
	gnutls_init(s, flags);
	gnutls_set_default_priority(*s);
	gnutls_credentials_set(*s, GNUTLS_CRD_CERTIFICATE, credentials);
}

static bool
connects(void)
{
	open_session(&session, GNUTLS_CLIENT, NULL, NULL);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	gnutls_transport_set_int(session, fd);
	return connect_fd(fd, port) == 0;
}

static int
ask_all(bool (*send_request)(const char *, int), ssize_t (*receive)(void), int body_size)
{
	for (; *words != NULL; words++)
		if (!send_request(request, make_request(*words, body_size)) || !show(receive()))
			return 1;
	gnutls_bye(session, GNUTLS_SHUT_WR);
	return close(fd);
}

static int
descriptor(void)
{
	if (!connects() || gnutls_handshake(session) != 0)
		return 1;
	return ask_all(send_all, receive_some, 0);
}

static ssize_t
push(gnutls_transport_ptr_t to, const void *data, size_t size)
{
	return send(*(int *)to, data, size, MSG_NOSIGNAL);
}

static ssize_t
pull(gnutls_transport_ptr_t from, void *data, size_t size)
{
	return recv(*(int *)from, data, size, 0);
}

static int
callbacks(void)
{
	if (!connects())
		return 1;
	gnutls_transport_set_ptr(session, &fd);
	gnutls_transport_set_push_function(session, push);
	gnutls_transport_set_pull_function(session, pull);
	return gnutls_handshake(session) != 0 || ask_all(send_all, receive_some, 0);
}

/* More than the socket takes at a time. */
static int
partial(void)
{
	int small = 4096;

	if (!connects() || gnutls_handshake(session) != 0)
		return 1;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return ask_all(send_all, receive_some, BODY_SIZE);
}

static int
corked(void)
{
	return !connects() || gnutls_handshake(session) != 0 ||
	       ask_all(send_corked, receive_some, 0);
}

static int
packets(void)
{
	return !connects() || gnutls_handshake(session) != 0 ||
	       ask_all(send_all, receive_packet, 0);
}

static void *
serve(void *listener)
{
	static const char *const answers[] = {"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno",
					      "HTTP/1.1 200 Yes\r\nContent-Length: 3\r\n\r\nyes"};
	gnutls_session_t server;
	char bytes[4096];
	int accepted = accept(*(int *)listener, NULL, NULL);

	open_session(&server, GNUTLS_SERVER, words[0], words[1]);
	gnutls_transport_set_int(server, accepted);
	gnutls_handshake(server);
	for (int i = 0; i < 2 && gnutls_record_recv(server, bytes, sizeof(bytes)) > 0; i++)
		gnutls_record_send(server, answers[i], strlen(answers[i]));
	return NULL;
}

static int
both_ends(void)
{
	static const char *const paths[] = {"/first", "/second", NULL};
	struct sockaddr_in at = {.sin_family = AF_INET};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);
	pthread_t thread;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
	    pthread_create(&thread, NULL, serve, &listener) != 0)
		return 1;
	port = ntohs(at.sin_port);
	if (!connects() || gnutls_handshake(session) != 0)
		return 1;
	words = (char **)paths;
	return ask_all(send_all, receive_some, 0);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{"descriptor", descriptor}, {"callbacks", callbacks}, {"partial", partial},
		{"corked", corked},	    {"packets", packets},     {"both_ends", both_ends},
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
