#include "core/hpack_status.h"

/* What comes next. */
enum phase { FIELD, INDEX, NAME_LEN, NAME_LEN_MORE, NAME, VALUE_LEN, VALUE_LEN_MORE, VALUE };

enum kind { INDEXED, INSERTED, NOT_INSERTED, TABLE_SIZE };

#define STATIC_STATUS 8 /* the first of these in the static table */
#define STATIC_COUNT 61
#define STATUS_LEN 3
#define SHIFT_MAX 28
#define HUFFMAN 0x80

static const uint16_t static_status[] = {200, 204, 206, 304, 400, 404, 500};
#define STATIC_STATUSES (sizeof(static_status) / sizeof(static_status[0]))

/* Huffman's codes of 0 to 2 are these numbers in 5 bits, of 3 to 9 these and so on in 6. */
#define SHORT_DIGITS 3
#define LONG_DIGIT_3 0x19
/* Of the colon that begins a pseudo-field's name, in 7 bits. */
#define HUFFMAN_COLON 0x5c

static bool
is_static_status(uint32_t index)
{
	return index >= STATIC_STATUS && index < STATIC_STATUS + STATIC_STATUSES;
}

/* Which of the statuses that are kept has this index; HPACK_STATUSES: none. */
static unsigned
find(const struct hpack_status *h, uint32_t index)
{
	uint32_t ago = index - STATIC_COUNT;
	unsigned i = 0;

	if (index <= STATIC_COUNT || ago > UINT16_MAX)
		return HPACK_STATUSES;
	while (i < HPACK_STATUSES &&
	       (h->status[i] == 0 || h->at[i] != (uint16_t)(h->inserted - ago)))
		i++;
	return i;
}

/* The name of what has this index. */
static bool
names_status(const struct hpack_status *h, uint32_t index)
{
	return is_static_status(index) || find(h, index) < HPACK_STATUSES ||
	       (index > STATIC_COUNT && h->has_forgotten);
}

static uint16_t
indexed_status(const struct hpack_status *h, uint32_t index)
{
	unsigned i = find(h, index);

	if (is_static_status(index))
		return static_status[index - STATIC_STATUS];
	return i < HPACK_STATUSES ? h->status[i] : 0;
}

/* Puts a field into the dynamic table; status 0: something else, or not to be told. */
static void
insert(struct hpack_status *h, uint16_t status)
{
	for (unsigned i = 0; i < HPACK_STATUSES; i++)
		if (h->at[i] == h->inserted)
			h->status[i] = 0;
	if (status != 0) {
		h->latest = (uint8_t)((h->latest + 1) % HPACK_STATUSES);
		h->has_forgotten |= h->status[h->latest] != 0;
		h->at[h->latest] = h->inserted;
		h->status[h->latest] = status;
	}
	h->inserted++;
}

/* Three digits, padded with ones; 0: something else. */
static uint16_t
huffman_status(uint32_t text, unsigned bits)
{
	uint16_t status = 0;

	for (unsigned i = 0; i < STATUS_LEN; i++) {
		uint32_t next = bits >= 5 ? text >> (bits - 5) & 0x1f : UINT32_MAX;

		if (next < SHORT_DIGITS) {
			bits -= 5;
			status = (uint16_t)(status * 10 + next);
			continue;
		}
		next = bits >= 6 ? (text >> (bits - 6) & 0x3f) - LONG_DIGIT_3 : UINT32_MAX;
		if (next > 9 - SHORT_DIGITS)
			return 0;
		bits -= 6;
		status = (uint16_t)(status * 10 + SHORT_DIGITS + next);
	}
	return bits < 8 && (text | ~0U << bits) == UINT32_MAX ? status : 0;
}

static uint16_t
plain_status(uint32_t text)
{
	uint16_t status = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		uint32_t digit = (text >> shift & 0xff) - '0';

		if (digit > 9)
			return 0;
		status = (uint16_t)(status * 10 + digit);
	}
	return status;
}

static uint16_t
literal_status(const struct hpack_status *h)
{
	uint16_t status = 0;

	if (h->text_len > STATUS_LEN)
		return 0;
	if (h->is_huffman)
		status = huffman_status(h->text, 8U * h->text_len);
	else if (h->text_len == STATUS_LEN)
		status = plain_status(h->text);
	return status >= 100 ? status : 0;
}

static enum hpack_told
end_field(struct hpack_status *h, uint16_t status)
{
	bool tells = h->is_status && !h->is_behind;

	h->phase = FIELD;
	h->is_behind = true;
	h->told = status;
	return tells ? HPACK_STATUS : HPACK_NOTHING;
}

