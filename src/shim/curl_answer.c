#include "shim/curl_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "core/answer.h"
#include "core/answer_http.h"
#include "core/http_request.h"
#include "core/text.h"
#include "shim/curl_detour.h"
#include "sys/raw.h"
#include "sys/rawnet.h"

#define PIECE 8192
#define LOWEST_FD 3

struct curl_answer {
	struct gate_target target;
	int fd; /* our end; -1: none */
	struct stat identity;
	struct http_request request;
	bool is_ready;
	size_t sent; /* of the answer */
	char breaker[BREAKER_NAME_MAX + 1];
	char message[ANSWER_MESSAGE_MAX];
	uint32_t message_len;
};

/* The program may have closed it, as it closes all that it does not know. */
static bool
has_end(const struct curl_answer *a)
{
	struct stat now;

	return a->fd >= 0 && raw_fstat(a->fd, &now) == 0 && now.st_ino == a->identity.st_ino &&
	       now.st_dev == a->identity.st_dev;
}

static void
close_end(struct curl_answer *a)
{
	if (has_end(a))
		raw_close(a->fd);
	a->fd = -1;
}

/* Neither end takes the place of a standard stream. */
static int
move_up(int fd)
{
	int moved;

	if (fd >= LOWEST_FD)
		return fd;
	moved = raw_fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_FD);
	raw_close(fd);
	return moved;
}

static bool
make_pair(int ends[2])
{
	if (raw_socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return false;
	ends[0] = move_up(ends[0]);
	ends[1] = move_up(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return true;
	for (unsigned i = 0; i < 2; i++)
		if (ends[i] >= 0)
			raw_close(ends[i]);
	return false;
}

/* Again, where libcurl asks anew with the credentials that a 401 wants. */
static curl_socket_t
open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct curl_answer *a = context;
	int ends[2];

	(void)purpose;
	(void)address;
	close_end(a);
	if (!make_pair(ends))
		return CURL_SOCKET_BAD;
	a->fd = ends[1];
	a->is_ready = false;
	a->sent = 0;
	memset(&a->request, 0, sizeof(a->request));
	if (raw_fstat(a->fd, &a->identity) == 0)
		return ends[0];
	raw_close(ends[0]);
	raw_close(ends[1]);
	a->fd = -1;
	return CURL_SOCKET_BAD;
}

/* The URL as plain HTTP has it, to be freed; NULL: it is none of HTTP. */
static char *
plain_url(const char *url)
{
	bool is_tls = strncasecmp(url, "https:", 6) == 0;
	char *plain;

	if (!is_tls && strncasecmp(url, "http:", 5) != 0)
		return NULL;
	plain = strdup(url);
	if (plain != NULL && is_tls)
		memmove(plain + 4, plain + 5, strlen(plain + 5) + 1);
	return plain;
}

static struct curl_answer *
new_answer(const struct gate_target *target)
{
	struct curl_answer *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->target = *target;
	a->fd = -1;
	gate_name(target, a->breaker);
	a->message_len =
		(uint32_t)gate_message(target, gate_now_ns(), a->message, sizeof(a->message));
	return a;
}

static bool
may_answer(const struct curl_handle *h, const struct curl_call *c)
{
	return c->at_gate.target.section->settings.answer == ANSWER_HTTP && c->dest.is_http &&
	       !h->only_connects;
}

/* h->answer is set in the end: then the handle is on its way. */
static bool
begin(struct curl_handle *h, void *handle, const struct curl_call *c)
{
	char *url = curl_dest_url(h), *plain = url != NULL ? plain_url(url) : NULL;
	struct curl_answer *a = plain != NULL ? new_answer(&c->at_gate.target) : NULL;
	bool begun = a != NULL && curl_detour_set(h, handle, plain, open_socket, a);

	free(plain);
	if (begun) {
		curl_handle_set_answered(h, url);
		h->answer = a;
	} else {
		free(a);
		free(url);
	}
	return begun;
}

bool
curl_answer_begin(struct curl_handle *h, void *handle, const struct curl_call *c)
{
	struct dest d = curl_dest_value(&c->dest);
	int saved = errno;
	bool begun = may_answer(h, c) && begin(h, handle, c);

	if (begun)
		gate_refused(&c->at_gate.target, &d, CURL_EDGE, gate_now_ns());
	errno = saved;
	return begun;
}

/* What is no request is not answered: libcurl then fails. */
static void
read_bytes(struct curl_answer *a, const char *bytes, size_t size)
{
	size_t at = 0, taken;

	while (at < size && !a->is_ready) {
		switch (http_request_read(&a->request, bytes + at, size - at, &taken)) {
		case REQUEST_CONTINUE:
			raw_send(a->fd, http_request_continue, strlen(http_request_continue));
			break;
		case REQUEST_READY:
			a->is_ready = true;
			break;
		case REQUEST_FOREIGN:
			close_end(a);
			return;
		case REQUEST_MORE:
			break;
		}
		at += taken;
	}
}

/* To the end, also behind the answer: what libcurl still sends must not wait for us. */
static void
read_all(struct curl_answer *a)
{
	char bytes[PIECE];
	ssize_t n;

	while (a->fd >= 0 && (n = raw_recv(a->fd, bytes, sizeof(bytes))) > 0)
		read_bytes(a, bytes, (size_t)n);
}

static void
write_answer(struct curl_answer *a)
{
	const struct answer_http answer = {&a->request.asked,
					   {a->message, a->message_len},
					   a->breaker,
					   a->target.section->settings.answer_status};
	char bytes[PIECE];
	ssize_t n;

	do {
		size_t size = answer_http_write(&answer, a->sent, bytes, sizeof(bytes));

		n = size > 0 ? raw_send(a->fd, bytes, size) : 0;
		if (n > 0)
			a->sent += (size_t)n;
	} while (n > 0);
}

void
curl_answer_serve(struct curl_answer *a)
{
	if (a == NULL || !has_end(a))
		return;
	read_all(a);
	if (a->is_ready && a->fd >= 0)
		write_answer(a);
}

/* What the program itself brought about, in a transfer that had no answer yet. */
static bool
is_programs_own(CURLcode code)
{
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_ABORTED_BY_CALLBACK:
	case CURLE_READ_ERROR:
	case CURLE_WRITE_ERROR:
	case CURLE_SEND_FAIL_REWIND:
	case CURLE_OUT_OF_MEMORY:
		return true;
	default:
		return false;
	}
}

/* Of an answer whose status is an error libcurl tells the number alone. */
static void
add_message(const struct curl_answer *a, char *buffer)
{
	size_t len = strnlen(buffer, CURL_ERROR_SIZE - 1);
	struct text t = text_over(buffer + len, CURL_ERROR_SIZE - len);

	text_string(&t, " ");
	text_plain(&t, a->message, a->message_len);
}

bool
curl_answer_end(struct curl_handle *h, void *handle, CURLcode code)
{
	bool came = h->answer != NULL && (h->answer->sent > 0 || is_programs_own(code));

	if (came && code == CURLE_HTTP_RETURNED_ERROR && h->error_buffer != NULL)
		add_message(h->answer, h->error_buffer);
	curl_answer_leave(h, handle);
	return came;
}

void
curl_answer_leave(struct curl_handle *h, void *handle)
{
	if (h->answer == NULL)
		return;
	curl_detour_undo(h, handle);
	curl_answer_forget(h);
}

void
curl_answer_forget(struct curl_handle *h)
{
	int saved = errno;

	if (h->answer != NULL)
		close_end(h->answer);
	free(h->answer);
	h->answer = NULL;
	errno = saved;
}
