/*
 * What programs do in multi handles of libcurl with transfers that are given an HTTP
 * answer.
 *
 *     answer_multi_cases sockets|perform WELL BAD
 *
 * As answer_cases.c has them.
 */
#include "answers.h"
#include "multi.h"

static bool paused;

static size_t
pause_once(char *data, size_t size, size_t count, void *unused)
{
	if (!paused) {
		paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	return on_body(data, size, count, unused);
}

static void
end_in(struct loop *l, CURL *handle, const char *what)
{
	CURLMsg *message;
	int queued;

	while ((message = curl_multi_info_read(l->multi, &queued)) == NULL) {
		loop_step(l, 1000);
		if (paused)
			curl_easy_pause(handle, CURLPAUSE_CONT);
	}
	printf("%d ", message->easy_handle == handle);
	tell(what, handle, message->data.result);
	curl_multi_remove_handle(l->multi, handle);
}

static void
multi(const char *way)
{
	struct loop l;
	CURL *handle = handle_to(bad);

	loop_begin(&l, way);
	curl_multi_add_handle(l.multi, handle);
	end_in(&l, handle, "answered");
	curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, pause_once);
	curl_multi_add_handle(l.multi, handle);
	end_in(&l, handle, "paused");
	curl_multi_add_handle(l.multi, handle);
	loop_step(&l, 1000);
	curl_multi_remove_handle(l.multi, handle);
	curl_easy_setopt(handle, CURLOPT_URL, well);
	curl_multi_add_handle(l.multi, handle);
	end_in(&l, handle, "well");
	curl_multi_setopt(l.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 1L);
	curl_easy_setopt(handle, CURLOPT_URL, bad);
	curl_multi_add_handle(l.multi, handle);
	end_in(&l, handle, "limited");
	curl_easy_cleanup(handle);
	curl_multi_cleanup(l.multi);
}

static void
by_sockets(void)
{
	multi("sockets");
}

static void
by_perform(void)
{
	multi("perform");
}

int
main(int argc, char *argv[])
{
	static const struct answer_case ways[] = {{"sockets", by_sockets}, {"perform", by_perform}};

	return argc == 4 ? run_case(ways, 2, argv) : 2;
}
