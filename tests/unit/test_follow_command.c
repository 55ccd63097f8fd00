#include "follow_support.h"

/* What the shell says to command, with envp for its environment. */
static void
ask_shell(const char *command, char *const envp[], char *out, size_t size)
{
	int pipes[2], status;
	ssize_t len;

	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		execle("/bin/sh", "sh", "-c", command, NULL, envp);
		_exit(127);
	}
	close(pipes[1]);
	for (*out = '\0'; (len = read(pipes[0], out, size - 1)) > 0; size -= (size_t)len)
		*(out += len) = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void
command_runs_as_the_shell_alone_would_run_it(void **state)
{
	static const char *const commands[] = {"echo 'a  b' \"it's\" $0 \\' $#",
					       "no-such-program-at-all",
					       "echo one\nfi",
					       "",
					       ";",
					       "echo $((1 +",
					       "trap 'echo bye' EXIT; exit 3"};
	char *envp[] = {path, NULL}, bare[512], wrapped[512];

	(void)state;
	start_with(library);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct follow_plan plan = follow_plan(envp);
		char *const *env = follow_write(&plan, room);
		char *text = follow_command(&plan, env, commands[i]);
		/* The file under that name is no library: the loader must not meet it. */
		char *at = strstr(text, " 'LD_PRELOAD=");

		memcpy(at + 2, "XX", 2);
		ask_shell(commands[i], envp, bare, sizeof(bare));
		ask_shell(text, envp, wrapped, sizeof(wrapped));
		assert_string_equal(wrapped, bare);
		free(text);
	}
}

static void
command_has_what_was_put_back(void **state)
{
	char *envp[] = {path, NULL}, out[512];
	struct follow_plan plan;

	(void)state;
	start_with(library);
	plan = follow_plan(envp);
	char *text = follow_command(&plan, follow_write(&plan, room), "echo \"$CUTOUT_RULES\"");

	memcpy(strstr(text, " 'LD_PRELOAD=") + 2, "XX", 2);
	ask_shell(text, envp, out, sizeof(out));
	assert_string_equal(out, "/r u'les\n");
	free(text);
}

static void
command_that_the_kernel_would_not_take_is_left(void **state)
{
	static char command[128 * 1024];
	char *envp[] = {path, NULL};
	struct follow_plan plan;

	(void)state;
	start_with(library);
	plan = follow_plan(envp);
	memset(command, ':', sizeof(command) - 1);
	assert_null(follow_command(&plan, follow_write(&plan, room), command));
	command[sizeof(command) - 1024] = '\0';
	char *text = follow_command(&plan, follow_write(&plan, room), command);

	assert_non_null(text);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_runs_as_the_shell_alone_would_run_it),
		cmocka_unit_test(command_has_what_was_put_back),
		cmocka_unit_test(command_that_the_kernel_would_not_take_is_left),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
