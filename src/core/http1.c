#include "core/http1.h"

#include <string.h>

/* The start line; the rest of a message is http1_message's. */
enum line {
	LINE_BETWEEN,
	LINE_METHOD,
	LINE_TARGET,
	LINE_VERSION,
	LINE_VERSION_BEHIND,
	LINE_STATUS_BEFORE,
	LINE_STATUS,
	LINE_REASON,
	LINE_MESSAGE,
	LINE_LOST
};

enum method { OTHER, HEAD, CONNECT };

static const char *const methods[] = {"", "HEAD", "CONNECT"};
static const char version[] = "HTTP/1.";

#define METHOD_MAX 32
#define VERSION_LEN (sizeof(version) - 1)
#define STATUS_LEN 3
#define SWITCHING_PROTOCOLS 101

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static uint64_t
bit_of(uint32_t number)
{
	return UINT64_C(1) << number % HTTP1_PIPELINED_MAX;
}

static enum line
begin_request(struct http1_sent *s, char c, struct talk_event *e)
{
	if (c == '\r' || c == '\n')
		return LINE_BETWEEN;
	if (!is_upper(c))
		return LINE_LOST;
	s->method = c == 'H' ? HEAD : c == 'C' ? CONNECT : OTHER;
	s->at = 1;
	s->is_head &= ~bit_of(s->requests);
	s->is_connect &= ~bit_of(s->requests);
	s->requests++;
	e->what = TALK_QUESTION;
	e->silence = SILENCE_FAILS;
	return LINE_METHOD;
}

static enum line
end_method(struct http1_sent *s)
{
	bool is_known = s->method != OTHER && methods[s->method][s->at] == '\0';

	if (is_known && s->method == HEAD)
		s->is_head |= bit_of(s->requests - 1);
	else if (is_known)
		s->is_connect |= bit_of(s->requests - 1);
	return LINE_TARGET;
}

static enum line
after_method(struct http1_sent *s, char c)
{
	if (c == ' ')
		return end_method(s);
	if (s->at == METHOD_MAX || (!is_upper(c) && !is_digit(c) && c != '-' && c != '_'))
		return LINE_LOST;
	if (s->method != OTHER && c != methods[s->method][s->at])
		s->method = OTHER;
	s->at++;
	return LINE_METHOD;
}

static enum line
after_target(struct http1_sent *s, char c)
{
	s->at = 0;
	if (c == ' ')
		return LINE_VERSION;
	return (uint8_t)c < ' ' || c == 0x7f ? LINE_LOST : LINE_TARGET;
}

static enum line
after_request_byte(struct http1_sent *s, char c, struct talk_event *e)
{
	switch ((enum line)s->line) {
	case LINE_BETWEEN:
		return begin_request(s, c, e);
	case LINE_METHOD:
		return after_method(s, c);
	case LINE_TARGET:
		return after_target(s, c);
	case LINE_VERSION:
		/* Some programs send targets with spaces. */
		if (s->at == VERSION_LEN)
			return is_digit(c) ? LINE_VERSION_BEHIND : after_target(s, c);
		if (c != version[s->at])
			return after_target(s, c);
		s->at++;
		return LINE_VERSION;
	case LINE_VERSION_BEHIND:
		if (c != '\n')
			return c == '\r' || c == ' ' ? LINE_VERSION_BEHIND : LINE_LOST;
		http1_message_begin(&s->message);
		return LINE_MESSAGE;
	default:
		return LINE_LOST;
	}
}

static size_t
message_sent(struct http1_sent *s, const char *bytes, size_t size, struct talk_event *e)
{
	enum http1_step step;
	size_t n = http1_message_read(&s->message, bytes, size, &step);

	if (step == HTTP1_HEAD_OVER)
		step = http1_message_body(&s->message, false);
	if (step == HTTP1_OVER) {
		s->line = LINE_BETWEEN;
		e->what = TALK_ASKED;
	} else if (step == HTTP1_BROKEN) {
		s->line = LINE_LOST;
	}
	return n;
}

bool
http1_is_asking(const struct http1_sent *s)
{
	return s->line != LINE_BETWEEN && s->line != LINE_LOST;
}

size_t
http1_sent(struct http1_sent *s, const char *bytes, size_t size, struct talk_event *e)
{
	size_t n = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	while (n < size && e->what == TALK_NOTHING && s->line != LINE_LOST) {
		if (s->line == LINE_MESSAGE)
			n += message_sent(s, bytes != NULL ? bytes + n : NULL, size - n, e);
		else
			s->line = bytes != NULL ? after_request_byte(s, bytes[n++], e) : LINE_LOST;
	}
	if (s->line != LINE_LOST || size == 0)
		return n;
	e->what = TALK_LOST;
	return n > 0 ? n : size;
}

