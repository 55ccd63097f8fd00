/*
 * A long random walk with a fixed seed: what must hold at every step, and the window
 * against a plain list of all outcomes.
 */
#include "breaker_kit.h"

#define STEPS 60000
#define OUT_MAX 64

static struct ticket out[OUT_MAX]; /* admitted and not ended */
static unsigned out_count;
static struct ticket probing;
static bool probe_is_out;

/* What the window should hold. */
static struct {
	uint64_t slot;
	bool failed, slow;
} counted[STEPS];
static unsigned counted_count;

static uint64_t seed;

static uint64_t
dice(uint64_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % sides;
}

static void
reset(void **state)
{
	kit_start(state);
	out_count = counted_count = 0;
	probe_is_out = false;
	rules.consecutive = (uint32_t)dice(3) * 4;
	rules.failure_permille = (uint32_t)dice(3) * 400;
	rules.latency_ns = dice(2) * 5 * S;
	rules.latency_permille = 900;
	rules.min_samples = 10;
	rules.cooldown_max_ns = COOLDOWN * (1 + dice(8));
	rules.cooldown_jitter_permille = 100;
	rules.probe_successes = 1 + (uint32_t)dice(2);
	rules.ramp_ns = dice(2) * 20 * S;
	rules.probe_is_call = dice(2) == 0;
}

/* Whether the last call emptied the window: at each close and where a ramp begins. */
static bool
has_forgotten(void)
{
	for (unsigned i = 0; i < changes.n; i++)
		if (changes.v[i].to == BREAKER_CLOSED || (changes.v[i].from == BREAKER_HALF_OPEN &&
							  changes.v[i].to == BREAKER_HALF_OPEN))
			return true;
	return false;
}

static void
follow(void)
{
	if (has_forgotten())
		counted_count = 0;
}

static void
window_is_right(uint64_t at)
{
	struct breaker_snapshot s;
	struct window_sum want = {0, 0, 0};

	breaker_look(&ref, at, &s);
	for (unsigned i = counted_count; i-- > 0 && counted[i].slot + 10 >= at / rules.slot_ns;) {
		want.total++;
		want.failed += counted[i].failed;
		want.slow += counted[i].slow;
	}
	assert_int_equal(s.total, want.total);
	assert_int_equal(s.failed, want.failed);
	assert_int_equal(s.slow, want.slow);
}

static void
admission_agrees_with_the_question(uint64_t at)
{
	struct breaker_snapshot before = look(at);
	struct ticket t;
	bool would;

	follow();
	changes.n = 0;
	would = breaker_would_admit(&ref, at, &changes);
	assert_int_equal(changes.n, 0);
	assert_int_equal(would, breaker_would_admit(&ref, at, &changes));
	assert_int_equal(asks(at, &t), would);
	if (before.state == BREAKER_CLOSED)
		assert_true(would);
	if (before.state == BREAKER_OPEN && before.retry_in_ns > 0)
		assert_false(would);
	if (!would)
		return;
	if (t.is_probe) {
		assert_true(rules.probe_is_call);
		assert_false(probe_is_out && t.generation == probing.generation);
		probing = t;
		probe_is_out = true;
	} else if (out_count < OUT_MAX) {
		out[out_count++] = t;
	} else {
		end(t, at, OUTCOME_NEUTRAL);
	}
}

/* Whether this call is one that the state of the breaker now counts. */
static bool
will_count(struct ticket t, uint64_t at)
{
	struct breaker_snapshot s = look(at);

	follow();
	return s.generation == t.generation && s.state != BREAKER_OPEN;
}

static void
end_counts(struct ticket t, uint64_t at)
{
	enum outcome outcome = (enum outcome)dice(3);
	bool counts = will_count(t, at) && outcome != OUTCOME_NEUTRAL;

	if (counts) {
		counted[counted_count].slot = at / rules.slot_ns;
		counted[counted_count].failed = outcome == OUTCOME_FAIL;
		counted[counted_count++].slow =
			rules.latency_ns > 0 && at - t.start_ns > rules.latency_ns;
	}
	end(t, at, outcome);
	follow();
}

static void
step(uint64_t at)
{
	switch (dice(6)) {
	case 0:
	case 1:
		if (out_count > 0) {
			unsigned i = (unsigned)dice(out_count);

			end_counts(out[i], at);
			out[i] = out[--out_count];
		}
		break;
	case 2:
		if (rules.probe_is_call && probe_is_out) {
			end_counts(probing, at);
			probe_is_out = false;
		} else if (probe_is_out) {
			probe_ends(probing, at, (enum outcome)dice(3));
			follow();
			probe_is_out = false;
		}
		break;
	case 3:
		if (!probe_is_out && probe_begins(at, &probing))
			probe_is_out = true;
		follow();
		break;
	default:
		admission_agrees_with_the_question(at);
		follow();
	}
}

static void
walk_keeps_every_promise(void **state)
{
	static const uint64_t leaps[] = {1, 50 * MS, 500 * MS, 3 * S, 40 * S, 3600 * S};
	unsigned states[3] = {0, 0, 0};
	uint64_t at = 1000 * S;

	seed = 2024;
	for (unsigned i = 0; i < STEPS; i++) {
		if (i % 3000 == 0) {
			at += 2 * 3600 * S;
			reset(state);
		}
		at += dice(leaps[dice(50) > 0 ? dice(4) : dice(6)] + 1);
		step(at);
		window_is_right(at);
		states[look(at).state]++;
		follow();
	}
	/* The walk has been everywhere. */
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(states[i], STEPS / 50, STEPS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_keeps_every_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
