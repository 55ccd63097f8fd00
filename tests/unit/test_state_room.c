/* Room for new breakers: who gives way, and what the new ones find. */
#include "state_room_support.h"

static void
oldest_idle_one_gives_way(void **state)
{
	struct state_place p;

	(void)state;
	fill(place);
	call(&place[0], T + WINDOW, OUTCOME_OK);
	p = section_at(5000, LATER);
	assert_true(p.gave_way);
	assert_int_equal(p.index, place[1].index);
	assert_false(state_is(s, place[1].index, place[1].claim));
	for (unsigned i = 0; i < STATE_BREAKERS; i++)
		assert_true(i == 1 || state_is(s, place[i].index, place[i].claim));
	p = section_at(5001, LATER);
	assert_int_equal(p.index, place[2].index);
}

static void
what_is_not_idle_stays(void **state)
{
	struct transitions tr = {.n = 0};
	struct breaker_ref held;
	struct state_place p;

	(void)state;
	fill(place);
	for (unsigned i = 0; i < 3; i++)
		call(&place[0], T + S, OUTCOME_FAIL);
	assert_int_equal(look_at(&place[0], T + S).state, BREAKER_OPEN);
	held = ref_to(&place[1]);
	breaker_force(&held, FORCE_CLOSED, T + S, &tr);
	held = ref_to(&place[2]);
	breaker_force(&held, FORCE_OPEN, T + S, &tr);
	begin(&place[3], T + 2 * S);
	call(&place[4], LATER, OUTCOME_OK);
	p = section_at(5000, LATER + S);
	assert_int_equal(p.index, place[5].index);
}

static void
where_none_is_idle_the_table_is_full(void **state)
{
	struct state_place p;

	(void)state;
	fill(place);
	assert_int_equal(want("new", false, T + S, &p), STATE_FULL);
	assert_int_equal(want("new", false, T + WINDOW, &p), STATE_FULL);
	for (unsigned i = 0; i < STATE_BREAKERS; i++)
		assert_true(state_is(s, place[i].index, place[i].claim));
	assert_int_equal(want("new", false, LATER, &p), STATE_FOUND);
}

static void
series_of_cooldowns_is_not_cut_short(void **state)
{
	struct transitions tr = {.n = 0};
	struct breaker_ref r;
	struct state_place p;

	(void)state;
	fill(place);
	for (unsigned i = 0; i < 3; i++)
		call(&place[0], T + S, OUTCOME_FAIL);
	r = ref_to(&place[0]);
	breaker_force(&r, FORCE_CLOSED, LATER, &tr);
	breaker_force(&r, FORCE_AUTO, LATER, &tr);
	assert_int_equal(look_at(&place[0], LATER).state, BREAKER_CLOSED);
	p = section_at(5000, LATER + S);
	assert_int_equal(p.index, place[1].index);
}

static void
regions_are_bounded_and_make_room_for_each_other(void **state)
{
	struct state_place section = section_at(0, T), p;
	unsigned gave_way = 0, many = 0;

	(void)state;
	for (unsigned i = 1; i <= 2 * STATE_BREAKERS; i++) {
		assert_int_equal(want(numbered(i), true, T + i * 2 * S, &p), STATE_FOUND);
		gave_way += p.gave_way;
		assert_true(state_is(s, section.index, section.claim));
	}
	for (uint32_t i = 0; i < STATE_BREAKERS; i++)
		many += (state_claim(s, i) & CLAIM_MANY) != 0;
	assert_int_equal(many, STATE_MANY_MAX);
	assert_int_equal(gave_way, 2 * STATE_BREAKERS - STATE_MANY_MAX);
	for (unsigned i = 0; i < STATE_BREAKERS - STATE_MANY_MAX - 1; i++)
		assert_false(section_at(5000 + i, LATER * 2).gave_way);
	assert_true(section_at(6000, LATER * 3).gave_way);
}

/* What the new one finds */

