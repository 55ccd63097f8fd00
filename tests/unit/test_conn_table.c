#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/conn_table.h"

#define WAYS 8 /* hellos that meet and are all remembered */

/* They differ where it does not matter for where they are kept. */
static uint64_t
hello_of(unsigned i)
{
	return (uint64_t)(i + 1) << 32 | 7;
}

static struct conn *
open_named(unsigned i, struct conn_ref *ref, bool *named)
{
	struct conn *c = conn_new((int)i + 10, ref);

	assert_non_null(c);
	*named = conn_name_hello(c, *ref, hello_of(i));
	conn_unlock(c);
	return c;
}

static void
assert_found(unsigned i, struct conn_ref ref)
{
	struct conn_ref found = conn_by_hello(hello_of(i));

	assert_int_equal(found.place, ref.place);
	assert_int_equal(found.version, ref.version);
}

static void
hellos_that_meet_are_all_found_and_none_that_lives_gives_way(void **state)
{
	struct conn *conns[WAYS + 1];
	struct conn_ref refs[WAYS + 1];
	bool named;

	(void)state;
	assert_false(conn_has_hellos());
	for (unsigned i = 0; i < WAYS; i++) {
		conns[i] = open_named(i, &refs[i], &named);
		assert_true(named);
	}
	conns[WAYS] = open_named(WAYS, &refs[WAYS], &named);
	assert_false(named);
	assert_int_equal(conn_by_hello(hello_of(WAYS)).place, 0);
	for (unsigned i = 0; i < WAYS; i++)
		assert_found(i, refs[i]);

	conn_free(conns[3]);
	assert_int_equal(conn_by_hello(hello_of(3)).place, 0);
	assert_true(conn_name_hello(conns[WAYS], refs[WAYS], hello_of(WAYS)));
	assert_found(WAYS, refs[WAYS]);
	assert_true(conn_has_hellos());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hellos_that_meet_are_all_found_and_none_that_lives_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
