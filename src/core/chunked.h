/*
 * A body in chunks (RFC 9112, section 7.1), read in pieces: sizes in hexadecimal with
 * extensions, data, and trailers.  All zero is a reader at the body's begin.  Ends of
 * lines may lack the carriage return.
 */
#ifndef CORE_CHUNKED_H
#define CORE_CHUNKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chunked_state {
	CHUNKED_SIZE,
	CHUNKED_EXTENSION,
	CHUNKED_DATA,
	CHUNKED_DATA_END,
	CHUNKED_TRAILER, /* at the begin of a line */
	CHUNKED_TRAILER_REST,
	CHUNKED_ENDED,
	CHUNKED_BAD
};

struct chunked {
	uint64_t left; /* of the size as read so far, or of the data */
	enum chunked_state state;
	bool has_digit;
};

/*
 * Takes the next piece: either framing alone, with *data_size 0, or data alone, which is
 * then all that was taken.  Returns how many bytes, at least one of size > 0, unless the
 * state is CHUNKED_ENDED (with the byte taken last) or CHUNKED_BAD.  bytes may be NULL
 * where they were not seen: right for data, CHUNKED_BAD for anything else.
 */
size_t chunked_read(struct chunked *c, const char *bytes, size_t size, size_t *data_size);

#endif
