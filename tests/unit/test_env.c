#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/env.h"

static char directory[] = "/tmp/test_env.XXXXXX";

static int
make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int
remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static int
clear(void **state)
{
	(void)state;
	return clearenv();
}

/* An empty file below the directory, with the directories above it. */
static void
make_file(const char *name, mode_t mode)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	fd = open(path, O_CREAT | O_WRONLY, mode);
	assert_true(fd >= 0);
	close(fd);
}

static void
set_below(const char *variable, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	setenv(variable, path, 1);
}

static void
empty_variable_is_unset(void **state)
{
	(void)state;
	assert_null(env_get("CUTOUT_RULES"));
	setenv("CUTOUT_RULES", "", 1);
	assert_null(env_get("CUTOUT_RULES"));
	setenv("CUTOUT_RULESX", "x", 1);
	assert_null(env_get("CUTOUT_RULES"));
	setenv("CUTOUT_RULES", "a=b", 1);
	assert_string_equal(env_get("CUTOUT_RULES"), "a=b");
}

static void
environment_may_be_gone_altogether(void **state)
{
	char buffer[PATH_MAX];
	char **saved = environ;
	struct proxies proxies;

	(void)state;
	environ = NULL;
	assert_null(env_get("HOME"));
	env_rules_path(buffer);
	env_proxies(&proxies);
	assert_int_equal(proxies.count, 0);
	environ = saved;
}

static void
named_rules_file_comes_first_whether_it_is_there_or_not(void **state)
{
	char buffer[PATH_MAX];

	(void)state;
	setenv("CUTOUT_RULES", "no/such/file", 1);
	set_below("XDG_CONFIG_HOME", "first");
	make_file("first/cutout/rules", 0600);
	assert_string_equal(env_rules_path(buffer), "no/such/file");
}

static void
usual_places_are_searched_in_order(void **state)
{
	char buffer[PATH_MAX], expected[PATH_MAX];

	(void)state;
	make_file("xdg/cutout/rules", 0600);
	make_file("home/.config/cutout/rules", 0600);
	set_below("XDG_CONFIG_HOME", "xdg");
	set_below("HOME", "home");
	snprintf(expected, sizeof(expected), "%s/xdg/cutout/rules", directory);
	assert_string_equal(env_rules_path(buffer), expected);
	set_below("XDG_CONFIG_HOME", "other");
	snprintf(expected, sizeof(expected), "%s/home/.config/cutout/rules", directory);
	assert_string_equal(env_rules_path(buffer), expected);
}

static void
unreadable_rules_file_is_not_passed_over(void **state)
{
	char buffer[PATH_MAX], expected[PATH_MAX];

	(void)state;
	make_file("locked/cutout/rules", 0);
	set_below("XDG_CONFIG_HOME", "locked");
	snprintf(expected, sizeof(expected), "%s/locked/cutout/rules", directory);
	assert_string_equal(env_rules_path(buffer), expected);
}

static void
relative_and_overlong_places_are_passed_over(void **state)
{
	char buffer[PATH_MAX], name[PATH_MAX + 10];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	setenv("XDG_CONFIG_HOME", name, 1);
	setenv("HOME", "relative", 1);
	const char *path = env_rules_path(buffer);

	assert_true(!path || strcmp(path, "/etc/cutout/rules") == 0);
}

/* The variables name this proxy, and no other. */
static void
assert_proxy(const char *variable, const char *value, const char *expected)
{
	struct proxies proxies;
	char printed[DEST_TEXT_MAX];

	clearenv();
	setenv(variable, value, 1);
	env_proxies(&proxies);
	assert_int_equal(proxies.count, *expected ? 1 : 0);
	if (*expected) {
		dest_print(&proxies.dest[0], printed);
		assert_string_equal(printed, expected);
	}
}

static void
proxies_are_urls_or_bare_hosts(void **state)
{
	(void)state;
	assert_proxy("http_proxy", "http://proxy.example:3128/", "proxy.example:3128");
	assert_proxy("HTTP_PROXY", "proxy.example:3128", "proxy.example:3128");
	assert_proxy("https_proxy", "http://me:w@rd@proxy.example:80", "proxy.example:80");
	assert_proxy("HTTPS_PROXY", "socks5h://192.0.2.1:1080", "192.0.2.1:1080");
	assert_proxy("all_proxy", "http://[2001:db8::1]:8080/x", "[2001:db8::1]:8080");
	assert_proxy("ALL_PROXY", "proxy.example", "proxy.example");
	assert_proxy("http_proxy", "", "");
	assert_proxy("http_proxy", "http://", "");
	assert_proxy("http_proxy", "a b", "");
	assert_proxy("no_proxy", "a.example", "");
}

static void
every_variable_may_name_another_proxy(void **state)
{
	static const char *const names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
					    "HTTPS_PROXY", "all_proxy",	 "ALL_PROXY"};
	struct proxies proxies;
	char long_name[400];

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		setenv(names[i], names[i], 1);
	env_proxies(&proxies);
	assert_int_equal(proxies.count, 6);
	/* They are copies: the program may overwrite its environment. */
	memset(getenv("http_proxy"), 'x', 4);
	assert_memory_equal(proxies.dest[0].name.at, "http_proxy", 10);
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	setenv("all_proxy", long_name, 1);
	env_proxies(&proxies);
	assert_int_equal(proxies.count, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(empty_variable_is_unset, clear),
		cmocka_unit_test_setup(environment_may_be_gone_altogether, clear),
		cmocka_unit_test_setup(named_rules_file_comes_first_whether_it_is_there_or_not,
				       clear),
		cmocka_unit_test_setup(usual_places_are_searched_in_order, clear),
		cmocka_unit_test_setup(unreadable_rules_file_is_not_passed_over, clear),
		cmocka_unit_test_setup(relative_and_overlong_places_are_passed_over, clear),
		cmocka_unit_test_setup(proxies_are_urls_or_bare_hosts, clear),
		cmocka_unit_test_setup(every_variable_may_name_another_proxy, clear),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
