#include "core/jsonrpc.h"

#include <string.h>

#include "core/utf8.h"

enum state {
	AT_BODY,
	AT_MESSAGE,    /* of a batch */
	AT_FIRST_NAME, /* or the end of an empty object */
	AT_NAME,
	IN_NAME,
	AT_COLON,
	AT_VALUE,
	IN_STRING,
	IN_SCALAR,
	IN_NESTED,
	AFTER_VALUE,
	AFTER_MESSAGE,
	AT_END,
	AT_FAULT
};

enum key { KEY_OTHER, KEY_JSONRPC, KEY_METHOD, KEY_ID, KEY_RESULT, KEY_ERROR };

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
word_is(const struct jsonrpc *j, const char *word)
{
	return j->word_len == strlen(word) && memcmp(j->word, word, j->word_len) == 0;
}

static enum key
key_of_word(const struct jsonrpc *j)
{
	static const char names[][8] = {"", "jsonrpc", "method", "id", "result", "error"};

	for (unsigned key = KEY_JSONRPC; key <= KEY_ERROR; key++)
		if (word_is(j, names[key]))
			return (enum key)key;
	return KEY_OTHER;
}

/* A unit that is not ASCII stands in none of the words that matter. */
static void
put_unit(struct jsonrpc *j, uint32_t unit)
{
	if (j->word_len < sizeof(j->word))
		j->word[j->word_len] = unit < 0x80 ? (char)unit : '\xff';
	if (j->word_len <= sizeof(j->word))
		j->word_len++;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
read_escape(struct jsonrpc *j, char c)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (j->escape > 1) {
		int digit = hex_digit(c);

		j->unit = j->unit << 4 | (unsigned)digit;
		if (--j->escape == 1) {
			put_unit(j, j->unit);
			j->escape = 0;
		}
		return digit >= 0;
	}
	j->unit = 0;
	j->escape = c == 'u' ? 5 : 0;
	if (c == 'u')
		return true;
	found = c != '\0' ? strchr(from, c) : NULL;
	if (found != NULL)
		put_unit(j, (unsigned char)to[found - from]);
	return found != NULL;
}

/* A byte of a name or a member's string; the end is told by *ended. */
static bool
read_string(struct jsonrpc *j, char c, bool *ended)
{
	*ended = false;
	if (j->escape > 0)
		return read_escape(j, c);
	if (c == '\\')
		j->escape = 1;
	else if (c == '"')
		*ended = true;
	else if ((unsigned char)c < ' ')
		return false;
	else
		put_unit(j, (unsigned char)c);
	return true;
}

static bool
keep_id_byte(struct jsonrpc *j, char c)
{
	size_t at = (size_t)j->ids_used + 1 + j->id_len;

	if (j->id_len == JSONRPC_ID_MAX || at + 1 >= sizeof(j->ids))
		return false;
	j->ids[at] = c;
	j->id_len++;
	return true;
}

static size_t
count_digits(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && at[n] >= '0' && at[n] <= '9')
		n++;
	return n;
}

static bool
is_number(const char *at, const char *end)
{
	size_t n;

	if (at < end && *at == '-')
		at++;
	n = count_digits(at, end);
	if (n == 0 || (n > 1 && *at == '0'))
		return false;
	at += n;
	if (at < end && *at == '.') {
		n = count_digits(at + 1, end);
		if (n == 0)
			return false;
		at += 1 + n;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		n = count_digits(at, end);
		if (n == 0)
			return false;
		at += n;
	}
	return at == end;
}

/* What is copied into the answer must be JSON: escapes were checked as they passed. */
static bool
is_good_id(const char *id, size_t len)
{
	if (len == 4 && memcmp(id, "null", 4) == 0)
		return true;
	if (*id != '"')
		return is_number(id, id + len);
	while (len > 0) {
		uint32_t c;
		unsigned n = utf8_decode(id, len, &c);

		if (n == 0)
			return false;
		id += n;
		len -= n;
	}
	return true;
}

static enum state
after_member(struct jsonrpc *j, bool is_string)
{
	if (j->key == KEY_JSONRPC)
		j->has_version = is_string && word_is(j, "2.0");
	if (j->key == KEY_METHOD) {
		j->has_method = is_string;
		j->is_tool = is_string && word_is(j, "tools/call");
	}
	if (j->key == KEY_RESULT || j->key == KEY_ERROR)
		j->has_reply = true;
	if (j->key == KEY_ID) {
		j->has_id = true;
		if (!is_good_id(j->ids + j->ids_used + 1, j->id_len))
			return AT_FAULT;
	}
	return AFTER_VALUE;
}

