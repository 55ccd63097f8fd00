/* A multi handle of libcurl, driven in one of two ways. */
#ifndef CLIENTS_MULTI_H
#define CLIENTS_MULTI_H

#include <curl/curl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FDS_MAX 512

struct loop {
	CURLM *multi;
	bool by_sockets; /* curl_multi_socket_action(), else curl_multi_perform() */
	int running;
	double due; /* when libcurl wants to be called; 0: not at all */
	struct pollfd fds[FDS_MAX];
	unsigned count;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
on_socket(CURL *handle, curl_socket_t fd, int what, void *context, void *unused)
{
	struct loop *l = context;
	unsigned i = 0;

	(void)handle;
	(void)unused;
	while (i < l->count && l->fds[i].fd != fd)
		i++;
	if (what == CURL_POLL_REMOVE) {
		if (i < l->count)
			l->fds[i] = l->fds[--l->count];
		return 0;
	}
	if (i == l->count)
		l->count++;
	l->fds[i].fd = fd;
	l->fds[i].events = (short)(((what & CURL_POLL_IN) ? POLLIN : 0) |
				   ((what & CURL_POLL_OUT) ? POLLOUT : 0));
	return 0;
}

static int
on_timer(CURLM *multi, long timeout_ms, void *context)
{
	struct loop *l = context;

	(void)multi;
	l->due = timeout_ms >= 0 ? now() + (double)timeout_ms / 1e3 : 0;
	return 0;
}

static void
loop_begin(struct loop *l, const char *way)
{
	memset(l, 0, sizeof(*l));
	l->multi = curl_multi_init();
	l->by_sockets = strcmp(way, "sockets") == 0;
	if (!l->by_sockets)
		return;
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
}

static void
loop_act(struct loop *l, const struct pollfd *ready)
{
	int events = ((ready->revents & POLLIN) ? CURL_CSELECT_IN : 0) |
		     ((ready->revents & POLLOUT) ? CURL_CSELECT_OUT : 0) |
		     ((ready->revents & (POLLERR | POLLHUP)) ? CURL_CSELECT_ERR : 0);

	if (events != 0)
		curl_multi_socket_action(l->multi, ready->fd, events, &l->running);
}

/* Goes by what libcurl's callbacks said alone, so a timer that is missing shows as a hang. */
static void
loop_by_sockets(struct loop *l, int wait_ms)
{
	struct pollfd ready[FDS_MAX];
	unsigned count = l->count;
	double left_ms = l->due > 0 ? (l->due - now()) * 1e3 + 1 : wait_ms;
	int limit_ms = left_ms < 0 ? 0 : left_ms < wait_ms ? (int)left_ms : wait_ms;

	memcpy(ready, l->fds, sizeof(ready));
	poll(ready, count, limit_ms);
	if (l->due > 0 && now() >= l->due) {
		l->due = 0;
		curl_multi_socket_action(l->multi, CURL_SOCKET_TIMEOUT, 0, &l->running);
	}
	for (unsigned i = 0; i < count; i++)
		loop_act(l, &ready[i]);
}

/* Lets libcurl at its transfers once, after a wait of at most wait_ms. */
static void
loop_step(struct loop *l, int wait_ms)
{
	if (l->by_sockets) {
		loop_by_sockets(l, wait_ms);
		return;
	}
	curl_multi_poll(l->multi, NULL, 0, wait_ms, NULL);
	curl_multi_perform(l->multi, &l->running);
}

#endif
