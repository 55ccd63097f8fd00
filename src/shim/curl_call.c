#include "shim/curl_call.h"

#include <string.h>

#include "shim/curl_fallback.h"
#include "shim/curl_lookups.h"
#include "shim/curl_outcome.h"
#include "shim/real.h"
#include "shim/refusal.h"

static int64_t
info_number(const struct curl_call *c, CURLINFO info)
{
	curl_off_t value = 0;

	return c->getinfo(c->handle, info, &value) == CURLE_OK ? (int64_t)value : 0;
}

static unsigned
status_of(const struct curl_call *c)
{
	return c->dest.is_http ? (unsigned)info_number(c, CURLINFO_RESPONSE_CODE) : 0;
}

static const struct status_ranges *
fails_of(const struct curl_call *c)
{
	return &c->at_gate.target.section->settings.fail_status;
}

/* After a redirect it may be another host whose name was looked up. */
static bool
name_is_missing(const struct curl_handle *h, const struct curl_call *c)
{
	char host[DEST_NAME_MAX + 2];
	char *url = NULL;

	if (h->fallback != NULL ||
	    c->getinfo(c->handle, CURLINFO_EFFECTIVE_URL, &url) != CURLE_OK ||
	    !curl_dest_host(h, url, host))
		return curl_lookup_is_neutral(curl_dest_value(&c->dest).name);
	return curl_lookup_is_neutral((struct span){host, (uint32_t)strlen(host)});
}

enum gate_answer
curl_call_ask(struct curl_handle *h, void *handle, struct curl_call *c)
{
	struct gate_target target;
	enum gate_answer answer;
	struct dest d;

	c->getinfo = (curl_getinfo_fn *)real_for("curl_easy_getinfo", h->library);
	if (c->getinfo == NULL || !curl_dest_of(h, &c->dest))
		return GATE_PASS;
	d = curl_dest_value(&c->dest);
	if (!gate_find(&d, &target))
		return GATE_PASS;
	answer = gate_ask(&target, gate_now_ns(), &c->at_gate);
	c->handle = handle;
	if (answer == GATE_REFUSE)
		answer = curl_fallback_ask(h, c);
	c->is_counted = answer == GATE_ADMIT;
	if (answer == GATE_REFUSE)
		return answer;
	c->may_queue = false;
	c->began_ns = c->at_gate.ticket.start_ns;
	c->first_byte_us = 0;
	c->stale_us = info_number(c, CURLINFO_STARTTRANSFER_TIME_T);
	return GATE_ADMIT;
}

void
curl_call_refuse(struct curl_handle *h, const struct curl_call *c, char *message)
{
	struct dest d = curl_dest_value(&c->dest);

	gate_refused(&c->at_gate.target, &d, CURL_EDGE, gate_now_ns());
	curl_call_set_refused(h, c, message);
}

void
curl_call_set_refused(struct curl_handle *h, const struct curl_call *c, char *message)
{
	const struct gate_target *target = &c->at_gate.target;

	if (message != NULL)
		gate_message(target, gate_now_ns(), message, CURL_ERROR_SIZE);
	curl_handle_set_refused(h, target->section->settings.refuse_errno, curl_dest_url(h));
}

void
curl_call_told(const struct curl_call *c)
{
	if (c != NULL)
		refusal_set(REFUSAL_CURL, CURLE_COULDNT_CONNECT, &c->at_gate.target);
	else
		refusal_clear(REFUSAL_CURL);
}

/* As far as the first line of the answer tells; a streamed answer may last for minutes. */
static bool
is_good(const struct curl_call *c)
{
	unsigned status = status_of(c);

	return !c->dest.is_http || (status >= 200 && !status_in(fails_of(c), status));
}

void
curl_call_may_queue(struct curl_call *c)
{
	c->may_queue = true;
	c->began_ns = 0;
	if (c->is_counted)
		gate_answered(&c->at_gate, gate_now_ns(), false);
}

bool
curl_call_look(struct curl_call *c)
{
	int64_t first_byte_us = info_number(c, CURLINFO_STARTTRANSFER_TIME_T);

	if (c->began_ns == 0 && info_number(c, CURLINFO_NAMELOOKUP_TIME_T) > 0)
		c->began_ns = gate_now_ns();
	if (first_byte_us <= 0 || first_byte_us == c->stale_us)
		return false;
	c->first_byte_us = first_byte_us;
	gate_answered(&c->at_gate, gate_now_ns(), is_good(c));
	return true;
}

