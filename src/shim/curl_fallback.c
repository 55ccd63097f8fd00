#define CURL_DISABLE_TYPECHECK
#include "shim/curl_fallback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "shim/fallback.h"
#include "shim/real.h"

#undef curl_easy_setopt

typedef CURLcode setopt_fn(CURL *, CURLoption, ...);

struct curl_fallback {
	struct curl_slist first;      /* goes before the program's own */
	char text[2 * DEST_TEXT_MAX]; /* HOST:PORT:HOST:PORT */
};

/* What is left empty is any, and then the same. */
static void
put_dest(struct text *t, const struct dest *d)
{
	char addr[DEST_TEXT_MAX];

	if (d->name.len > 0) {
		text_bytes(t, d->name.at, d->name.len);
	} else {
		dest_addr_print(&d->addr, addr);
		text_string(t, d->addr.family == 6 ? "[" : "");
		text_string(t, addr);
		text_string(t, d->addr.family == 6 ? "]" : "");
	}
	text_string(t, ":");
	if (d->port > 0)
		text_number(t, (uint64_t)d->port);
}

static bool
set(const struct curl_handle *h, void *handle, void *list)
{
	setopt_fn *setopt = (setopt_fn *)real_for("curl_easy_setopt", h->library);

	return setopt != NULL && setopt(handle, CURLOPT_CONNECT_TO, list) == CURLE_OK;
}

static bool
go_to(struct curl_handle *h, void *handle, const struct dest *asked, const struct dest *to)
{
	struct curl_fallback *f = calloc(1, sizeof(*f));
	struct text t;

	if (f == NULL)
		return false;
	t = text_over(f->text, sizeof(f->text));
	put_dest(&t, asked);
	text_string(&t, ":");
	put_dest(&t, to);
	f->first = (struct curl_slist){f->text, h->options.connect_to};
	if (!set(h, handle, &f->first)) {
		free(f);
		return false;
	}
	h->fallback = f;
	return true;
}

/* The call is one to the fallback from here on. */
static void
retarget(struct curl_call *c, const struct fallback *f, const struct gate_call *at_gate)
{
	if (f->has_target)
		c->at_gate = *at_gate;
	fallback_name(f, c->dest.host);
	c->dest.addr = f->dest.addr;
	c->dest.port = f->dest.port;
}

/* Whether the program lets libcurl connect to it; a name has what addresses it has. */
static bool
can_reach(const struct curl_handle *h, const struct dest *d)
{
	long version = h->options.ip_version;

	return (version != CURL_IPRESOLVE_V4 || d->addr.family != 6) &&
	       (version != CURL_IPRESOLVE_V6 || d->addr.family != 4);
}

enum gate_answer
curl_fallback_ask(struct curl_handle *h, struct curl_call *c)
{
	const struct gate_target target = c->at_gate.target;
	struct dest asked = curl_dest_value(&c->dest);
	struct gate_call at_gate;
	struct fallback f = {.number = 0};

	while (fallback_next(&target, c->dest.port, &f)) {
		enum gate_answer answer = GATE_PASS;

		if (!can_reach(h, &f.dest))
			continue;
		if (f.has_target)
			answer = gate_ask(&f.target, gate_now_ns(), &at_gate);
		if (answer == GATE_REFUSE)
			continue;
		bool goes = go_to(h, c->handle, &asked, &f.dest);

		if (!goes && answer == GATE_ADMIT)
			gate_done(&at_gate, &f.dest, CURL_EDGE, gate_now_ns(), 0, OUTCOME_NEUTRAL,
				  "left");
		if (!goes)
			return GATE_REFUSE;
		retarget(c, &f, &at_gate);
		/* What libcurl does for it is no other call, whether it is counted or not. */
		return answer;
	}
	return GATE_REFUSE;
}

void
curl_fallback_leave(struct curl_handle *h, void *handle)
{
	int saved = errno;

	if (h->fallback != NULL)
		set(h, handle, h->options.connect_to);
	curl_fallback_forget(h);
	errno = saved;
}

void
curl_fallback_duplicate(const struct curl_handle *h, void *copy)
{
	if (h->fallback != NULL)
		set(h, copy, h->options.connect_to);
}

void
curl_fallback_forget(struct curl_handle *h)
{
	int saved = errno;

	free(h->fallback);
	h->fallback = NULL;
	errno = saved;
}