static enum hpack_told
end_value(struct hpack_status *h)
{
	uint16_t status = h->is_status ? literal_status(h) : 0;

	if (h->kind == INSERTED)
		insert(h, status);
	return end_field(h, status);
}

/* The integer that begins a field is whole. */
static enum hpack_told
end_index(struct hpack_status *h)
{
	if (h->kind == TABLE_SIZE) {
		h->phase = FIELD;
		return HPACK_NOTHING;
	}
	h->is_status = names_status(h, h->number);
	if (h->kind != INDEXED) {
		h->phase = h->number == 0 ? NAME_LEN : VALUE_LEN;
		return HPACK_NOTHING;
	}
	return h->number == 0 ? HPACK_BAD : end_field(h, indexed_status(h, h->number));
}

static enum hpack_told
end_len(struct hpack_status *h)
{
	h->phase = h->phase == NAME_LEN_MORE ? NAME : VALUE;
	h->text = 0;
	h->text_len = 0;
	if (h->number > 0)
		return HPACK_NOTHING;
	if (h->phase == VALUE)
		return end_value(h);
	h->phase = VALUE_LEN;
	return HPACK_NOTHING;
}

static enum hpack_told
end_integer(struct hpack_status *h)
{
	return h->phase == INDEX ? end_index(h) : end_len(h);
}

/* An integer begins in the low bits of this byte; the phase is where it goes on. */
static enum hpack_told
begin_integer(struct hpack_status *h, uint8_t byte, uint8_t mask, enum phase more)
{
	h->phase = (uint8_t)more;
	h->shift = 0;
	h->number = byte & mask;
	return h->number < mask ? end_integer(h) : HPACK_NOTHING;
}

static enum hpack_told
more_integer(struct hpack_status *h, uint8_t byte)
{
	if (h->shift >= SHIFT_MAX)
		return HPACK_BAD;
	h->number += (uint32_t)(byte & 0x7f) << h->shift;
	h->shift += 7;
	return (byte & 0x80) == 0 ? end_integer(h) : HPACK_NOTHING;
}

static enum hpack_told
begin_field(struct hpack_status *h, uint8_t byte)
{
	h->kind = byte >= 0x80	 ? INDEXED
		  : byte >= 0x40 ? INSERTED
		  : byte >= 0x20 ? TABLE_SIZE
				 : NOT_INSERTED;
	static const uint8_t masks[] = {
		[INDEXED] = 0x7f, [INSERTED] = 0x3f, [TABLE_SIZE] = 0x1f, [NOT_INSERTED] = 0x0f};

	return begin_integer(h, byte, masks[h->kind], INDEX);
}

static enum hpack_told
after_byte(struct hpack_status *h, uint8_t byte)
{
	switch ((enum phase)h->phase) {
	case FIELD:
		return begin_field(h, byte);
	case NAME_LEN:
	case VALUE_LEN:
		h->is_huffman = (byte & HUFFMAN) != 0;
		return begin_integer(h, byte, 0x7f,
				     h->phase == NAME_LEN ? NAME_LEN_MORE : VALUE_LEN_MORE);
	default:
		return more_integer(h, byte);
	}
}

/* Takes what is there of a name or a value. */
static size_t
read_string(struct hpack_status *h, const char *bytes, size_t size, enum hpack_told *told)
{
	size_t n = h->number < size ? h->number : size;

	if (h->phase == NAME && h->text_len == 0) {
		h->is_status =
			h->is_huffman ? (uint8_t)bytes[0] >> 1 == HUFFMAN_COLON : bytes[0] == ':';
		h->text_len = 1;
	}
	for (size_t i = 0; i < n && h->phase == VALUE && h->text_len <= STATUS_LEN; i++) {
		h->text = h->text << 8 | (uint8_t)bytes[i];
		h->text_len++;
	}
	h->number -= (uint32_t)n;
	if (h->number == 0 && h->phase == VALUE)
		*told = end_value(h);
	else if (h->number == 0)
		h->phase = VALUE_LEN;
	return n;
}

void
hpack_status_begin(struct hpack_status *h)
{
	h->phase = FIELD;
	h->is_behind = false;
}

size_t
hpack_status_read(struct hpack_status *h, const char *bytes, size_t size, enum hpack_told *told)
{
	size_t n = 0;

	*told = HPACK_NOTHING;
	while (n < size && *told == HPACK_NOTHING) {
		if (h->phase == NAME || h->phase == VALUE)
			n += read_string(h, bytes + n, size - n, told);
		else
			*told = after_byte(h, (uint8_t)bytes[n++]);
	}
	return n;
}

bool
hpack_status_is_whole(const struct hpack_status *h)
{
	return h->phase == FIELD;
}
