#include "core/http2.h"

#include <string.h>

static const char preface[HTTP2_PREFACE_LEN + 1] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/* Error codes with which a server does not blame itself. */
enum { NO_ERROR = 0, REFUSED_STREAM = 7, CANCEL = 8, HTTP_1_1_REQUIRED = 13 };

#define WORD_LEN 4
#define PRIORITY_LEN 5
#define PROMISED_LEN 4
#define UPGRADED_STREAM 1

bool
http2_begins(const char *bytes, size_t size)
{
	return memcmp(bytes, preface, size < HTTP2_PREFACE_LEN ? size : HTTP2_PREFACE_LEN) == 0;
}

static bool
was_opened(const struct http2_sent *s, uint32_t stream)
{
	return stream <= s->highest || stream == UPGRADED_STREAM;
}

/* A frame that says something of its stream; false: none that a client may send. */
static bool
stream_sent(struct http2_sent *s, struct talk_event *e)
{
	const struct http2_frame *f = &s->frame;

	if (f->type == HTTP2_HEADERS) {
		s->ends = (f->flags & HTTP2_END_STREAM) != 0;
		if (f->stream > s->highest) {
			s->highest = f->stream;
			e->what = TALK_QUESTION;
			e->silence = SILENCE_FAILS;
			e->stream = f->stream;
		}
	}
	if (f->type == HTTP2_RST_STREAM)
		s->then = TALK_CANCEL;
	else if (f->type == HTTP2_DATA && (f->flags & HTTP2_END_STREAM) != 0)
		s->then = TALK_ASKED;
	else if (f->type != HTTP2_DATA && f->block == 0 && s->ends)
		s->then = TALK_ASKED;
	return was_opened(s, f->stream);
}

static void
end_sent(struct http2_sent *s, struct talk_event *e)
{
	if (s->then != TALK_NOTHING) {
		e->what = s->then;
		e->stream = s->frame.stream;
	}
	s->then = TALK_NOTHING;
}

static bool
has_fields(const struct http2_frame *f)
{
	return f->type == HTTP2_HEADERS || f->type == HTTP2_PUSH_PROMISE ||
	       f->type == HTTP2_CONTINUATION;
}

/* False: it is no frame that a client may send. */
static bool
begin_sent(struct http2_sent *s, struct talk_event *e)
{
	const struct http2_frame *f = &s->frame;
	bool is_body = has_fields(f) || f->type == HTTP2_DATA;

	if (f->type == HTTP2_PUSH_PROMISE || (is_body && !http2_is_clients(f->stream)))
		return false;
	if (is_body || (f->type == HTTP2_RST_STREAM && http2_is_clients(f->stream)))
		if (!stream_sent(s, e))
			return false;
	if (f->left > 0)
		return true;
	/* There is no request without fields. */
	if (e->what == TALK_QUESTION)
		return f->block != 0;
	end_sent(s, e);
	return true;
}

static size_t
head_sent(struct http2_sent *s, const char *bytes, size_t size, struct talk_event *e)
{
	enum http2_begun begun;
	size_t n = http2_frame_read(&s->frame, bytes, size, &begun);

	if (begun == HTTP2_NO_FRAME || (begun == HTTP2_BEGUN && !begin_sent(s, e)))
		s->is_lost = true;
	return n;
}

static size_t
payload_sent(struct http2_sent *s, size_t size, struct talk_event *e)
{
	size_t n = s->frame.left < size ? s->frame.left : size;

	s->frame.left -= (uint32_t)n;
	if (s->frame.left == 0)
		end_sent(s, e);
	return n;
}

static size_t
lost(size_t n, size_t size, struct talk_event *e)
{
	*e = (struct talk_event){.what = TALK_LOST};
	return n > 0 ? n : size;
}

size_t
http2_sent(struct http2_sent *s, const char *bytes, size_t size, struct talk_event *e)
{
	size_t n = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	while (n < size && e->what == TALK_NOTHING && !s->is_lost) {
		if (s->frame.left > 0)
			n += payload_sent(s, size - n, e);
		else if (bytes == NULL)
			s->is_lost = true;
		else if (s->preface == HTTP2_PREFACE_LEN)
			n += head_sent(s, bytes + n, size - n, e);
		else
			s->is_lost = bytes[n++] != preface[s->preface++];
	}
	return s->is_lost && size > 0 ? lost(n, size, e) : n;
}