static enum state
after_message(struct jsonrpc *j)
{
	if (!j->has_version || !(j->has_method || (j->has_id && j->has_reply)) ||
	    j->messages == JSONRPC_MESSAGES_MAX)
		return AT_FAULT;
	j->messages++;
	if (j->has_method && j->has_id) {
		j->ids[j->ids_used] = j->is_tool ? 't' : 'm';
		j->ids_used = (uint16_t)(j->ids_used + 1 + j->id_len);
		j->ids[j->ids_used++] = '\0';
	}
	j->has_version = j->has_method = j->has_reply = j->has_id = j->is_tool = false;
	return j->is_batch ? AFTER_MESSAGE : AT_END;
}

static enum state
begin_value(struct jsonrpc *j, char c)
{
	j->word_len = 0;
	if (c == '{' || c == '[') {
		j->nested = 1;
		return j->key == KEY_ID ? AT_FAULT : IN_NESTED;
	}
	if (j->key == KEY_ID) {
		j->id_len = 0;
		if (!keep_id_byte(j, c))
			return AT_FAULT;
	}
	if (c == '"')
		return IN_STRING;
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' ? IN_SCALAR : AT_FAULT;
}

static enum state
begin_name(struct jsonrpc *j, char c)
{
	j->word_len = 0;
	return c == '"' ? IN_NAME : AT_FAULT;
}

/* A byte between tokens, white space left out. */
static enum state
read_token(struct jsonrpc *j, char c)
{
	switch ((enum state)j->state) {
	case AT_BODY:
		j->is_batch = c == '[';
		return c == '[' ? AT_MESSAGE : c == '{' ? AT_FIRST_NAME : AT_FAULT;
	case AT_MESSAGE:
		return c == '{' ? AT_FIRST_NAME : AT_FAULT;
	case AT_FIRST_NAME:
	case AT_NAME:
		/* An empty object is no message. */
		return begin_name(j, c);
	case AT_COLON:
		return c == ':' ? AT_VALUE : AT_FAULT;
	case AT_VALUE:
		return begin_value(j, c);
	case AFTER_VALUE:
		return c == ',' ? AT_NAME : c == '}' ? after_message(j) : AT_FAULT;
	case AFTER_MESSAGE:
		return c == ',' ? AT_MESSAGE : c == ']' ? AT_END : AT_FAULT;
	default:
		return AT_FAULT;
	}
}

static enum state
read_nested(struct jsonrpc *j, char c)
{
	if (j->in_string) {
		if (j->escape > 0)
			j->escape = 0;
		else if (c == '\\')
			j->escape = 1;
		else if (c == '"')
			j->in_string = false;
	} else if (c == '"') {
		j->in_string = true;
	} else if (c == '{' || c == '[') {
		if (++j->nested == UINT32_MAX)
			return AT_FAULT;
	} else if ((c == '}' || c == ']') && --j->nested == 0) {
		return after_member(j, false);
	}
	return IN_NESTED;
}

static enum state
read_scalar(struct jsonrpc *j, char c)
{
	if (is_space(c))
		return after_member(j, false);
	if (c == ',' || c == '}') {
		j->state = (uint8_t)after_member(j, false);
		return j->state == AT_FAULT ? AT_FAULT : read_token(j, c);
	}
	if (j->key == KEY_ID && !keep_id_byte(j, c))
		return AT_FAULT;
	return IN_SCALAR;
}

static enum state
read_byte(struct jsonrpc *j, char c)
{
	bool ended;

	switch ((enum state)j->state) {
	case IN_NAME:
		if (!read_string(j, c, &ended))
			return AT_FAULT;
		if (ended)
			j->key = (uint8_t)key_of_word(j);
		return ended ? AT_COLON : IN_NAME;
	case IN_STRING:
		if ((j->key == KEY_ID && !keep_id_byte(j, c)) || !read_string(j, c, &ended))
			return AT_FAULT;
		return ended ? after_member(j, true) : IN_STRING;
	case IN_SCALAR:
		return read_scalar(j, c);
	case IN_NESTED:
		return read_nested(j, c);
	default:
		return is_space(c) ? (enum state)j->state : read_token(j, c);
	}
}

void
jsonrpc_read(struct jsonrpc *j, const char *bytes, size_t size)
{
	if (bytes == NULL && size > 0)
		j->state = AT_FAULT;
	for (size_t i = 0; i < size && j->state != AT_FAULT; i++)
		j->state = (uint8_t)read_byte(j, bytes[i]);
}

enum jsonrpc_kind
jsonrpc_kind(const struct jsonrpc *j)
{
	if (j->state != AT_END)
		return JSONRPC_NOT;
	return j->ids_used > 0 ? JSONRPC_CALLS : JSONRPC_QUIET;
}

bool
jsonrpc_next(const struct jsonrpc *j, size_t *at, struct jsonrpc_call *out)
{
	const char *record = j->ids + *at;

	if (*at >= j->ids_used)
		return false;
	out->is_tool = *record == 't';
	out->id = (struct span){record + 1, (uint32_t)strlen(record + 1)};
	*at += 1 + out->id.len + 1;
	return true;
}
