#include "follow_support.h"

static char home[] = "HOME=/";

/* What becomes of LD_PRELOAD where the program set it to list. */
static const char *
preload_becomes(const char *list)
{
	static char entry[256];
	char *envp[] = {entry, path, NULL};

	snprintf(entry, sizeof(entry), "LD_PRELOAD=%s", list);
	return value(followed(envp), "LD_PRELOAD");
}

static void
empty_environment_gets_all_back(void **state)
{
	char *empty[] = {NULL};

	(void)state;
	start_with(library);
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), library);
	assert_string_equal(value(followed(empty), "CUTOUT_FOLLOW"), "1");
	assert_string_equal(value(followed(empty), "CUTOUT_RULES"), "/r u'les");
	assert_int_equal(count(followed(empty)), 3);
	assert_int_equal(count(followed(NULL)), 3);
}

static void
what_the_program_passes_stays_in_front_and_as_it_was(void **state)
{
	char none[] = "no equals sign", own[] = "CUTOUT_RULES=/other", bare[] = "CUTOUT_RULES";
	char *envp[] = {path, none, own, home, path, bare, NULL};
	char *const *got;

	(void)state;
	start_with(library);
	got = followed(envp);
	assert_memory_equal(got, envp, 6 * sizeof(char *));
	assert_int_equal(count(got), 8);
	assert_ptr_equal(envp[6], NULL);
}

static void
complete_environment_is_passed_itself(void **state)
{
	char *envp[] = {rules, path, preload, follow_1, NULL};

	(void)state;
	start_with(library);
	assert_ptr_equal(followed(envp), envp);
}

static void
variable_that_was_emptied_counts_as_set(void **state)
{
	char emptied[] = "CUTOUT_RULES=";
	char *envp[] = {emptied, NULL};

	(void)state;
	start_with(library);
	assert_string_equal(value(followed(envp), "CUTOUT_RULES"), "");
	assert_int_equal(count(followed(envp)), 3);
}

static void
preload_of_the_programs_own_stands_behind_ours(void **state)
{
	char want[256];

	(void)state;
	start_with(library);
	snprintf(want, sizeof(want), "%s:/lib/other.so", library);
	assert_string_equal(preload_becomes("/lib/other.so"), want);
	assert_string_equal(preload_becomes(""), library);
	assert_string_equal(preload_becomes(" : "), library);
	snprintf(want, sizeof(want), "/l/libasan.so.8 %s:/lib/other.so", library);
	assert_string_equal(preload_becomes("/l/libasan.so.8 /lib/other.so"), want);
	snprintf(want, sizeof(want), "libasan.so.8:%s", library);
	assert_string_equal(preload_becomes("libasan.so.8"), want);
}

static void
preload_that_has_us_by_any_path_is_left(void **state)
{
	(void)state;
	start_with(library);
	assert_string_equal(preload_becomes("/b/libcutout.so"), "/b/libcutout.so");
	assert_string_equal(preload_becomes("a.so libcutout.so:c"), "a.so libcutout.so:c");
	assert_string_not_equal(preload_becomes("/b/libcutout.so.d"), "/b/libcutout.so.d");
}

static void
last_of_two_preloads_counts(void **state)
{
	char other[] = "LD_PRELOAD=/lib/other.so", want[256];
	char *ours_last[] = {other, preload, follow_1, rules, NULL};
	char *ours_first[] = {preload, other, follow_1, rules, NULL};

	(void)state;
	start_with(library);
	snprintf(want, sizeof(want), "%s:/lib/other.so", library);
	assert_ptr_equal(followed(ours_last), ours_last);
	assert_int_equal(count(followed(ours_first)), 3);
	assert_string_equal(value(followed(ours_first), "LD_PRELOAD"), want);
}

static void
only_what_stood_before_the_library_comes_with_it(void **state)
{
	char list[200], want[200];
	char *empty[] = {NULL};

	(void)state;
	snprintf(list, sizeof(list), "/l/libasan.so.8:%s:/lib/other.so", library);
	snprintf(want, sizeof(want), "/l/libasan.so.8:%s", library);
	start_with(list);
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), want);
}

static void
path_is_good_from_everywhere(void **state)
{
	char *empty[] = {NULL};
	char before[4096];

	(void)state;
	start_with("libcutout.so");
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), library);
	start_with("/usr/$LIB/libcutout.so");
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), library);
	start_with("/lib/other.so");
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), library);

	char *envp[] = {follow_1, NULL};

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(directory), 0);
	assert_null(follow_init(envp, "./libcutout.so"));
	assert_int_equal(chdir(before), 0);
	snprintf(preload, sizeof(preload), "%s/./libcutout.so", directory);
	assert_string_equal(value(followed(empty), "LD_PRELOAD"), preload);
}

static void
path_that_preload_cannot_hold_is_told(void **state)
{
	char *envp[] = {follow_1, NULL};

	(void)state;
	assert_non_null(follow_init(envp, "/a place/libcutout.so"));
	assert_ptr_equal(followed(envp), envp);
	assert_non_null(follow_init(envp, "/a:place/libcutout.so"));
	assert_non_null(follow_init(envp, NULL));
	assert_ptr_equal(followed(envp), envp);
}

