#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/sim_words.h"
#include "core/health.h"

static struct span
word(const char *text)
{
	return (struct span){text, (uint32_t)strlen(text)};
}

static void
words_are_those_of_the_breaker(void **state)
{
	(void)state;
	for (int i = 0; sim_states[i]; i++)
		assert_string_equal(sim_states[i], breaker_state_name((enum breaker_state)i));
	for (int i = 0; sim_reasons[i]; i++)
		assert_string_equal(sim_reasons[i], breaker_reason_name((enum reason)i));
	assert_int_equal(sim_word_find(sim_reasons, word("manual")), REASON_MANUAL);
	for (int i = 0; sim_classes[i]; i++)
		assert_string_equal(sim_classes[i], health_class_name((enum health_class)i));
	assert_int_equal(sim_word_find(sim_forces, word("closed")), FORCE_CLOSED);
	assert_int_equal(sim_word_find(sim_endings, word("neutral")), OUTCOME_NEUTRAL);
	assert_int_equal(sim_word_find(sim_fields, word("generation")), SIM_GENERATION);
	assert_int_equal(sim_word_find(sim_verbs, word("expect")), SIM_EXPECT);
}

static void
empty_word_is_none_of_any_list(void **state)
{
	(void)state;
	assert_int_equal(sim_word_find(sim_fields, word("")), -1);
}

static void
times_are_exact_to_the_nanosecond(void **state)
{
	static const char *const bad[] = {"",	".5",  "5.", "1.2.3",	     "+1",	  "-1",
					  "1s", "1e3", " 1", "1.0000000001", "1000000001"};
	uint64_t ns;

	(void)state;
	assert_true(sim_read_time(word("0"), &ns) && ns == 0);
	assert_true(sim_read_time(word("29.999"), &ns) && ns == 29999000000);
	assert_true(sim_read_time(word("1.000000001"), &ns) && ns == 1000000001);
	assert_true(sim_read_time(word("1000000000"), &ns) && ns == 1000000000000000000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(sim_read_time(word(bad[i]), &ns));
}

static void
durations_have_a_unit(void **state)
{
	static const char *const bad[] = {"",	"5",   "s",   "5 s", "5S",
					  "5d", "-5s", "5ss", "1.s", "99999999999h"};
	uint64_t ns;

	(void)state;
	assert_true(sim_read_duration(word("250ms"), &ns) && ns == 250000000);
	assert_true(sim_read_duration(word("0s"), &ns) && ns == 0);
	assert_true(sim_read_duration(word("1.5s"), &ns) && ns == 1500000000);
	assert_true(sim_read_duration(word("2m"), &ns) && ns == 120000000000);
	assert_true(sim_read_duration(word("1h"), &ns) && ns == 3600000000000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(sim_read_duration(word(bad[i]), &ns));
}

static void
numbers_and_scores_stay_in_their_bounds(void **state)
{
	uint64_t n;

	(void)state;
	assert_true(sim_read_number(word("100"), 100, &n) && n == 100);
	assert_false(sim_read_number(word("101"), 100, &n));
	assert_false(sim_read_number(word("1.0"), 100, &n));
	assert_false(sim_read_number(word("99999999999999999999999"), UINT64_MAX, &n));
	assert_true(sim_read_score(word("0.689999"), &n) && n == 689999);
	assert_true(sim_read_score(word("1"), &n) && n == 1000000);
	assert_false(sim_read_score(word("1.000001"), &n));
	assert_false(sim_read_score(word("0.6899999"), &n));
}

static void
terms_print_as_they_are_read(void **state)
{
	static const char *const terms[] = {
		"closed",      "half-open",	    "admitted",	      "refused",
		"reason=none", "class=degraded",    "score=0.000001", "score=1.000000",
		"total=0",     "cooldown_ms=300000"};
	char buffer[64];
	struct sim_term term;

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct text t = text_over(buffer, sizeof(buffer));

		assert_true(sim_term_read(word(terms[i]), &term, &t));
		sim_term_print(&t, term);
		assert_string_equal(buffer, terms[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_breaker),
		cmocka_unit_test(empty_word_is_none_of_any_list),
		cmocka_unit_test(times_are_exact_to_the_nanosecond),
		cmocka_unit_test(durations_have_a_unit),
		cmocka_unit_test(numbers_and_scores_stay_in_their_bounds),
		cmocka_unit_test(terms_print_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
