#include "shim/curl_transfers.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

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

	curl_transfer_waits = top != NULL && top->is_counted && top->first_byte_us == 0;
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
	struct dest d;

	take_out(i, &t);
	if (!t.is_counted)
		return;
	uint64_t now_ns = gate_now_ns();

	d = curl_dest_value(&t.dest);
	gate_done(&t.call, &d, "curl", now_ns, now_ns - t.call.ticket.start_ns, OUTCOME_NEUTRAL,
		  "left");
}

bool
curl_transfers_may_begin(const void *handle)
{
	if (mine.count == CURL_TRANSFERS_MAX)
		return false;
	for (unsigned i = 0; i < mine.count; i++)
		if (mine.at[i].handle == handle)
			return false;
	return true;
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
		if (mine.at[i].handle == handle)
			drop(i);
}

/* As far as the first line of the answer tells; a streamed answer may last for minutes. */
static bool
is_good(const struct curl_transfer *t)
{
	long status = 0;

	if (!t->dest.is_http)
		return true;
	t->getinfo(t->handle, CURLINFO_RESPONSE_CODE, &status);
	return status >= 200 &&
	       !status_in(&t->call.target.section->settings.fail_status, (unsigned)status);
}

void
curl_transfer_look(void)
{
	struct curl_transfer *t = &mine.at[mine.count - 1];
	curl_off_t first_byte_us = 0;
	int saved = errno;

	t->getinfo(t->handle, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
	if (first_byte_us > 0 && first_byte_us != t->stale_us) {
		t->first_byte_us = first_byte_us;
		gate_answered(&t->call, gate_now_ns(), is_good(t));
	}
	set_waits();
	errno = saved;
}
