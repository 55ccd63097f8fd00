/* Breakers in one block of memory: found by name, made by many. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "state/state_claim.h"

#define S UINT64_C(1000000000)
#define T (1000 * S)

static struct state memory;
static struct state *const s = &memory;

static int
empty(void **state)
{
	(void)state;
	memset(s, 0, sizeof(*s));
	return 0;
}

static uint32_t
found(const char *name, uint64_t settings)
{
	uint32_t index;

	assert_int_equal(state_breaker(s, name, settings, &index), STATE_FOUND);
	return index;
}

static void
name_is_found_again_and_others_are_others(void **state)
{
	char name[BREAKER_NAME_MAX + 1];
	uint32_t carrier = found("carrier", 7);

	(void)state;
	assert_int_equal(found("carrier", 7), carrier);
	assert_int_not_equal(found("carrier/eu", 7), carrier);
	assert_true(state_name(s, carrier, name));
	assert_string_equal(name, "carrier");
	assert_true(state_settings(s, carrier) == 7);
}

static void
longest_name_is_kept_whole(void **state)
{
	char name[BREAKER_NAME_MAX + 1], out[BREAKER_NAME_MAX + 1];

	(void)state;
	memset(name, 'n', BREAKER_NAME_MAX);
	name[BREAKER_NAME_MAX] = '\0';
	assert_true(state_name(s, found(name, 7), out));
	assert_string_equal(out, name);
}

static void
foreign_settings_are_told_and_change_nothing(void **state)
{
	uint32_t index = found("carrier", 7), again = 4711;

	(void)state;
	assert_int_equal(state_breaker(s, "carrier", 8, &again), STATE_FOREIGN);
	assert_true(state_settings(s, index) == 7);
	assert_int_equal(found("carrier", 7), index);
}

static void
nothing_stands_where_no_breaker_is(void **state)
{
	char name[BREAKER_NAME_MAX + 1];

	(void)state;
	for (uint32_t i = 0; i < STATE_BREAKERS; i++) {
		assert_false(state_name(s, i, name));
		assert_true(state_settings(s, i) == 0);
	}
	assert_false(state_name(s, STATE_BREAKERS, name));
	assert_false(state_name(s, UINT32_MAX, name));
	assert_true(state_settings(s, UINT32_MAX) == 0);
}

static enum state_found
find_numbered(unsigned number, uint32_t *index)
{
	char name[32];
	struct text t = text_over(name, sizeof(name));

	text_format(&t, "carrier/%u", number);
	return state_breaker(s, name, 7, index);
}

static void
full_table_keeps_what_it_has(void **state)
{
	static uint32_t place[2 * STATE_BREAKERS];
	unsigned count = 0, index;

	(void)state;
	for (unsigned i = 0; i < 2 * STATE_BREAKERS; i++) {
		enum state_found how = find_numbered(i, &place[i]);

		assert_int_not_equal(how, STATE_FOREIGN);
		count += how == STATE_FOUND;
		if (how == STATE_FULL)
			place[i] = UINT32_MAX;
	}
	assert_true(count > STATE_BREAKERS / 2 && count <= STATE_BREAKERS);
	for (unsigned i = 0; i < 2 * STATE_BREAKERS; i++) {
		if (place[i] == UINT32_MAX) {
			assert_int_equal(find_numbered(i, &index), STATE_FULL);
			continue;
		}
		assert_int_equal(find_numbered(i, &index), STATE_FOUND);
		assert_int_equal(index, place[i]);
	}
}

static void
name_that_its_writer_did_not_finish_is_finished_by_the_next(void **state)
{
	uint32_t index = found("carrier", 7);
	char name[BREAKER_NAME_MAX + 1];

	(void)state;
	/* As a process leaves it that is killed between the claim and the name. */
	store_relaxed(&s->claims[index], claim_with(load_relaxed(&s->claims[index]), CLAIM_WANTED));
	store_relaxed(&s->slots[index].settings, 0);
	memset(s->slots[index].name, 0, sizeof(s->slots[index].name));
	assert_false(state_name(s, index, name));
	assert_int_equal(found("carrier", 9), index);
	assert_true(state_name(s, index, name));
	assert_string_equal(name, "carrier");
}

/* Many threads, all of which see the same new names at once. */

#define THREADS 8
#define NAMES 200

static uint32_t places[THREADS][NAMES];
static pthread_barrier_t barrier;