static void
new_one_has_nothing_of_the_old_one(void **state)
{
	struct state_where w = {.port = 443, .name_len = 3, .count = 1, .name = "api"};
	struct state_change c = {.generation = 3};
	struct report_summary summary;
	struct state_place p;

	(void)state;
	fill(place);
	call(&place[0], T, OUTCOME_FAIL);
	state_put_where(s, place[0].index, &w);
	state_put_change(s, place[0].index, &c);
	assert_true(state_tell(s, place[0].index, 0, 4));
	assert_int_equal(state_told(s, place[0].index), 4);
	assert_int_equal(state_find(s, &(struct state_want){"new", 8, false, LATER}, &p),
			 STATE_FOUND);
	assert_int_equal(p.index, place[0].index);
	assert_true(state_settings(s, p.index) == 8);
	assert_false(state_get_where(s, p.index, &w));
	assert_false(state_has_where(s, p.index));
	assert_false(state_get_change(s, p.index, &c));
	assert_int_equal(state_told(s, p.index), 0);
	report_summarize(&s->reports[p.index], &summary);
	assert_int_equal(summary.total, 0);
	assert_int_equal(summary.failed, 0);
	assert_int_equal(look_at(&p, LATER).consecutive, 0);
	state_put_where(s, p.index, &w);
	assert_true(state_has_where(s, p.index));
}

static void
time_of_another_window_does_not_hold_up_the_new_one(void **state)
{
	struct breaker_config longer = config;
	struct breaker_ref r;
	struct transitions tr = {.n = 0};
	struct ticket t;
	struct state_place p;

	(void)state;
	fill(place);
	p = section_at(5000, LATER);
	longer.window_ns *= 100;
	longer.slot_ns *= 100;
	r = state_ref(s, p.index, &longer);
	assert_true(breaker_admit(&r, LATER, 0, &t, &tr));
	breaker_end(&r, &t, LATER, S, OUTCOME_FAIL, 0, &tr);
	assert_int_equal(window_sum(&s->breakers[p.index].window, longer.slot_ns, LATER).total, 1);
	assert_int_equal(window_sum(&s->breakers[p.index].window, longer.slot_ns,
				    LATER + 2 * longer.window_ns)
				 .total,
			 0);
}

static void
late_call_of_the_old_one_does_not_count(void **state)
{
	struct breaker_ref r;
	struct transitions tr = {.n = 0};
	struct ticket late;
	struct state_place p;

	(void)state;
	fill(place);
	/* Of a call without a mark nobody knows. */
	r = state_ref(s, place[0].index, &config);
	assert_true(breaker_admit(&r, T, 0, &late, &tr));
	p = section_at(5000, LATER);
	assert_int_equal(p.index, place[0].index);
	for (unsigned i = 0; i < 5; i++)
		end(&p, &late, LATER + S, OUTCOME_FAIL);
	assert_int_equal(look_at(&p, LATER + S).state, BREAKER_CLOSED);
	assert_int_equal(look_at(&p, LATER + S).total, 0);
	assert_int_equal(look_at(&p, LATER + S).consecutive, 0);
}

static void
trip_in_the_last_moment_is_not_the_new_ones(void **state)
{
	struct state_place p;

	(void)state;
	fill(place);
	/* After the decision that this one gives way. */
	store_relaxed(&s->claims[place[0].index], claim_with(place[0].claim, CLAIM_VACANT));
	for (unsigned i = 0; i < 3; i++)
		call(&place[0], LATER, OUTCOME_FAIL);
	assert_int_equal(look_at(&place[0], LATER).state, BREAKER_OPEN);
	p = section_at(5000, LATER);
	assert_int_equal(p.index, place[0].index);
	assert_int_equal(look_at(&p, LATER).state, BREAKER_CLOSED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(oldest_idle_one_gives_way, empty),
		cmocka_unit_test_setup(what_is_not_idle_stays, empty),
		cmocka_unit_test_setup(where_none_is_idle_the_table_is_full, empty),
		cmocka_unit_test_setup(series_of_cooldowns_is_not_cut_short, empty),
		cmocka_unit_test_setup(regions_are_bounded_and_make_room_for_each_other, empty),
		cmocka_unit_test_setup(new_one_has_nothing_of_the_old_one, empty),
		cmocka_unit_test_setup(time_of_another_window_does_not_hold_up_the_new_one, empty),
		cmocka_unit_test_setup(late_call_of_the_old_one_does_not_count, empty),
		cmocka_unit_test_setup(trip_in_the_last_moment_is_not_the_new_ones, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
