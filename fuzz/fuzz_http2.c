/* Any bytes as the two sides of a connection in HTTP/2 (talk.h). */
#include "core/http2.h"
#include "fuzz/talk.h"

struct both {
	struct http2_sent sent;
	struct http2_received received;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
feed_sent(void *both, const char *bytes, size_t size, struct talk_event *e)
{
	return http2_sent(&((struct both *)both)->sent, bytes, size, e);
}

static size_t
feed_received(void *both, const char *bytes, size_t size, struct talk_event *e)
{
	struct both *b = both;
	size_t n = http2_received(&b->received, &b->sent, bytes, size, e);

	if (e->what == TALK_ANSWER || e->what == TALK_ABORT)
		assert(http2_is_clients(e->stream));
	if (e->what == TALK_ANSWER)
		assert(e->status == 0 || (e->status >= 200 && e->status <= 999));
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct talk_reader reader = {feed_sent, feed_received};

	talk_fuzz(&reader, data, size);
	return 0;
}