/* False: it is no frame that a server may send. */
static bool
begin_received(struct http2_received *r, const struct http2_sent *s)
{
	const struct http2_frame *f = &r->frame;
	bool is_about_stream =
		has_fields(f) || f->type == HTTP2_DATA || f->type == HTTP2_RST_STREAM;

	if (is_about_stream && http2_is_clients(f->stream) && !was_opened(s, f->stream))
		return false;
	r->skip = 0;
	r->padding = 0;
	if (f->type == HTTP2_HEADERS || f->type == HTTP2_PUSH_PROMISE) {
		hpack_status_begin(&r->hpack);
		r->is_answer = f->type == HTTP2_HEADERS && http2_is_clients(f->stream);
		r->is_padded = (f->flags & HTTP2_PADDED) != 0;
		if (f->type == HTTP2_PUSH_PROMISE)
			r->skip = PROMISED_LEN;
		else if ((f->flags & HTTP2_PRIORITIZED) != 0)
			r->skip = PRIORITY_LEN;
	} else if (f->type == HTTP2_RST_STREAM || f->type == HTTP2_GOAWAY) {
		r->skip = WORD_LEN;
		r->word = 0;
	}
	return f->left >= (uint32_t)r->skip + r->is_padded;
}

static void
end_word(const struct http2_received *r, const struct http2_sent *s, struct talk_event *e)
{
	bool is_innocent = r->word == NO_ERROR || r->word == REFUSED_STREAM || r->word == CANCEL ||
			   r->word == HTTP_1_1_REQUIRED;

	if (r->frame.type == HTTP2_GOAWAY && (r->word & INT32_MAX) < s->highest) {
		e->what = TALK_DOUBT;
	} else if (r->frame.type == HTTP2_RST_STREAM && http2_is_clients(r->frame.stream)) {
		e->what = TALK_ABORT;
		e->stream = r->frame.stream;
		e->status = !is_innocent;
	}
}

static size_t
word_received(struct http2_received *r, const struct http2_sent *s, const char *bytes, size_t size,
	      struct talk_event *e)
{
	size_t n = 0;

	while (n < size && r->skip > 0) {
		r->word = r->word << 8 | (uint8_t)bytes[n++];
		r->skip--;
	}
	if (r->skip == 0)
		end_word(r, s, e);
	return n;
}

/* Takes fields, up to and with the one that tells an answer's status. */
static size_t
fields_received(struct http2_received *r, const char *bytes, size_t size, struct talk_event *e)
{
	enum hpack_told told;
	size_t n = hpack_status_read(&r->hpack, bytes, size, &told);
	uint16_t status = r->hpack.told;

	if (told == HPACK_BAD) {
		r->is_lost = true;
	} else if (told == HPACK_STATUS && r->is_answer && (status == 0 || status >= 200)) {
		e->what = TALK_ANSWER;
		e->stream = r->frame.stream;
		e->status = status;
	}
	return n;
}

/* Of a frame with fields; they stand between what is skipped and the padding. */
static size_t
block_received(struct http2_received *r, const char *bytes, size_t size, struct talk_event *e)
{
	size_t n;

	if (r->is_padded) {
		r->is_padded = false;
		r->padding = (uint8_t)bytes[0];
		r->is_lost = r->frame.left - 1 < (uint32_t)r->skip + r->padding;
		return 1;
	}
	if (r->skip > 0) {
		n = r->skip < size ? r->skip : size;
		r->skip -= (uint8_t)n;
	} else if (r->frame.left > r->padding) {
		n = r->frame.left - r->padding;
		n = fields_received(r, bytes, n < size ? n : size, e);
	} else {
		n = size;
	}
	return n;
}

static void
end_received(struct http2_received *r)
{
	if (has_fields(&r->frame) && r->frame.block == 0 && !hpack_status_is_whole(&r->hpack))
		r->is_lost = true;
}

static size_t
payload_received(struct http2_received *r, const struct http2_sent *s, const char *bytes,
		 size_t size, struct talk_event *e)
{
	size_t n = r->frame.left < size ? r->frame.left : size;
	bool is_read = has_fields(&r->frame) || r->skip > 0;

	if (is_read && bytes == NULL)
		r->is_lost = true;
	else if (has_fields(&r->frame))
		n = block_received(r, bytes, n, e);
	else if (is_read)
		n = word_received(r, s, bytes, n, e);
	r->frame.left -= (uint32_t)n;
	if (r->frame.left == 0)
		end_received(r);
	return n;
}

static size_t
head_received(struct http2_received *r, const struct http2_sent *s, const char *bytes, size_t size)
{
	enum http2_begun begun;
	size_t n = http2_frame_read(&r->frame, bytes, size, &begun);

	if (begun == HTTP2_NO_FRAME || (begun == HTTP2_BEGUN && !begin_received(r, s)))
		r->is_lost = true;
	else if (begun == HTTP2_BEGUN && r->frame.left == 0)
		end_received(r);
	return n;
}

size_t
http2_received(struct http2_received *r, const struct http2_sent *s, const char *bytes, size_t size,
	       struct talk_event *e)
{
	size_t n = 0;

	*e = (struct talk_event){.what = TALK_NOTHING};
	while (n < size && e->what == TALK_NOTHING && !r->is_lost) {
		const char *rest = bytes != NULL ? bytes + n : NULL;

		if (r->frame.left > 0)
			n += payload_received(r, s, rest, size - n, e);
		else if (rest != NULL)
			n += head_received(r, s, rest, size - n);
		else
			r->is_lost = true;
	}
	return r->is_lost && size > 0 ? lost(n, size, e) : n;
}