/* How many requests have no answer yet. */
static uint32_t
unanswered(const struct http1_received *r, const struct http1_sent *s)
{
	return s->requests - r->answers;
}

static enum line
begin_answer(struct http1_received *r, const struct http1_sent *s, char c)
{
	uint32_t waiting = unanswered(r, s);

	if (c == '\r' || c == '\n')
		return LINE_BETWEEN;
	if (waiting == 0 || waiting > HTTP1_PIPELINED_MAX || c != version[0])
		return LINE_LOST;
	r->at = 1;
	r->status = 0;
	return LINE_VERSION;
}

static enum line
after_status(struct http1_received *r, char c, struct talk_event *e)
{
	if (!is_digit(c) || (r->at == 0 && c == '0'))
		return LINE_LOST;
	r->status = (uint16_t)(r->status * 10 + (c - '0'));
	r->at++;
	if ((r->at == 1 && c != '1') || (r->at == STATUS_LEN && r->status == SWITCHING_PROTOCOLS))
		e->what = TALK_FIRST;
	return LINE_STATUS;
}

static bool
is_interim(uint16_t status)
{
	return status < 200 && status != SWITCHING_PROTOCOLS;
}

static enum line
after_reason(struct http1_received *r, char c)
{
	if (c != '\n')
		return LINE_REASON;
	http1_message_begin(&r->message);
	return LINE_MESSAGE;
}

static enum line
end_status(struct http1_received *r, char c, struct talk_event *e)
{
	if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
		return LINE_LOST;
	if (!is_interim(r->status)) {
		e->what = TALK_ANSWER;
		e->status = r->status;
	}
	return after_reason(r, c);
}

static enum line
after_answer_byte(struct http1_received *r, const struct http1_sent *s, char c,
		  struct talk_event *e)
{
	switch ((enum line)r->line) {
	case LINE_BETWEEN:
		return begin_answer(r, s, c);
	case LINE_VERSION:
		if (r->at == VERSION_LEN)
			return is_digit(c) ? LINE_VERSION_BEHIND : LINE_LOST;
		return c == version[r->at++] ? LINE_VERSION : LINE_LOST;
	case LINE_VERSION_BEHIND:
		return c == ' ' ? LINE_STATUS_BEFORE : LINE_LOST;
	case LINE_STATUS_BEFORE:
		r->at = 0;
		return c == ' ' ? LINE_STATUS_BEFORE : after_status(r, c, e);
	case LINE_STATUS:
		return r->at < STATUS_LEN ? after_status(r, c, e) : end_status(r, c, e);
	case LINE_REASON:
		return after_reason(r, c);
	default:
		return LINE_LOST;
	}
}

/* The head of an answer is over: whether a body follows depends on the request as well. */
static enum http1_step
answer_body(struct http1_received *r, const struct http1_sent *s, struct talk_event *e)
{
	uint64_t bit = bit_of(r->answers);
	bool is_tunnel = (s->is_connect & bit) != 0 && r->status / 100 == 2;

	if (is_interim(r->status))
		return HTTP1_OVER;
	r->answers++;
	if (is_tunnel || r->status == SWITCHING_PROTOCOLS) {
		e->what = TALK_UPGRADE;
		return HTTP1_BROKEN;
	}
	if ((s->is_head & bit) != 0 || r->status == 204 || r->status == 304)
		return HTTP1_OVER;
	return http1_message_body(&r->message, true);
}

static size_t
message_received(struct http1_received *r, const struct http1_sent *s, const char *bytes,
		 size_t size, struct talk_event *e)
{
	enum http1_step step;

	/* The program knows better where that answer ended. */
	if (http1_message_lasts(&r->message) && unanswered(r, s) > 0) {
		r->line = LINE_LOST;
		return 1;
	}
	size_t n = http1_message_read(&r->message, bytes, size, &step);

	if (step == HTTP1_HEAD_OVER)
		step = answer_body(r, s, e);
	if (step != HTTP1_GOES_ON)
		r->line = step == HTTP1_OVER ? LINE_BETWEEN : LINE_LOST;
	return n;
}

size_t
http1_received(struct http1_received *r, const struct http1_sent *s, const char *bytes, size_t size,
	       struct talk_event *e)
{
	size_t n = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	while (n < size && e->what == TALK_NOTHING && r->line != LINE_LOST) {
		if (r->line == LINE_MESSAGE)
			n += message_received(r, s, bytes != NULL ? bytes + n : NULL, size - n, e);
		else
			r->line =
				bytes != NULL ? after_answer_byte(r, s, bytes[n++], e) : LINE_LOST;
	}
	if (r->line != LINE_LOST || size == 0 || e->what != TALK_NOTHING)
		return n;
	e->what = TALK_LOST;
	return n > 0 ? n : size;
}
