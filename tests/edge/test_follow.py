"""What a program starts stays under the shim, also with an environment made clean."""

import os
import subprocess
from pathlib import Path

import pytest

from support.programs import JAVA
from support.run import clean_environment, library, need

CLIENTS = Path(__file__).parent.parent / "support" / "clients"
RULES = "[carrier]\nmatch = 127.0.0.1\n"
# How a sanitizer's runtime stands in front, where there is one.
BEFORE = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]
# Interpreters leave memory behind, which is not what is asked here.
HOST = {"ASAN_OPTIONS": "detect_leaks=0"} if BEFORE else {}
FOLLOW = {**HOST, "CUTOUT_FOLLOW": "1"}
PRELOAD = ":".join([*BEFORE, library()]) if "CUTOUT_BUILDDIR" in os.environ else ""

EXEC = ["execve", "execve-null", "execv", "execvp", "execvpe", "execl", "execlp", "execle",
        "fexecve", "execveat"]
FORMS = [*EXEC, "posix_spawn", "posix_spawnp", "vfork", "system", "popen"]

PYTHON = "/usr/bin/python3"
NODE = ("const s = require('child_process').spawn(process.argv[1], process.argv.slice(2),"
        " {env: {}, stdio: 'inherit'}); s.on('exit', code => process.exit(code))")
PHP = ("$p = proc_open(array_slice($argv, 1), [1 => STDOUT, 2 => STDERR], $pipes, null, []);"
       "exit(proc_close($p));")
STARTERS = {
    "env": ["env", "-i"],
    "env -u": ["env", "-u", "LD_PRELOAD", "-u", "CUTOUT_RULES"],
    "env twice": ["env", "-i", "/usr/bin/env", "-i"],
    "dash": ["dash", "-c", "unset LD_PRELOAD CUTOUT_RULES; \"$@\"; exit $?", "dash"],
    "bash exec -c": ["bash", "-c", "exec -c \"$@\"", "bash"],
    "bash": ["bash", "-c", "(exec -c \"$@\"); exit $?", "bash"],
    "python subprocess": [PYTHON, "-c", "import subprocess, sys;"
                          "sys.exit(subprocess.run(sys.argv[1:], env={}).returncode)"],
    "python fork": [PYTHON, "-c", "import subprocess, sys;"
                    "sys.exit(subprocess.run(sys.argv[1:], env={}, preexec_fn=int).returncode)"],
    "python posix_spawn": [PYTHON, "-c", "import os, sys;"
                           "pid = os.posix_spawn(sys.argv[1], sys.argv[1:], {});"
                           "sys.exit(os.waitpid(pid, 0)[1])"],
    "python os.execve": [PYTHON, "-c", "import os, sys; os.execve(sys.argv[1], sys.argv[1:], {})"],
    "python os.system": [PYTHON, "-c", "import os, sys; os.environ.clear();"
                         "sys.exit(os.system(' '.join(sys.argv[1:])))"],
    "node": ["node", "-e", NODE],
    "perl exec": ["perl", "-e", "%ENV = (); exec {$ARGV[0]} @ARGV"],
    "perl system": ["perl", "-e", "%ENV = (); exit(system({$ARGV[0]} @ARGV) >> 8)"],
    "php": ["php", "-n", "-r", PHP, "--"],
    "java": ["java", *JAVA, str(CLIENTS / "Start.java")],
}


@pytest.fixture
def forms(compiled):
    return compiled("start_forms")


@pytest.fixture
def caller(clients, server):
    """A program that calls the server."""
    return clients("bash", 20, server.url())


def covered(result):
    """The one call of the program that was started is in the log."""
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "HTTP/1.1 200 Status-200\n"
    calls = result.calls()
    assert [call["outcome"] for call in calls] == ["ok"]
    assert result.of("config", pid=calls[0]["pid"])


@pytest.mark.parametrize("starter", STARTERS)
def test_what_is_started_with_a_clean_environment_is_covered(cutout, caller, starter):
    program, *args = STARTERS[starter]
    covered(cutout(program, *args, *caller, rules=RULES, env=FOLLOW))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_starting_covers(cutout, caller, forms, form):
    covered(cutout(forms, form, *caller, rules=RULES, env=FOLLOW))


@pytest.mark.parametrize("starter", STARTERS)
def test_without_follow_a_clean_environment_ends_it(cutout, caller, starter):
    program, *args = STARTERS[starter]
    result = cutout(program, *args, *caller, rules=RULES, env=HOST)
    assert (result.returncode, result.calls()) == (0, [])
    assert result.stdout == "HTTP/1.1 200 Status-200\n"


@pytest.mark.parametrize("follow", [{}, {"CUTOUT_FOLLOW": "0"}, {"CUTOUT_FOLLOW": "yes"}])
@pytest.mark.parametrize("form", FORMS)
def test_without_follow_the_environment_is_the_programs_own(cutout, runner, forms, form, follow):
    result = cutout(forms, form, "/usr/bin/env", "-0", log="off", env=follow)
    own = {"system": f"PWD={runner.home}\0", "popen": f"PWD={runner.home}\0"}
    assert (result.returncode, result.stdout) == (0, own.get(form, ""))


@pytest.mark.parametrize("words", [
    ["CUTOUT_OFF=1", "A=1"], ["CUTOUT_FOLLOW=0", "A=1"],
    ["LD_PRELOAD=", "CUTOUT_OFF=1"]])
def test_an_environment_that_says_no_is_passed_to_the_byte(cutout, words):
    result = cutout("env", "-i", *words, "/usr/bin/env", env=FOLLOW)
    assert result.lines == words