static void
program_can_say_that_it_wants_none(void **state)
{
	char off[] = "CUTOUT_OFF=1", stay[] = "CUTOUT_FOLLOW=0", on[] = "CUTOUT_OFF=0";
	char *with_off[] = {path, off, NULL}, *with_stay[] = {stay, NULL}, *with_on[] = {on, NULL};

	(void)state;
	start_with(library);
	assert_ptr_equal(followed(with_off), with_off);
	assert_ptr_equal(followed(with_stay), with_stay);
	assert_int_equal(count(followed(with_on)), 4);
}

static void
nothing_is_followed_unless_follow_is_1(void **state)
{
	static char zero[] = "CUTOUT_FOLLOW=0", more[] = "CUTOUT_FOLLOW=11";
	char *starts[][3] = {{path, NULL}, {zero, NULL}, {more, NULL}, {zero, follow_1, NULL}};
	char *empty[] = {NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		assert_null(follow_init(starts[i], library));
		assert_ptr_equal(followed(empty), empty);
		assert_null(followed(NULL));
	}
	assert_null(follow_init(NULL, library));
	assert_ptr_equal(followed(empty), empty);
}

static void
library_that_is_gone_is_not_put_back(void **state)
{
	char *empty[] = {NULL}, *has_it[] = {preload, NULL};

	(void)state;
	start_with(library);
	assert_int_equal(rename(library, elsewhere), 0);
	assert_ptr_equal(followed(empty), empty);
	assert_int_equal(count(followed(has_it)), 3);
	assert_int_equal(rename(elsewhere, library), 0);
	assert_int_equal(count(followed(empty)), 3);
}

static void
variables_that_are_too_long_are_told(void **state)
{
	static char big[32 * 1024], many[40][24];
	char *one[] = {follow_1, big, NULL}, *lots[42] = {follow_1};

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	memcpy(big, "CUTOUT_X=", 9);
	assert_non_null(follow_init(one, library));
	assert_ptr_equal(followed(one), one);
	for (int i = 0; i < 40; i++) {
		snprintf(many[i], sizeof(many[i]), "CUTOUT_%d=x", i);
		lots[i + 1] = many[i];
	}
	assert_non_null(follow_init(lots, library));
	assert_ptr_equal(followed(lots), lots);
}

static void
environment_beyond_the_bound_is_passed_as_it_is(void **state)
{
	enum { FIT = FOLLOW_SIZE_MAX / sizeof(char *) - 4, MOST = 50000 };
	static char *envp[MOST + 1];
	char *const *got;

	(void)state;
	start_with(library);
	for (int i = 0; i < MOST; i++)
		envp[i] = path;
	assert_ptr_equal(followed(envp), envp);
	envp[FIT + 1] = NULL;
	assert_ptr_equal(followed(envp), envp);
	envp[FIT] = NULL;
	got = followed(envp);
	assert_ptr_not_equal(got, envp);
	assert_int_equal(count(got), FIT + 3);
}

static void
environment_that_shrinks_meanwhile_is_not_read_beyond_its_end(void **state)
{
	char *envp[] = {path, home, path, home, NULL};
	struct follow_plan plan;

	(void)state;
	start_with(library);
	plan = follow_plan(envp);
	envp[1] = NULL;
	assert_int_equal(count(follow_write(&plan, room)), 4);
}

static void
errno_is_kept(void **state)
{
	char *empty[] = {NULL};

	(void)state;
	start_with(library);
	assert_int_equal(rename(library, elsewhere), 0);
	errno = 4711;
	followed(empty);
	assert_int_equal(errno, 4711);
	assert_int_equal(rename(elsewhere, library), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_environment_gets_all_back),
		cmocka_unit_test(what_the_program_passes_stays_in_front_and_as_it_was),
		cmocka_unit_test(complete_environment_is_passed_itself),
		cmocka_unit_test(variable_that_was_emptied_counts_as_set),
		cmocka_unit_test(preload_of_the_programs_own_stands_behind_ours),
		cmocka_unit_test(preload_that_has_us_by_any_path_is_left),
		cmocka_unit_test(last_of_two_preloads_counts),
		cmocka_unit_test(only_what_stood_before_the_library_comes_with_it),
		cmocka_unit_test(path_is_good_from_everywhere),
		cmocka_unit_test(path_that_preload_cannot_hold_is_told),
		cmocka_unit_test(program_can_say_that_it_wants_none),
		cmocka_unit_test(nothing_is_followed_unless_follow_is_1),
		cmocka_unit_test(library_that_is_gone_is_not_put_back),
		cmocka_unit_test(variables_that_are_too_long_are_told),
		cmocka_unit_test(environment_beyond_the_bound_is_passed_as_it_is),
		cmocka_unit_test(environment_that_shrinks_meanwhile_is_not_read_beyond_its_end),
		cmocka_unit_test(errno_is_kept),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
