"""What programs do with descriptors, signals and processes while a connect is under
way: each connect is counted once, by who made it, and the program meets nothing of it."""

import os
import tempfile
from functools import partial

import pytest

from support.run import library

RULES = "[open]\nmatch = 127.0.0.1:{open}\n[full]\nmatch = 127.0.0.1:{full}\n"
OK = ("open", "ok", "connected")
GAVE_UP = ("full", "neutral", "gave-up")
GAVE_UP_LATE = ("full", "fail", "gave-up")


@pytest.fixture
def trap(cutout, compiled, server, full_backlog):
    """The case ran as it should; gives its result."""
    def run(name, *words, program="trap_cases", rules=RULES, **options):
        result = cutout(compiled(program), name, server.port, full_backlog.port, *words,
                        rules=rules.format(open=server.port, full=full_backlog.port), **options)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        return result
    return run


@pytest.fixture
def ends(trap):
    """The same of the cases that are about the end of a connect."""
    return partial(trap, program="socket_cases")


def seen(result):
    return [(call["breaker"], call["outcome"], call["detail"]) for call in result.calls()]


def pids(result):
    return [call["pid"] for call in result.calls()]


@pytest.mark.parametrize("case, calls", [
    ("closes-twice", [GAVE_UP]), ("dups-over", [GAVE_UP]), ("moves", [GAVE_UP]),
    ("reuses", [GAVE_UP, OK]), ("jumps", [GAVE_UP, OK]), ("interrupts", [OK, GAVE_UP])])
def test_a_connect_that_is_left_is_counted_once(trap, case, calls):
    assert seen(trap(case)) == calls


@pytest.mark.parametrize("case, calls", [
    ("reuses-late", [GAVE_UP_LATE]), ("closes-stream", [GAVE_UP]), ("talks-by-stream", [OK, OK]),
    ("closes-memory", [OK]), ("dups-badly", [GAVE_UP_LATE]), ("copies", [OK]),
    ("asks-early", [GAVE_UP]), ("cancels", [GAVE_UP, ("open", "neutral", "gave-up")]),
    ("shuts-down", [GAVE_UP]),
    ("shuts-connected", [OK]), ("connects-accepted", [("open", "neutral", "EISCONN")])])
def test_a_connect_is_counted_by_what_became_of_it(ends, case, calls):
    assert seen(ends(case)) == calls


def test_a_failure_that_the_program_does_not_ask_for_is_left_to_it(ends, refused_port):
    rules = f"[refused]\nmatch = 127.0.0.1:{refused_port}\n"
    assert seen(ends("fails-unasked", refused_port, rules=rules)) == [
        ("refused", "fail", "gave-up")]


def test_a_socket_that_is_connected_is_left_to_the_kernel(ends):
    rules = ("[both]\nmatch = 127.0.0.1:{open}\nmatch = 127.0.0.1:{full}\n"
             "consecutive = 1\ncooldown = 1m\n")
    result = ends("connects-again", rules=rules)
    assert sorted(call["outcome"] for call in result.calls()) == ["fail", "ok", "ok"]
    assert result.refusals() == [] != result.transitions()


def test_a_pointer_to_nowhere_is_left_to_the_kernel(ends):
    assert sorted(seen(ends("points-nowhere", env={"CUTOUT_FOLLOW": "1"}))) == [GAVE_UP, OK]


def test_a_vfork_child_that_closes_all_ends_nothing(trap):
    result = trap("vforks")
    assert seen(result) == [GAVE_UP]
    assert pids(result) == [result.of("config")[0]["pid"]]


@pytest.fixture(params=["process", "shared"])
def state(request):
    """Where breakers live; a shared state has to be on a tmpfs."""
    if request.param == "process":
        yield "process"
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        yield f"{directory}/state"


def test_a_forked_child_leaves_the_connect_to_its_parent(trap, state):
    """It closes its copy after more than a second, which would be a failure."""
    result = trap("forks", rules=RULES + "consecutive = 1\n", state=state)
    assert seen(result) == [OK, GAVE_UP_LATE]
    child, parent = pids(result)
    assert parent == result.of("config")[0]["pid"] != child
    assert [t["pid"] for t in result.transitions()] == [parent]


def test_a_call_of_the_parent_is_never_overdue_in_a_forked_child(trap):
    """With a latency limit that it passed, and a breaker that the child shares with it."""
    rules = ("[both]\nmatch = 127.0.0.1:{open}\nmatch = 127.0.0.1:{full}\n"
             "consecutive = 1\np99 = 1s\n")
    result = trap("forks", rules=rules, state="process")
    child, parent = pids(result)
    assert [t["pid"] for t in result.transitions()] == [parent]
    assert [(c["pid"], c["outcome"]) for c in result.calls()] == [(child, "ok"), (parent, "fail")]


def test_a_program_that_closes_all_is_logged_on_and_keeps_its_files(trap, tmp_path):
    result = trap("closes-all", tmp_path / "own")
    assert seen(result) == [OK] * 3
    assert (tmp_path / "own").read_text() == ""


@pytest.mark.parametrize("log", [None, "debug"])
@pytest.mark.parametrize("redirections", ["", "<&- >&- 2>&-", ">&-"])
def test_a_program_begins_with_its_own_descriptors_and_errno(
        bare, cutout, compiled, server, tmp_path, log, redirections):
    def words(name):
        return ["sh", "-c", f'exec "$@" {redirections}', "sh", compiled("trap_cases"), "tells",
                server.port, 0, tmp_path / name]
    assert bare(*words("bare")).returncode == 0
    result = cutout(*words("cutout"), rules=RULES.format(open=server.port, full=1), log=log)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert seen(result) == ([OK] if log else [])
    told = (tmp_path / "cutout").read_text()
    assert told == (tmp_path / "bare").read_text() and told.startswith("errno 0, ")


def test_a_library_that_calls_before_the_shim_has_started_is_served(
        cutout, compiled, server, refused_port):
    """The name has one address, for a call that has others to try is not over."""
    before = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]
    preload = ":".join([*before, library(), str(compiled("early", "-shared", "-fPIC"))])
    for port, call, text in [(server.port, OK, ""),
                             (refused_port, ("full", "fail", "ECONNREFUSED"),
                              "Connection refused\n")]:
        result = cutout("/bin/echo", "hello", env={"LD_PRELOAD": preload, "EARLY_PORT": str(port)},
                        rules=RULES.format(open=server.port, full=refused_port),
                        hosts="127.0.0.1 localhost\n")
        assert (result.returncode, result.stdout, result.stderr) == (0, text + "hello\n", "")
        assert seen(result) == [call]


@pytest.mark.parametrize("order", ["first", "last"])
def test_a_library_that_makes_its_calls_by_syscall_is_no_loop(cutout, compiled, server, order):
    before = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]
    other = str(compiled("by_syscall", "-shared", "-fPIC"))
    both = [other, library()] if order == "first" else [library(), other]
    ask = (f"exec 3<>/dev/tcp/127.0.0.1/{server.port}; "
           "printf 'GET /ok HTTP/1.0\\r\\n\\r\\n' >&3; read -r line <&3; echo $line")
    result = cutout("bash", "-c", ask, env={"LD_PRELOAD": ":".join([*before, *both])},
                    rules=RULES.format(open=server.port, full=1))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("HTTP/1.1 200")
    assert seen(result) == [("open", "ok", "answered")]