static uint64_t
under_way_ns(const struct curl_call *c, uint64_t now_ns)
{
	return c->began_ns != 0 && c->began_ns < now_ns ? now_ns - c->began_ns : 0;
}

/* For the longer part of its time. */
static bool
was_held(const struct curl_call *c, uint64_t now_ns)
{
	return c->may_queue && now_ns - c->at_gate.ticket.start_ns > 2 * under_way_ns(c, now_ns);
}

static uint64_t
latency_ns(const struct curl_call *c, uint64_t now_ns)
{
	int64_t first_byte_us = c->first_byte_us;

	/* libcurl adds up over redirects: the first answer counts, when it was seen. */
	if (first_byte_us == 0)
		first_byte_us = info_number(c, CURLINFO_STARTTRANSFER_TIME_T);
	if (first_byte_us <= 0 || first_byte_us == c->stale_us)
		return under_way_ns(c, now_ns);
	/* In some versions the time in the queue is part of both. */
	if (c->may_queue)
		first_byte_us -= info_number(c, CURLINFO_NAMELOOKUP_TIME_T);
	return first_byte_us > 0 ? (uint64_t)first_byte_us * 1000 : 0;
}

static void
record(const struct curl_call *c, uint64_t now_ns, enum outcome outcome, const char *detail)
{
	struct dest d = curl_dest_value(&c->dest);

	gate_done(&c->at_gate, &d, CURL_EDGE, now_ns, latency_ns(c, now_ns), outcome, detail);
}

static bool
has_answer(const struct curl_call *c)
{
	int64_t first_byte_us = info_number(c, CURLINFO_STARTTRANSFER_TIME_T);

	return c->first_byte_us > 0 || (first_byte_us > 0 && first_byte_us != c->stale_us);
}

void
curl_call_end(const struct curl_handle *h, const struct curl_call *c, CURLcode code)
{
	struct curl_end end = {.code = (int)code, .status = status_of(c)};
	uint64_t now_ns = gate_now_ns();
	char detail[CURL_DETAIL_MAX];

	if (code == CURLE_COULDNT_CONNECT)
		end.local_errno = curl_errno_is_local((int)info_number(c, CURLINFO_OS_ERRNO));
	if (code == CURLE_COULDNT_RESOLVE_HOST)
		end.name_missing = name_is_missing(h, c);
	if (code == CURLE_OPERATION_TIMEDOUT)
		end.was_held = was_held(c, now_ns);
	end.is_stale = info_number(c, CURLINFO_NUM_CONNECTS) == 0 && !has_answer(c);
	curl_detail(&end, fails_of(c), detail);
	record(c, now_ns, curl_outcome(&end, fails_of(c)), detail);
}

/* Of an upload whose length libcurl does not know, nobody can tell. */
static bool
is_sending(const struct curl_call *c)
{
	int64_t sent = info_number(c, CURLINFO_SIZE_UPLOAD_T);

	return sent > 0 && sent != info_number(c, CURLINFO_CONTENT_LENGTH_UPLOAD_T);
}

void
curl_call_leave(const struct curl_call *c)
{
	uint64_t now_ns = gate_now_ns();
	struct curl_left left = {
		.has_answer = has_answer(c),
		.was_held = was_held(c, now_ns),
		.is_sending = is_sending(c),
		.waited_ns = under_way_ns(c, now_ns),
	};
	char detail[CURL_DETAIL_MAX];

	if (left.has_answer)
		left.status = status_of(c);
	curl_left_detail(&left, fails_of(c), detail);
	record(c, now_ns, curl_left_outcome(&left, fails_of(c)), detail);
}

void
curl_call_forget(const struct curl_call *c)
{
	struct dest d = curl_dest_value(&c->dest);
	uint64_t now_ns = gate_now_ns();

	gate_done(&c->at_gate, &d, CURL_EDGE, now_ns, now_ns - c->at_gate.ticket.start_ns,
		  OUTCOME_NEUTRAL, "left");
}