def test_what_the_program_set_stays_and_the_rest_comes_behind_it(cutout):
    result = cutout("env", "-i", "A=1", "CUTOUT_RULES=/dev/null", "B=2", "CUTOUT_LOG=off",
                    "/usr/bin/env", env=FOLLOW)
    assert result.lines[:4] == ["A=1", "CUTOUT_RULES=/dev/null", "B=2", "CUTOUT_LOG=off"]
    assert sorted(result.lines[4:]) == ["CUTOUT_FOLLOW=1", "CUTOUT_LOG_FORMAT=json",
                                        f"LD_PRELOAD={PRELOAD}"]


def test_rules_of_the_programs_own_are_obeyed(cutout, caller, tmp_path):
    own = tmp_path / "own"
    own.write_text("[own]\nmatch = 127.0.0.1\n")
    result = cutout("env", "-i", f"CUTOUT_RULES={own}", *caller, rules=RULES, env=FOLLOW)
    assert [call["breaker"] for call in result.calls()] == ["own"]


def test_libraries_that_the_program_preloads_stay(cutout):
    result = cutout("env", "-i", "LD_PRELOAD=libm.so.6", "/usr/bin/printenv", "LD_PRELOAD",
                    env=FOLLOW)
    assert result.lines == [f"{PRELOAD}:libm.so.6"]


def test_a_path_that_holds_here_alone_is_made_absolute(cutout, caller):
    directory, name = os.path.split(library())
    preload = ":".join([*BEFORE, f"./{name}"])
    result = cutout("sh", "-c", 'cd / && unset LD_PRELOAD && exec env -i "$@"', "sh",
                    *caller, rules=RULES, cwd=directory,
                    env={**FOLLOW, "LD_PRELOAD": preload})
    covered(result)


def test_a_static_program_in_between_passes_it_on(cutout, caller, compiled):
    static = compiled("start_forms", "-static")
    result = cutout("env", "-i", static, "inherit-execve", *caller, rules=RULES, env=FOLLOW)
    covered(result)


@pytest.mark.parametrize("form", [*FORMS, "inherit-execve"])
@pytest.mark.parametrize("what", ["missing", "directory", "not executable", "no format"])
def test_what_cannot_be_started_fails_as_ever(compare, forms, tmp_path, form, what):
    file = tmp_path / "file"
    if what == "directory":
        file.mkdir()
    elif what != "missing":
        file.write_text("exit 7\n")
        file.chmod(0o755 if what == "no format" else 0o644)
    compare(forms, form, file, env=FOLLOW)


@pytest.mark.parametrize("form", FORMS)
def test_every_word_arrives(compare, forms, form):
    both = compare(forms, form, "/bin/echo", *"abcdefg", env=FOLLOW)
    assert both.bare.stdout == "a b c d e f g\n"


@pytest.mark.parametrize("form", ["huge", "system-null"])
def test_what_is_unusual_is_as_ever(compare, forms, form):
    both = compare(forms, form, "/usr/bin/env", env=FOLLOW)
    assert both.bare.stdout == {"huge": "A=1\n" * 50000, "system-null": "1\n"}[form]


def test_a_program_has_room_for_as_many_arguments_as_ever(compare, forms):
    compare(forms, "most-arguments", "/bin/true", env=FOLLOW, log=None)


def test_variables_that_are_too_long_are_one_line(cutout):
    result = cutout("env", "-i", "/usr/bin/env", log=None,
                    env={**FOLLOW, "CUTOUT_X": "x" * 30000})
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and "not followed" in result.stderr


def test_a_vfork_child_leaves_its_parent_as_it_was(cutout, compiled, full_backlog):
    result = cutout(compiled("vfork_pending"), full_backlog.port, "/bin/true", rules=RULES,
                    env=FOLLOW)
    assert result.stdout == "0 bytes changed, environment same, connect under way\n"
    assert int(result.stderr) > 0
    assert [call["outcome"] for call in result.calls()] == ["neutral"]
    assert len(result.of("config")) == 3


def test_a_program_with_other_rights_says_nothing_new(compiled, tmp_path):
    """Its loader leaves the library out without a word, and takes the variable away."""
    seteuid = Path("/tmp") / f"test_follow.{os.getpid()}"
    if os.geteuid() != 0:
        pytest.skip("only root can make one")
    copied = Path(compiled("start_forms")).read_bytes()
    try:
        seteuid.mkdir(mode=0o755)
        program, shim = seteuid / "program", seteuid / "libcutout.so"
        program.write_bytes(copied)
        program.chmod(0o4755)
        shim.write_bytes(Path(library()).read_bytes())
        shim.chmod(0o755)
        env = {**clean_environment("/tmp"), "LD_PRELOAD": ":".join([*BEFORE, str(shim)]),
               "CUTOUT_FOLLOW": "1", "CUTOUT_RULES": "/dev/null", "CUTOUT_LOG": "off"}
        nobody = [need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
        result = subprocess.run([*nobody, "/usr/bin/env", "-i", program, "inherit-execve",
                                 "/usr/bin/env"], env=env, capture_output=True, text=True)
    finally:
        for file in seteuid.iterdir():
            file.unlink()
        seteuid.rmdir()
    assert (result.returncode, result.stderr) == (0, "")
    assert sorted(result.stdout.splitlines()) == ["CUTOUT_FOLLOW=1", "CUTOUT_LOG=off",
                                                  "CUTOUT_RULES=/dev/null"]
