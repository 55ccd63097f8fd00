#include "core/http1_message.h"

#include <string.h>

enum phase {
	BETWEEN,
	LINE_BEGIN,
	NAME,
	VALUE,
	LINE_REST, /* says nothing about the body */
	HEAD_END,  /* a CR where a line would begin */
	BODY_COUNTED,
	BODY_CHUNKED,
	BODY_LASTING
};

enum field { OTHER, CONTENT_LENGTH, TRANSFER_ENCODING };

static const char *const names[] = {"", "content-length", "transfer-encoding"};

/* Where in a Content-Length. */
enum { BEFORE_NUMBER, IN_NUMBER, BEHIND_NUMBER };

/* Where in a Transfer-Encoding: so many bytes of this word, or in another one. */
static const char chunked[] = "chunked";
#define CHUNKED_LEN (sizeof(chunked) - 1)
#define NOT_CHUNKED (CHUNKED_LEN + 1)

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void
http1_message_begin(struct http1_message *m)
{
	*m = (struct http1_message){.phase = LINE_BEGIN};
}

/* False: no number, or one that does not fit. */
static bool
length_byte(struct http1_message *m, char c)
{
	unsigned digit = (unsigned)(c - '0');

	if (is_space(c)) {
		m->at = m->at == IN_NUMBER ? BEHIND_NUMBER : m->at;
		return true;
	}
	if (digit > 9 || m->at == BEHIND_NUMBER || m->number > (UINT64_MAX - 9) / 10)
		return false;
	m->number = m->number * 10 + digit;
	m->at = IN_NUMBER;
	return true;
}

static void
end_coding(struct http1_message *m)
{
	if (m->at > 0) {
		m->is_coded = true;
		m->is_chunked = m->at == CHUNKED_LEN;
	}
	m->at = 0;
}

static void
coding_byte(struct http1_message *m, char c)
{
	if (c == ',')
		end_coding(m);
	else if (m->at < CHUNKED_LEN && lower(c) == chunked[m->at])
		m->at++;
	else if (!is_space(c) || (m->at > 0 && m->at < CHUNKED_LEN))
		m->at = NOT_CHUNKED;
}

/* Only here, where the next line is known to be no folded one.  False: no length. */
static bool
end_field(struct http1_message *m)
{
	unsigned field = m->field;

	m->field = OTHER;
	if (field == TRANSFER_ENCODING)
		end_coding(m);
	if (field != CONTENT_LENGTH)
		return true;
	if (m->at == BEFORE_NUMBER || (m->has_length && m->length != m->number))
		return false;
	m->has_length = true;
	m->length = m->number;
	return true;
}

static enum http1_step
begin_line(struct http1_message *m, char c)
{
	if (c == ' ' || c == '\t') {
		m->phase = m->field == OTHER ? LINE_REST : VALUE;
		return HTTP1_GOES_ON;
	}
	if (!end_field(m))
		return HTTP1_BROKEN;
	if (c == '\n')
		return HTTP1_HEAD_OVER;
	c = lower(c);
	if (c == 'c' || c == 't') {
		m->phase = NAME;
		m->field = c == 'c' ? CONTENT_LENGTH : TRANSFER_ENCODING;
		m->at = 1;
	} else {
		m->phase = c == '\r' ? HEAD_END : LINE_REST;
	}
	return HTTP1_GOES_ON;
}

static void
name_byte(struct http1_message *m, char c)
{
	char expected = names[m->field][m->at];

	if (expected != '\0' && lower(c) == expected) {
		m->at++;
	} else if (expected == '\0' && c == ':') {
		m->phase = VALUE;
		m->at = 0;
		m->number = 0;
	} else if (expected != '\0' || (c != ' ' && c != '\t')) {
		m->phase = c == '\n' ? LINE_BEGIN : LINE_REST;
		m->field = OTHER;
	}
}

static enum http1_step
value_byte(struct http1_message *m, char c)
{
	if (m->field == TRANSFER_ENCODING)
		coding_byte(m, c);
	else if (!length_byte(m, c))
		return HTTP1_BROKEN;
	if (c == '\n')
		m->phase = LINE_BEGIN;
	return HTTP1_GOES_ON;
}

static enum http1_step
head_byte(struct http1_message *m, char c)
{
	switch (m->phase) {
	case LINE_BEGIN:
		return begin_line(m, c);
	case NAME:
		name_byte(m, c);
		return HTTP1_GOES_ON;
	case VALUE:
		return value_byte(m, c);
	case HEAD_END:
		return c == '\n' ? HTTP1_HEAD_OVER : HTTP1_BROKEN;
	default:
		return HTTP1_BROKEN;
	}
}

static size_t
read_head(struct http1_message *m, const char *bytes, size_t size, enum http1_step *step)
{
	size_t n = 0;

	while (n < size && *step == HTTP1_GOES_ON) {
		if (m->phase != LINE_REST) {
			*step = head_byte(m, bytes[n++]);
			continue;
		}
		const char *end = memchr(bytes + n, '\n', size - n);

		if (end == NULL)
			return size;
		n = (size_t)(end - bytes) + 1;
		m->phase = LINE_BEGIN;
	}
	return n;
}

static size_t
read_counted(struct http1_message *m, size_t size, enum http1_step *step)
{
	size_t n = m->length < size ? (size_t)m->length : size;

	m->length -= n;
	if (m->length == 0)
		*step = HTTP1_OVER;
	return n;
}

static size_t
read_chunks(struct http1_message *m, const char *bytes, size_t size, enum http1_step *step)
{
	size_t data_size, n = chunked_read(&m->chunks, bytes, size, &data_size);

	if (m->chunks.state == CHUNKED_ENDED)
		*step = HTTP1_OVER;
	else if (m->chunks.state == CHUNKED_BAD)
		*step = HTTP1_BROKEN;
	return n;
}

size_t
http1_message_read(struct http1_message *m, const char *bytes, size_t size, enum http1_step *step)
{
	size_t n = 0;

	*step = HTTP1_GOES_ON;
	while (n < size && *step == HTTP1_GOES_ON) {
		const char *rest = bytes != NULL ? bytes + n : NULL;

		if (m->phase == BODY_LASTING)
			n = size;
		else if (m->phase == BODY_COUNTED)
			n += read_counted(m, size - n, step);
		else if (m->phase == BODY_CHUNKED)
			n += read_chunks(m, rest, size - n, step);
		else if (rest != NULL)
			n += read_head(m, rest, size - n, step);
		else
			*step = HTTP1_BROKEN;
	}
	return *step == HTTP1_BROKEN && bytes == NULL ? size : n;
}

enum http1_step
http1_message_body(struct http1_message *m, bool lasts)
{
	if (m->is_coded && m->is_chunked)
		m->phase = BODY_CHUNKED;
	else if (m->is_coded || (!m->has_length && lasts))
		m->phase = BODY_LASTING;
	else
		m->phase = m->length > 0 ? BODY_COUNTED : BETWEEN;
	if (m->phase == BODY_LASTING && !lasts)
		return HTTP1_BROKEN;
	return m->phase == BETWEEN ? HTTP1_OVER : HTTP1_GOES_ON;
}

bool
http1_message_lasts(const struct http1_message *m)
{
	return m->phase == BODY_LASTING;
}
