/* Any bytes as requests and answers of HTTP/1 (talk.h), and as a request for a proxy. */
#include "core/http1.h"
#include "fuzz/talk.h"

struct both {
	struct http1_sent sent;
	struct http1_received received;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
feed_sent(void *both, const char *bytes, size_t size, struct talk_event *e)
{
	return http1_sent(&((struct both *)both)->sent, bytes, size, e);
}

static size_t
feed_received(void *both, const char *bytes, size_t size, struct talk_event *e)
{
	struct both *b = both;

	return http1_received(&b->received, &b->sent, bytes, size, e);
}

static void
check_proxied(const char *bytes, size_t size)
{
	struct span host;
	uint16_t port;
	bool is_connect;

	if (!http1_proxied(bytes, size, &host, &port, &is_connect))
		return;
	assert(host.len > 0 && host.at > bytes && host.at + host.len < bytes + size);
	assert(port != 0 || !is_connect);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct talk_reader reader = {feed_sent, feed_received};

	talk_fuzz(&reader, data, size);
	if (size > 3)
		check_proxied((const char *)data + 3, size - 3);
	return 0;
}
