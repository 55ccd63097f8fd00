#include "core/http_request.h"

#include <string.h>

#include "core/letters.h"

const char http_request_continue[] = "HTTP/1.1 100 Continue\r\n\r\n";

enum state {
	AT_REQUEST, /* empty lines before it are skipped */
	IN_METHOD,
	AT_TARGET,
	IN_TARGET,
	IN_VERSION,
	AT_HEADER,
	IN_NAME,
	AT_VALUE,
	IN_VALUE,
	IN_NO_HEADER, /* a line that goes on with the one before, or has no name */
	AT_BODY,      /* told REQUEST_CONTINUE just now */
	IN_BODY,
	IN_CHUNKS,
	READY,
	FOREIGN
};

static struct span
name_of(const struct http_request *r)
{
	return (struct span){r->name, r->name_len};
}

static bool
is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_';
}

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* False: it does not fit. */
static bool
keep_name_byte(struct http_request *r, char c)
{
	if (r->name_len == sizeof(r->name))
		return false;
	r->name[r->name_len++] = c;
	return true;
}

/* The range in which the value was cut is none. */
static void
keep_value_byte(struct http_request *r, char c)
{
	if (r->value_len < sizeof(r->value))
		r->value[r->value_len] = c;
	if (r->value_len <= sizeof(r->value))
		r->value_len++;
}

static struct span
value_of(const struct http_request *r)
{
	struct span v = {r->value, r->value_len};

	if (v.len > sizeof(r->value)) {
		v.len = sizeof(r->value);
		while (v.len > 0 && v.at[v.len - 1] != ',')
			v.len--;
	}
	while (v.len > 0 && (v.at[v.len - 1] == ' ' || v.at[v.len - 1] == '\t'))
		v.len--;
	return v;
}

static enum state
after_length(struct http_request *r, struct span value)
{
	uint64_t length = 0;

	if (value.len == 0 || value.len > 18)
		return FOREIGN;
	for (uint32_t i = 0; i < value.len; i++) {
		if (value.at[i] < '0' || value.at[i] > '9')
			return FOREIGN;
		length = length * 10 + (unsigned)(value.at[i] - '0');
	}
	if (r->has_length && r->left != length)
		return FOREIGN;
	r->has_length = true;
	r->left = length;
	return AT_HEADER;
}

static enum state
after_header(struct http_request *r)
{
	struct span name = name_of(r), value = value_of(r);

	if (letters_are(name, "content-length"))
		return after_length(r, value);
	if (letters_are(name, "transfer-encoding")) {
		r->is_chunked = letters_end(value, "chunked");
		/* Its end cannot be told otherwise. */
		return r->is_chunked ? AT_HEADER : FOREIGN;
	}
	if (letters_are(name, "expect"))
		r->expects_continue = letters_are(value, "100-continue");
	else
		answer_request_header(&r->asked, name, value);
	return AT_HEADER;
}

static enum state
after_head(struct http_request *r)
{
	bool has_body = r->is_chunked || r->left > 0;

	if (!has_body)
		return READY;
	if (r->expects_continue)
		return answer_request_needs_body(&r->asked) ? AT_BODY : READY;
	return r->is_chunked ? IN_CHUNKS : IN_BODY;
}

static enum state
after_version(struct http_request *r)
{
	struct span version = name_of(r);

	if (version.len != 8 || memcmp(version.at, "HTTP/1.", 7) != 0 || version.at[7] < '0' ||
	    version.at[7] > '9')
		return FOREIGN;
	return AT_HEADER;
}

