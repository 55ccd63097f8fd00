/*
 * The nine bytes that begin a frame of HTTP/2, and the rules of RFC 9113 for length,
 * stream and order of frames, as far as they tell that these bytes are no frames.
 */
#ifndef CORE_HTTP2_FRAME_H
#define CORE_HTTP2_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP2_FRAME_HEAD 9

enum http2_type {
	HTTP2_DATA,
	HTTP2_HEADERS,
	HTTP2_PRIORITY,
	HTTP2_RST_STREAM,
	HTTP2_SETTINGS,
	HTTP2_PUSH_PROMISE,
	HTTP2_PING,
	HTTP2_GOAWAY,
	HTTP2_WINDOW_UPDATE,
	HTTP2_CONTINUATION
};

#define HTTP2_END_STREAM 0x01
#define HTTP2_ACK 0x01
#define HTTP2_END_HEADERS 0x04
#define HTTP2_PADDED 0x08
#define HTTP2_PRIORITIZED 0x20

/* All zero is one side of a connection before its first frame, which must be SETTINGS. */
struct http2_frame {
	uint32_t left; /* of the payload, in bytes; the reader takes off what it has read */
	uint32_t stream;
	uint32_t block; /* the stream whose fields go on in the next frame; 0: none */
	uint8_t type;
	uint8_t flags;
	uint8_t head[HTTP2_FRAME_HEAD];
	uint8_t have; /* bytes in head */
	bool has_settings;
};

enum http2_begun { HTTP2_NOT_YET, HTTP2_BEGUN, HTTP2_NO_FRAME };

/*
 * When left is 0: takes bytes up to and with the last of a frame's head.  HTTP2_BEGUN: type,
 * flags, stream and left are the frame's.
 */
size_t http2_frame_read(struct http2_frame *f, const char *bytes, size_t size,
			enum http2_begun *begun);

/* Streams that a client opens have odd numbers. */
bool http2_is_clients(uint32_t stream);

#endif
