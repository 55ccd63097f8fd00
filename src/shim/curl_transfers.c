#include "shim/curl_transfers.h"

#include <errno.h>
#include <string.h>

#include "shim/curl_answer.h"
#include "shim/guard.h"
#include "shim/hook_curl.h"

CURL_THREAD_LOCAL bool curl_transfer_waits;

static __thread __attribute__((tls_model("initial-exec"))) struct {
	unsigned count;
	uint64_t last_id;
	struct curl_transfer at[CURL_TRANSFERS_MAX];
} mine;

/* Only the innermost reads and waits. */
static void
set_waits(void)
{
	const struct curl_transfer *top = mine.count > 0 ? &mine.at[mine.count - 1] : NULL;

	curl_transfer_waits =
		top != NULL &&
		(top->is_answered || (top->call.is_counted && top->call.first_byte_us == 0));
}

static void
take_out(unsigned i, struct curl_transfer *out)
{
	*out = mine.at[i];
	mine.count--;
	memmove(&mine.at[i], &mine.at[i + 1], (mine.count - i) * sizeof(mine.at[0]));
	guard_leave_transfer();
	set_waits();
}

static void
drop(unsigned i)
{
	struct curl_transfer t;

	take_out(i, &t);
	if (t.call.is_counted)
		curl_call_forget(&t.call);
}

bool
curl_transfers_has(const void *handle)
{
	for (unsigned i = 0; i < mine.count; i++)
		if (mine.at[i].call.handle == handle)
			return true;
	return false;
}

bool
curl_transfers_may_begin(const void *handle)
{
	return mine.count < CURL_TRANSFERS_MAX && !curl_transfers_has(handle);
}

uint64_t
curl_transfers_begin(const struct curl_transfer *t)
{
	mine.at[mine.count] = *t;
	mine.at[mine.count++].id = ++mine.last_id;
	guard_enter_transfer();
	set_waits();
	return mine.last_id;
}

bool
curl_transfers_end(uint64_t id, struct curl_transfer *out)
{
	for (unsigned i = mine.count; i-- > 0;) {
		if (mine.at[i].id != id)
			continue;
		take_out(i, out);
		return true;
	}
	return false;
}

/* Stacks grow towards lower addresses on all machines that the shim runs on. */
void
curl_transfers_drop_dead(const void *frame)
{
	while (mine.count > 0 && (uintptr_t)mine.at[mine.count - 1].frame <= (uintptr_t)frame)
		drop(mine.count - 1);
}

void
curl_transfers_drop_handle(const void *handle)
{
	for (unsigned i = mine.count; i-- > 0;)
		if (mine.at[i].call.handle == handle)
			drop(i);
}

static void
serve(const void *handle)
{
	struct curl_handle *h = curl_handle_find(handle);

	if (h != NULL)
		curl_answer_serve(h->answer);
}

void
curl_transfer_look(void)
{
	struct curl_transfer *top = &mine.at[mine.count - 1];
	int saved = errno;

	if (top->is_answered)
		serve(top->call.handle);
	else
		curl_call_look(&top->call);
	set_waits();
	errno = saved;
}