static enum state
read_first_line(struct http_request *r, char c)
{
	switch ((enum state)r->state) {
	case AT_REQUEST:
		if (c == '\r' || c == '\n')
			return AT_REQUEST;
		return is_letter(c) && keep_name_byte(r, c) ? IN_METHOD : FOREIGN;
	case IN_METHOD:
		if (c != ' ')
			return is_letter(c) && keep_name_byte(r, c) ? IN_METHOD : FOREIGN;
		answer_request_method(&r->asked, name_of(r));
		return AT_TARGET;
	case AT_TARGET:
		return c != ' ' && !is_control(c) ? IN_TARGET : FOREIGN;
	case IN_TARGET:
		r->name_len = 0;
		return c == ' ' ? IN_VERSION : is_control(c) ? FOREIGN : IN_TARGET;
	default:
		if (c == '\r')
			return IN_VERSION;
		if (c == '\n')
			return after_version(r);
		if (is_control(c))
			return FOREIGN;
		/* A target with a blank is no good one, but servers take it. */
		if (c == ' ')
			r->name_len = 0;
		else if (!keep_name_byte(r, c))
			return IN_TARGET;
		return IN_VERSION;
	}
}

static enum state
begin_header(struct http_request *r, char c)
{
	r->name_len = r->value_len = 0;
	if (c == '\r')
		return AT_HEADER;
	if (c == '\n')
		return after_head(r);
	return c != ' ' && c != '\t' && keep_name_byte(r, c) ? IN_NAME : IN_NO_HEADER;
}

static enum state
read_header(struct http_request *r, char c)
{
	switch ((enum state)r->state) {
	case AT_HEADER:
		return begin_header(r, c);
	case IN_NAME:
		if (c == ':')
			return AT_VALUE;
		if (c == '\n')
			return AT_HEADER;
		return keep_name_byte(r, c) ? IN_NAME : IN_NO_HEADER;
	case AT_VALUE:
	case IN_VALUE:
		if (c == '\n')
			return after_header(r);
		if (c != '\r' && ((c != ' ' && c != '\t') || r->state == IN_VALUE)) {
			keep_value_byte(r, c);
			return IN_VALUE;
		}
		return (enum state)r->state;
	default:
		return c == '\n' ? AT_HEADER : IN_NO_HEADER;
	}
}

static size_t
read_head(struct http_request *r, const char *bytes, size_t size)
{
	size_t n = 0;

	if (bytes == NULL && size > 0)
		r->state = FOREIGN;
	while (n < size && r->state < AT_BODY) {
		char c = bytes[n++];

		r->state =
			(uint8_t)(r->state < AT_HEADER ? read_first_line(r, c) : read_header(r, c));
	}
	return n;
}

static size_t
read_body(struct http_request *r, const char *bytes, size_t size)
{
	size_t n = r->left < size ? (size_t)r->left : size;

	answer_request_body(&r->asked, bytes, n);
	r->left -= n;
	if (r->left == 0)
		r->state = READY;
	return n;
}

static size_t
read_chunks(struct http_request *r, const char *bytes, size_t size)
{
	size_t data_size;
	size_t n = chunked_read(&r->chunked, bytes, size, &data_size);

	answer_request_body(&r->asked, bytes, data_size);
	if (r->chunked.state == CHUNKED_ENDED)
		r->state = READY;
	else if (r->chunked.state == CHUNKED_BAD)
		r->state = FOREIGN;
	return n;
}

/* At least one byte, unless the state becomes READY or FOREIGN. */
static size_t
read_piece(struct http_request *r, const char *bytes, size_t size)
{
	if (r->state < AT_BODY)
		return read_head(r, bytes, size);
	return r->state == IN_CHUNKS ? read_chunks(r, bytes, size) : read_body(r, bytes, size);
}

enum http_need
http_request_read(struct http_request *r, const char *bytes, size_t size, size_t *taken)
{
	*taken = 0;
	while (*taken < size && r->state < READY) {
		*taken += read_piece(r, bytes != NULL ? bytes + *taken : NULL, size - *taken);
		if (r->state == AT_BODY) {
			r->state = r->is_chunked ? IN_CHUNKS : IN_BODY;
			return REQUEST_CONTINUE;
		}
	}
	return r->state == READY     ? REQUEST_READY
	       : r->state == FOREIGN ? REQUEST_FOREIGN
				     : REQUEST_MORE;
}

bool
http_request_has_head(const struct http_request *r)
{
	return r->state >= AT_BODY && r->state != FOREIGN;
}
