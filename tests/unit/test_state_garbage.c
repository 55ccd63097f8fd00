/* Whatever stands in the memory of a state: nobody leaves it, and nobody stays for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/text.h"
#include "state/state.h"

#define S UINT64_C(1000000000)
#define T (1000 * S)

/* Its end is the end of what may be touched. */
static void
free_dead(struct inflight *in, bool (*lives)(uint32_t pid))
{
	struct inflight_dead dead;
	uint32_t from = 0;

	while (inflight_next_dead(in, &from, lives, &dead))
		;
}

static struct state *s;

static const struct breaker_config config = {
	.window_ns = 60 * S,
	.slot_ns = 6 * S,
	.latency_ns = 5 * S,
	.latency_permille = 990,
	.failure_permille = 500,
	.consecutive = 3,
	.min_samples = 20,
	.cooldown_ns = 30 * S,
	.cooldown_max_ns = 300 * S,
	.cooldown_jitter_permille = 100,
	.probe_successes = 2,
	.probe_interval_ns = S,
	.lease_ns = 5 * S,
	.ramp_ns = 20 * S,
	.late_failure_extends = true,
};

static int
make_room(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (sizeof(*s) + page - 1) / page * page;
	char *room =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (room == MAP_FAILED || mprotect(room + size, page, PROT_NONE) != 0)
		return -1;
	s = (struct state *)(void *)(room + size - sizeof(*s));
	return 0;
}

static uint64_t seed;

static uint64_t
any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t
any_word(unsigned kind)
{
	switch (kind % 6) {
	case 0:
		return any();
	case 1:
		return UINT64_MAX;
	case 2:
		return any() % 16;
	case 3: /* written claims, gates of every state with deadlines that are near */
		return (T / 100000 + any() % 1000000) << 20 | any() % 8 | 1;
	case 4:
		return any() % 2 == 0 ? UINT64_MAX - any() % 4 : T + any() % (100 * S) - 50 * S;
	default:
		return any_word((unsigned)(any() % 5));
	}
}

static bool
is_any(uint32_t pid)
{
	return pid % 2 == 0;
}

static void
use_breaker(uint32_t index, const struct breaker_config *c, uint64_t now_ns)
{
	struct breaker_ref r = state_ref(s, index, c);
	struct breaker_snapshot look;
	struct report_summary summary;
	struct transitions tr = {.n = 0};
	struct ticket t;

	breaker_due_ns(&r);
	breaker_would_admit(&r, now_ns, &tr);
	if (breaker_admit(&r, now_ns, (uint32_t)any(), &t, &tr)) {
		breaker_answered(&r, &t, now_ns, any() % 2 == 0, &tr);
		breaker_end(&r, &t, now_ns, any() % (10 * S), (enum outcome)(any() % 3),
			    (unsigned)any(), &tr);
	}
	breaker_watch(&r, now_ns, &t);
	breaker_end(&r, &t, now_ns, S, OUTCOME_FAIL, 0, &tr);
	tr.n = 0;
	if (breaker_probe_begin(&r, now_ns, &t, &tr))
		breaker_probe_end(&r, &t, now_ns, (enum outcome)(any() % 3), &tr);
	breaker_tick(&r, now_ns, &tr);
	breaker_look(&r, now_ns, &look);
	assert_non_null(breaker_state_name(look.state));
	assert_non_null(breaker_reason_name(look.reason));
	report_summarize(r.report, &summary);
	report_percentile_ms(r.report, 990);
	if (any() % 16 == 0)
		breaker_force(&r, (enum force)(any() % 3), now_ns, &tr);
	assert_true(tr.n <= TRANSITIONS_MAX);
}

static void
use_slot(uint32_t index)
{
	char name[BREAKER_NAME_MAX + 1], text[DEST_TEXT_MAX];
	struct state_seen seen = {(uint32_t)any(), (uint32_t)any()};
	struct state_change change;
	struct state_where w;

	if (state_name(s, index, name))
		assert_true(strlen(name) <= BREAKER_NAME_MAX);
	state_settings(s, index);
	if (state_get_where(s, index, &w)) {
		struct dest d = {{w.name, (uint32_t)strlen(w.name)}, w.addr[0], w.port};

		assert_true(w.count <= STATE_ADDRESSES && strlen(w.name) <= DEST_NAME_MAX);
		dest_print(&d, text);
	}
	state_get_change(s, index, &change);
	state_mend(s, index, &seen);
	state_put_where(s, index, &w);
	state_put_change(s, index, &change);
}

static void
find_any(uint32_t *index)
{
	char name[32];
	struct text t = text_over(name, sizeof(name));
	struct state_place place;

	text_format(&t, "carrier/%u", (unsigned)any() % 4096);
	if (any() % 2 == 0)
		state_breaker(s, name, 7, index);
	else
		state_find(s, &(struct state_want){name, 7, any() % 2 == 0, T}, &place);
}

static void
no_content_of_the_memory_leads_out_of_it(void **state)
{
	uint32_t index;

	(void)state;
	alarm(300); /* nor does it keep anybody for ever */
	seed = 88172645463325252U;
	for (unsigned round = 0; round < 60; round++) {
		uint64_t *words = (uint64_t *)(void *)s;
		struct breaker_config c = config;

		c.latency_ns = round % 2 == 0 ? config.latency_ns : 0;
		c.probe_is_call = round % 3 == 0;
		for (size_t i = 0; i < sizeof(*s) / 8; i++)
			words[i] = any_word(round);
		state_has_prober(s, T);
		free_dead(&s->inflight, is_any);
		for (unsigned i = 0; i < 40; i++) {
			find_any(&index);
			index = (uint32_t)any() % STATE_BREAKERS;
			use_slot(index);
			use_breaker(index, &c, i % 8 == 0 ? any() >> 1 : T + i * 100 * S);
		}
	}
	alarm(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_content_of_the_memory_leads_out_of_it),
	};

	return cmocka_run_group_tests(tests, make_room, NULL);
}
