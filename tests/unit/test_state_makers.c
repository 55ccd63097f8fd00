/* Many who make breakers in a full state, and some who are killed or stopped at it. */
#include "state_room_support.h"

#include <pthread.h>

static void
place_of_a_killed_maker_is_finished_or_taken(void **state)
{
	struct state_place p;

	(void)state;
	fill(place);
	p = section_at(5000, LATER);
	store_relaxed(&s->claims[p.index], claim_with(p.claim, CLAIM_WANTED));
	assert_int_equal(section_at(5000, LATER).index, p.index);
	store_relaxed(&s->claims[p.index], claim_with(p.claim, CLAIM_WANTED));
	for (unsigned i = 0; i < STATE_BREAKERS; i++)
		if (place[i].index != p.index)
			call(&place[i], LATER, OUTCOME_OK);
	assert_int_equal(section_at(5001, LATER + S).index, p.index);
	/* It goes on after all. */
	memset(s->slots[p.index].name, 'x', 16);
	assert_int_equal(section_at(5001, LATER + S).index, p.index);
}

static void
name_that_a_stopped_maker_spoils_is_nobodys_until_it_is_mended(void **state)
{
	char name[BREAKER_NAME_MAX + 1];
	struct state_place p = section_at(1, T);

	(void)state;
	seq_store_words(s->slots[p.index].name, "other", 6);
	assert_false(state_name(s, p.index, name));
	assert_int_equal(section_at(1, T).index, p.index);
	assert_true(state_name(s, p.index, name));
	assert_string_equal(name, "carrier/1");
}

static void
name_that_is_wanted_twice_gets_one_place(void **state)
{
	struct state_place p;
	unsigned found = 0;

	(void)state;
	fill(place);
	p = section_at(5000, LATER);
	/* Two makers, one of them killed, the other just about to finish. */
	store_relaxed(&s->claims[p.index], claim_with(p.claim, CLAIM_WANTED));
	store_relaxed(&s->claims[(p.index + 100) % STATE_BREAKERS],
		      claim_with(p.claim, CLAIM_WANTED));
	p = section_at(5000, LATER);
	for (uint32_t i = 0; i < STATE_BREAKERS; i++)
		found += claim_has_hash(load_relaxed(&s->claims[i]), claim_hash(numbered(5000))) &&
			 claim_kind(load_relaxed(&s->claims[i])) != CLAIM_VACANT;
	assert_int_equal(found, 1);
}

/* Many threads that need more breakers than there are */

#define THREADS 8
#define NAMES 3000
#define ROUNDS 20000

static pthread_barrier_t barrier;
static atomic_u32 wrong, foreign;

static void *
need_many(void *context)
{
	uint64_t random = 88172645463325252U + (uintptr_t)context * 7919;
	char name[BREAKER_NAME_MAX + 1];
	struct state_place p;

	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < ROUNDS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		const char *wanted = numbered((unsigned)(random % NAMES));
		/* Time flies, so that all are idle soon. */
		enum state_found found = want(wanted, random % 2 == 0, T + i * S * 10, &p);

		add_relaxed(&foreign, found == STATE_FOREIGN);
		if (found != STATE_FOUND || !state_name(s, p.index, name))
			continue;
		if (state_is(s, p.index, p.claim) && strcmp(name, wanted) != 0)
			add_relaxed(&wrong, 1);
	}
	return NULL;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
threads_that_need_more_than_there_is_never_meet_another_name(void **state)
{
	static uint64_t hashes[STATE_BREAKERS];
	pthread_t threads[THREADS];
	unsigned count = 0;

	(void)state;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, need_many, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	assert_int_equal(wrong, 0);
	assert_int_equal(foreign, 0);
	for (uint32_t i = 0; i < STATE_BREAKERS; i++)
		if (state_claim(s, i) != 0)
			hashes[count++] = state_claim(s, i) >> CLAIM_HASH_SHIFT;
	assert_true(count > STATE_BREAKERS / 2);
	qsort(hashes, count, sizeof(hashes[0]), by_number);
	for (unsigned i = 1; i < count; i++)
		assert_true(hashes[i] != hashes[i - 1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(place_of_a_killed_maker_is_finished_or_taken, empty),
		cmocka_unit_test_setup(
			name_that_a_stopped_maker_spoils_is_nobodys_until_it_is_mended, empty),
		cmocka_unit_test_setup(name_that_is_wanted_twice_gets_one_place, empty),
		cmocka_unit_test_setup(threads_that_need_more_than_there_is_never_meet_another_name,
				       empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