static void *
see_all(void *mine)
{
	uint32_t *place = mine;

	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < NAMES; i++)
		if (find_numbered(i, &place[i]) != STATE_FOUND)
			place[i] = UINT32_MAX;
	return NULL;
}

static void
threads_that_see_a_name_first_make_one_breaker(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		empty(NULL);
		pthread_barrier_init(&barrier, NULL, THREADS);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, see_all, places[i]);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		pthread_barrier_destroy(&barrier);

		unsigned made = 0;
		char name[BREAKER_NAME_MAX + 1];

		for (uint32_t i = 0; i < STATE_BREAKERS; i++)
			made += state_name(s, i, name);
		assert_int_equal(made, NAMES);
		for (unsigned i = 1; i < THREADS; i++)
			assert_memory_equal(places[i], places[0], sizeof(places[0]));
	}
}

/* Where calls failed */

static void
place_is_read_as_it_was_put(void **state)
{
	struct state_where in = {.port = 443, .name_len = 3, .count = 1, .name = "api"}, out;
	uint32_t index = found("carrier", 7);

	(void)state;
	assert_false(state_get_where(s, index, &out));
	state_put_where(s, index, &in);
	assert_true(state_get_where(s, index, &out));
	assert_memory_equal(&out, &in, sizeof(in));
}

static void
writers_that_were_killed_keep_nobody_out_for_long(void **state)
{
	struct state_where in = {.port = 443, .name_len = 3, .name = "api"}, out;
	uint32_t index = found("carrier", 7);
	struct state_slot *slot = &s->slots[index];
	struct state_change change = {.generation = 3};
	struct state_seen seen = {0, 0};

	(void)state;
	store_relaxed(&slot->where_seq, 5);
	store_relaxed(&slot->change_seq, 7);
	state_put_where(s, index, &in);
	state_mend(s, index, &seen);
	state_put_where(s, index, &in);
	assert_false(state_get_where(s, index, &out));
	state_mend(s, index, &seen);
	/* What was half written is gone. */
	assert_false(state_get_where(s, index, &out));
	state_put_where(s, index, &in);
	assert_true(state_get_where(s, index, &out));
	assert_int_equal(out.port, 443);
	state_put_change(s, index, &change);
	change.generation = 0;
	assert_true(state_get_change(s, index, &change));
	assert_int_equal(change.generation, 3);
}

static void
writers_at_work_are_left_alone(void **state)
{
	uint32_t index = found("carrier", 7);
	struct state_seen seen = {0, 0};

	(void)state;
	for (uint32_t seq = 1; seq < 9; seq++) {
		store_relaxed(&s->slots[index].where_seq, seq);
		state_mend(s, index, &seen);
		assert_int_equal(load_relaxed(&s->slots[index].where_seq), seq);
	}
}

/* Probers */

static void
prober_is_there_for_three_seconds_after_its_beat(void **state)
{
	(void)state;
	assert_false(state_has_prober(s, T));
	state_beat(s, T);
	assert_true(state_has_prober(s, T));
	assert_true(state_has_prober(s, T + 3 * S - 1));
	assert_false(state_has_prober(s, T + 3 * S));
	/* The reader's clock is a coarse one. */
	assert_true(state_has_prober(s, T - S));
}

static void
beat_from_the_future_is_nobodys(void **state)
{
	(void)state;
	state_beat(s, T + 60 * S);
	assert_false(state_has_prober(s, T));
	state_beat(s, UINT64_MAX);
	assert_false(state_has_prober(s, T));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(name_is_found_again_and_others_are_others, empty),
		cmocka_unit_test_setup(longest_name_is_kept_whole, empty),
		cmocka_unit_test_setup(foreign_settings_are_told_and_change_nothing, empty),
		cmocka_unit_test_setup(nothing_stands_where_no_breaker_is, empty),
		cmocka_unit_test_setup(full_table_keeps_what_it_has, empty),
		cmocka_unit_test_setup(name_that_its_writer_did_not_finish_is_finished_by_the_next,
				       empty),
		cmocka_unit_test_setup(threads_that_see_a_name_first_make_one_breaker, empty),
		cmocka_unit_test_setup(place_is_read_as_it_was_put, empty),
		cmocka_unit_test_setup(writers_that_were_killed_keep_nobody_out_for_long, empty),
		cmocka_unit_test_setup(writers_at_work_are_left_alone, empty),
		cmocka_unit_test_setup(prober_is_there_for_three_seconds_after_its_beat, empty),
		cmocka_unit_test_setup(beat_from_the_future_is_nobodys, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
