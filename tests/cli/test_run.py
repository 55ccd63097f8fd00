"""cutout run: what it starts, with what, and when it starts nothing."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.run import TIMEOUT_S, clean_environment, library, need

EXIT_NOTHING_STARTED, EXIT_NOT_EXECUTABLE, EXIT_NOT_FOUND = 125, 126, 127
# What must come before the library, as the address sanitizer's runtime.
BEFORE = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]


@pytest.fixture
def command():
    return os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules"
    path.write_text("[carrier]\nmatch = api.carrier.example:443\n[*]\n")
    return path


@pytest.fixture
def start(command, tmp_path):
    """start(ARG..., env=): cutout run ARG..., with nothing of this machine around it."""
    def start(*args, env=None, cwd=tmp_path, **options):
        preload = {"LD_PRELOAD": ":".join(BEFORE)} if BEFORE else {}
        environment = {**clean_environment(tmp_path), **preload, **(env or {})}
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, **options}
        return subprocess.Popen([command, "run", *map(str, args)], env=environment, cwd=cwd,
                                **options)
    return start


@pytest.fixture
def run(start):
    def run(*args, input=None, **options):
        process = start(*args, **options)
        stdout, stderr = process.communicate(input, timeout=TIMEOUT_S)
        return subprocess.CompletedProcess(args, process.returncode, stdout, stderr)
    return run


def environment_of(result):
    assert (result.returncode, result.stderr) == (0, "")
    return dict(line.split("=", 1) for line in result.stdout.splitlines())


def nothing_started(result, *words):
    """Exit code 125, nothing on stdout, and every word on stderr."""
    assert result.returncode == EXIT_NOTHING_STARTED
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr


# What the program becomes

@pytest.mark.parametrize("code", [0, 1, 42, 125, 255])
def test_the_exit_code_is_the_programs(run, rules, code):
    assert run("--rules", rules, "sh", "-c", f"exit {code}").returncode == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_ends_it_as_it_ends_the_program(run, rules, number):
    result = run("--rules", rules, "sh", "-c", f"kill -{number.value} $$")
    assert result.returncode == -number


def test_the_pid_is_kept(start, rules):
    process = start("--rules", rules, "sh", "-c", "echo $$")
    stdout, _ = process.communicate(timeout=TIMEOUT_S)
    assert int(stdout) == process.pid


def test_a_signal_reaches_the_program_itself(start, rules):
    process = start("--rules", rules, "sh", "-c", "trap 'echo got it; exit 7' USR1; echo ready; "
                    "while :; do sleep 0.05; done")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGUSR1)
    stdout, _ = process.communicate(timeout=TIMEOUT_S)
    assert (stdout, process.returncode) == ("got it\n", 7)


def test_ignored_and_blocked_signals_stay_so(run, start, rules):
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    script = ["grep", "-E", "^Sig(Ign|Blk|Cgt):", "/proc/self/status"]
    with_run = run("--rules", rules, *script, preexec_fn=ignore).stdout
    bare = subprocess.run(script, capture_output=True, text=True, preexec_fn=ignore).stdout
    assert with_run == bare


def test_no_descriptor_is_left_behind(run, rules, tmp_path):
    result = run("--rules", rules, "--log", f"off:{tmp_path}/log", "ls", "-l", "/proc/self/fd")
    assert [line.split()[8] for line in result.stdout.splitlines()[1:]] == ["0", "1", "2", "3"]


def test_stdin_and_stdout_pass_through(run, rules):
    assert run("--rules", rules, "tr", "a-z", "A-Z", input="words\n").stdout == "WORDS\n"


def test_nothing_is_printed_when_all_is_well(run, rules):
    result = run("--rules", rules, "true")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("argv, stdout", [
    (["sh", "-c", "echo $0-$1", "a", "b"], "a-b\n"),
    (["bash", "-c", "echo one | cat && (echo two)"], "one\ntwo\n"),
    (["python3", "-c", "import subprocess as s; print(s.check_output('echo hi', shell=True))"],
     "b'hi\\n'\n"),
    (["perl", "-e", "print qq(perl\\n)"], "perl\n"),
    (["awk", "BEGIN { print 6 * 7 }"], "42\n"),
    (["env", "-i", "echo", "clean"], "clean\n"),
    (["xargs", "-n1", "echo"], "x\ny\n"),
    (["sort"], "x y\n"),
    (["nice", "-n", "1", "timeout", "20", "echo", "nested"], "nested\n"),
])
def test_ordinary_programs_run(run, rules, argv, stdout):
    result = run("--rules", rules, need(argv[0]), *argv[1:], input="x y\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, stdout, "")


def test_it_runs_under_itself(run, command, rules):
    environment = environment_of(run("--rules", rules, command, "run", "--log", "off", "env"))
    assert environment["LD_PRELOAD"].split(":") == [*BEFORE, library()]
    assert environment["CUTOUT_RULES"] == str(rules)
    assert environment["CUTOUT_LOG"] == "off"


# What does not run

def test_a_program_that_is_not_there_is_127(run, rules):
    result = run("--rules", rules, "no-such-program")
    assert (result.returncode, result.stdout) == (EXIT_NOT_FOUND, "")
    assert "no-such-program" in result.stderr and "No such file" in result.stderr


def test_a_file_that_cannot_be_executed_is_126(run, rules, tmp_path):
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    for what in (tmp_path / "plain", tmp_path):
        result = run("--rules", rules, what)
        assert (result.returncode, result.stdout) == (EXIT_NOT_EXECUTABLE, "")
        assert str(what) in result.stderr


@pytest.mark.parametrize("args, words", [
    ([], ["no program"]), (["--"], ["no program"]), (["--bogus", "true"], ["--bogus"]),
    (["-x", "true"], ["-x"]), (["--rules"], ["--rules", "value"]),
    (["--log", "loud", "echo"], ["'loud'", "debug"]),
    (["--log", "debug:", "echo"], ["'debug:'"]),
    (["--log", "debug:/nowhere/log", "echo"], ["/nowhere/log", "No such file"]),
    (["--state", "/nowhere/state", "echo"], ["/nowhere/state: "]),
])
def test_a_mistake_on_the_command_line_is_125(run, args, words):
    nothing_started(run(*args), "cutout run: ", *words)


@pytest.mark.parametrize("name, value", [
    ("CUTOUT_LOG", "loud"), ("CUTOUT_LOG_FORMAT", "xml"), ("CUTOUT_STATE", "/nowhere/state")])
def test_a_mistake_in_the_environment_is_125(run, name, value):
    nothing_started(run("echo", env={name: value}), value)


# The rules

def test_every_error_of_the_rules_is_named_before_anything_starts(run, tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("[carrier]\nmatch = a.example\ncooldwn = 5s\n[carrier]\nwindow = soon\n")
    result = run("--rules", bad, "touch", tmp_path / "started")
    nothing_started(result, f"{bad}:3: ", "did you mean 'cooldown'?", f"{bad}:4: ", f"{bad}:5: ")
    assert not (tmp_path / "started").exists()


def test_rules_that_are_not_there_are_named(run, tmp_path):
    nothing_started(run("--rules", tmp_path / "none", "echo"), f"{tmp_path}/none: ", "no such file")


@pytest.mark.parametrize("name", ["XDG_CONFIG_HOME", "HOME", "CUTOUT_RULES"])
def test_rules_are_checked_wherever_they_are_found(run, tmp_path, name):
    place = {"XDG_CONFIG_HOME": "cutout", "HOME": ".config/cutout", "CUTOUT_RULES": "."}[name]
    file = tmp_path / "place" / place / "rules"
    file.parent.mkdir(parents=True)
    value = file if name == "CUTOUT_RULES" else tmp_path / "place"
    file.write_text("[*]\nbogus = 1\n")
    nothing_started(run("echo", env={name: str(value)}), f"{file}:2: ")
    file.write_text("[*]\n")
    assert environment_of(run("env", env={name: str(value)}))["CUTOUT_RULES"] == str(file)


def test_without_a_file_the_built_in_rules_are_in_force(run):
    assert run("true").returncode == 0


# What the program finds in its environment

def test_relative_names_become_absolute(run, rules, tmp_path):
    environment = environment_of(run("--rules", "rules", "--log", "error:log.%p", "env"))
    assert environment["CUTOUT_RULES"] == str(tmp_path / "rules")
    assert environment["CUTOUT_LOG"] == f"error:{tmp_path}/log.%p"


def test_the_environment_is_set(run, rules):
    environment = environment_of(run("--rules", rules, "--log", "warn", "--state", "process",
                                     "env"))
    assert environment["LD_PRELOAD"].split(":") == [*BEFORE, library()]
    assert environment["CUTOUT_RULES"] == str(rules)
    assert environment["CUTOUT_LOG"] == "warn"
    assert environment["CUTOUT_STATE"] == "process"
    assert environment["CUTOUT_FOLLOW"] == "1"


def test_options_win_over_the_environment(run, rules):
    environment = environment_of(run("--rules", rules, "--log", "off", "env", env={
        "CUTOUT_RULES": "/nowhere", "CUTOUT_LOG": "debug:/nowhere/log", "CUTOUT_FOLLOW": "0"}))
    assert environment["CUTOUT_RULES"] == str(rules)
    assert environment["CUTOUT_LOG"] == "off"
    assert environment["CUTOUT_FOLLOW"] == "0"


@pytest.fixture
def empty_library(tmp_path):
    def empty_library(name):
        path = tmp_path / name
        subprocess.run([need("cc"), "-shared", "-o", path, "-x", "c", os.devnull], check=True)
        return str(path)
    return empty_library


@pytest.mark.parametrize("separator", [":", " "])
def test_what_is_preloaded_stays_preloaded(run, rules, empty_library, separator):
    other = empty_library("libother.so")
    environment = environment_of(run("--rules", rules, "env",
                                     env={"LD_PRELOAD": separator.join([*BEFORE, other])}))
    assert environment["LD_PRELOAD"].replace(" ", ":").split(":") == [*BEFORE, library(), other]


def test_a_sanitizers_runtime_stays_first(run, rules, empty_library):
    there = [*BEFORE, empty_library("libasan.so.8"), empty_library("libother.so")]
    environment = environment_of(run("--rules", rules, "env", env={"LD_PRELOAD": ":".join(there)}))
    assert environment["LD_PRELOAD"].split(":") == [*there[:-1], library(), there[-1]]


def test_a_library_that_is_there_is_not_added_again(run, rules):
    value = ":".join([*BEFORE, library()])
    environment = environment_of(run("--rules", rules, "env", env={"LD_PRELOAD": value}))
    assert environment["LD_PRELOAD"] == value


def test_the_log_is_written_by_the_program(run, rules, tmp_path):
    run("--rules", rules, "--log", f"debug:{tmp_path}/log", "true",
        env={"CUTOUT_LOG_FORMAT": "json"})
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(e["event"], e["file"]) for e in events] == [("config", str(rules))]


# Where options end

def test_options_end_at_the_program(run, rules):
    result = run("--rules", rules, "echo", "--log", "loud", "--", "--help")
    assert result.stdout == "--log loud -- --help\n"


def test_two_dashes_end_the_options(run, rules, tmp_path):
    script = tmp_path / "--log"
    script.write_text("#!/bin/sh\necho \"$@\"\n")
    script.chmod(0o755)
    result = run("--rules", rules, "--", "--log", "a", env={
        "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert result.stdout == "a\n"


def test_help_is_on_stdout(run):
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("usage: cutout run ")


# Where the library is

@pytest.fixture
def moved(command, tmp_path):
    """moved(DIRECTORY, with_library): a copy of the command there."""
    def moved(directory, with_library=True):
        directory.mkdir()
        real = Path(command)
        if (real.parent / ".libs" / "cutout").exists():     # libtool's wrapper
            real = real.parent / ".libs" / "cutout"
        shutil.copy(real, directory / "cutout")
        if with_library:
            shutil.copy(library(), directory / "libcutout.so")
        return directory / "cutout"
    return moved


def run_moved(command, rules, tmp_path):
    return subprocess.run([command, "run", "--rules", rules, "env"], capture_output=True,
                          text=True, env=clean_environment(tmp_path), timeout=TIMEOUT_S)


@pytest.mark.skipif(bool(BEFORE), reason="the sanitizer's runtime is not in its environment")
def test_the_library_beside_the_command_is_taken(moved, rules, tmp_path):
    result = run_moved(moved(tmp_path / "bin"), rules, tmp_path)
    assert environment_of(result)["LD_PRELOAD"] == f"{tmp_path}/bin/libcutout.so"


@pytest.mark.parametrize("name", ["a place", "a:place", "a$place"])
def test_a_library_that_ld_preload_cannot_hold_is_told(moved, rules, tmp_path, name):
    nothing_started(run_moved(moved(tmp_path / name), rules, tmp_path), "LD_PRELOAD", name)


def test_a_missing_library_is_told(moved, rules, tmp_path):
    alone = moved(tmp_path / "alone", with_library=False)
    result = run_moved(alone, rules, tmp_path)
    if result.returncode == 0:
        pytest.skip("a libcutout.so is installed on this machine")
    nothing_started(result, "libcutout.so")
