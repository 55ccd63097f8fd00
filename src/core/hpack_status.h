/*
 * The :status of an answer out of its block of fields (HPACK, RFC 7541).
 *
 * Fields are walked over without being decoded: only how many were put into the dynamic
 * table, and which of these are a status, is kept.  That is exact, as fields of that table
 * are named by how long ago they were put there.
 */
#ifndef CORE_HPACK_STATUS_H
#define CORE_HPACK_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPACK_STATUSES 8

/* All zero is a connection before its first block. */
struct hpack_status {
	uint32_t number;	     /* the integer that is being read; what is left of a string */
	uint32_t text;		     /* the last bytes of a status */
	uint16_t inserted;	     /* into the dynamic table; wraps */
	uint16_t at[HPACK_STATUSES]; /* which insertion it was */
	uint16_t status[HPACK_STATUSES];
	uint16_t told; /* see HPACK_STATUS */
	uint8_t phase;
	uint8_t kind;
	uint8_t shift; /* of the integer's next bits */
	uint8_t text_len;
	uint8_t latest; /* of the HPACK_STATUSES */
	bool is_huffman;
	bool is_status;	    /* the field that is being read */
	bool is_behind;	    /* the block's first field */
	bool has_forgotten; /* there were more statuses than are kept */
};

enum hpack_told {
	HPACK_NOTHING,
	HPACK_STATUS, /* told: 100 to 999, or 0, where it cannot be told */
	HPACK_BAD     /* no block of fields */
};

/* Before each block but the first. */
void hpack_status_begin(struct hpack_status *h);

/*
 * Takes bytes up to and with the one that tells something.  A status is the first field of
 * its block, or there is none, as in trailers.  Blocks without one must be fed as well.
 */
size_t hpack_status_read(struct hpack_status *h, const char *bytes, size_t size,
			 enum hpack_told *told);

/* A block may end here. */
bool hpack_status_is_whole(const struct hpack_status *h);

#endif
