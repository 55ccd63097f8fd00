"""One tree of processes shares one memory: what a companion is to the program that it
serves, and what happens when it, or another, is killed."""

import os
import signal

import pytest

from support.run import need
from support.tree import ask_again, assert_one_at_a_time, lives, read, until

TRIP = 3
CURLS = 20
# A call is given up after more than a second; less would be neutral.
HANG_S = 1.2

RULES = """
[carrier]
match = 127.0.0.1
consecutive = {trip}
cooldown = 1s
cooldown_max = 1s
cooldown_jitter = 0%
probe = {probe}
probe_interval = 100ms
probe_timeout = {lease}
ramp = 1s
refuse_errno = EHOSTUNREACH
"""


def rules(probe="tcp", trip=TRIP, lease="1s"):
    return RULES.format(probe=probe, trip=trip, lease=lease)


def probe_of(server):
    return server.url("/probe")


def probes(server):
    return [e for e in server.requests() if e["path"] == "/probe"]


# The story

SHELL = f"""
for i in $(seq {CURLS}); do curl -s -o /dev/null -m {HANG_S} $0; echo $?; done
read go
until curl -s -o /dev/null $0; do sleep 0.05; done
for i in $(seq 40); do curl -s -o /dev/null $0 && sleep 0.05; done
until curl -s -o /dev/null $0 && curl -s -o /dev/null $0; do sleep 0.05; done
echo back
"""


def test_twenty_curls_trip_one_breaker_and_it_recovers(tree, server):
    server.mode("hang")
    run = tree("sh", "-c", SHELL, server.url("/real"), rules=rules(probe_of(server))).running
    codes = [run.line() for _ in range(CURLS)]
    assert codes == ["28"] * TRIP + ["7"] * (CURLS - TRIP)
    until(lambda: len(probes(server)) >= 2, "probes")
    assert len([e for e in server.requests() if e["path"] == "/real"]) == TRIP
    server.mode("ok")
    result = run.finish(b"go\n")
    assert result.lines == ["back"]
    assert_one_at_a_time(server)
    paths = [e["path"] for e in server.requests()]
    back = paths.index("/real", TRIP)
    assert set(paths[TRIP:back]) == {"/probe"}
    seen = [(t["from"], t["to"], t["reason"]) for t in result.transitions()]
    assert seen[0] == ("closed", "open", "consecutive")
    assert seen[-1] == ("half-open", "closed", "ramp-done")
    assert len({t["pid"] for t in result.transitions()}) >= 2
    assert len(result.of("probe")) == paths.count("/probe")


# One probe

@pytest.mark.parametrize("probe", ["url", "call"])
def test_a_crowd_lets_exactly_one_through(tree, server, compiled, probe):
    """Eight processes of eight threads wait for the end of the cooldown."""
    text = rules("call" if probe == "call" else probe_of(server), trip=1, lease="1m")
    run = tree("sh", "-c", 'curl -sf -o /dev/null "$1"; echo $?; read go; exec "$2" "$3" 8 8',
               "sh", server.url("/status/500"), compiled("crowd", "-lcurl"), server.url("/real"),
               rules=text).running
    assert run.line() == "22"
    server.mode("hang")
    ask_again(run.process)
    assert run.line() == "ready"
    before = len(server.requests())
    until(lambda: len(server.requests()) > before, "the probe")
    # As long again: who lost the race has been refused many times by then.
    seen = len(run.log_text())
    until(lambda: len(run.log_text()) > seen + 100000, "refusals")
    result = run.finish()
    assert [e["path"] for e in server.requests()[before:]] == [
        "/real" if probe == "call" else "/probe"]
    assert server.connections() == 2
    counts = result.lines[-1].split()
    assert counts[2:] == ["well", "0", "other", "1" if probe == "call" else "0"]


def start_asking(tree, compiled, server, **options):
    """A program that goes on asking, after its breaker has tripped."""
    server.mode("500")
    program = tree(compiled("crowd", "-lcurl"), server.url("/real"), 1, 1, **options)
    assert program.running.line() == "ready"
    return program


def assert_it_goes_on(server, run, count):
    """The probe number count was lost; another comes, and the calls after it."""
    until(lambda: len(probes(server)) > count, "another probe")
    asked = len([e for e in server.requests() if e["path"] == "/real"])
    server.mode("ok")
    until(lambda: len([e for e in server.requests() if e["path"] == "/real"]) > asked + 3,
          "calls that are admitted")
    result = run.finish()
    assert_one_at_a_time(server)
    assert "lease-expired" in [t["reason"] for t in result.transitions()]
    return result


def test_a_probe_that_hangs_ends_with_its_lease(tree, compiled, server):
    """The server accepts the question and never answers it."""
    run = tree_of_hanging_probe(tree, compiled, server).running
    assert_it_goes_on(server, run, 1)


def tree_of_hanging_probe(tree, compiled, server):
    # Failures are answered; the probe, which is under the same mode, hangs.
    program = start_asking(tree, compiled, server, rules=rules(probe_of(server), trip=1))
    until(lambda: program.running.events(), "the trip")
    server.mode("hang")
    until(lambda: probes(server), "the first probe")
    return program


def test_a_companion_killed_with_a_probe_in_flight_is_replaced(tree, compiled, server):
    program = tree_of_hanging_probe(tree, compiled, server)
    companion = program.companion()
    count = len(probes(server))
    os.kill(companion, signal.SIGKILL)
    result = assert_it_goes_on(server, program.running, count)
    assert {e["pid"] for e in result.of("probe")} - {companion}


def test_a_connect_that_hangs_ends_with_its_lease(tree, full_backlog):
    url = full_backlog.url()
    run = tree("sh", "-c", f'curl -s -m {HANG_S} "$0"; until [ -e done ]; do curl -s "$0"; '
               'sleep 0.05; done', url, rules=rules(trip=1)).running

    def ends():
        return [e for e in run.events() if e.get("reason") == "lease-expired"]
    until(lambda: len(ends()) >= 2, "two probes that got no answer")
    probed = [e for e in run.events() if e["event"] == "probe"]
    assert {(e["kind"], e["outcome"]) for e in probed} == {("tcp", "fail")}
    run.kill()


# What the program sees

def told(result):
    """What surroundings.c says, without the pid."""
    assert (result.returncode, result.stderr) == (0, "")
    return result.lines[1:]


BEGINNINGS = {
    "plainly": [],
    "with SIGCHLD ignored": ["sh", "-c", 'trap "" CHLD; exec "$@"', "sh"],
    "under nohup": ["nohup"],
    "by a shell that waits": ["sh", "-c", '"$@"; exit $?', "sh"],
    "with SIGCHLD blocked": [
        "/usr/bin/python3", "-c", "import os, signal, sys; signal.pthread_sigmask("
        "signal.SIG_BLOCK, signal.valid_signals()); os.execv(sys.argv[1], sys.argv[1:])"],
    "as a reaper": ["/usr/bin/python3", "-c", "import ctypes, os, sys;"
                    "ctypes.CDLL(None).prctl(36, 1); os.execv(sys.argv[1], sys.argv[1:])"],
    "below a reaper": ["/usr/bin/python3", "-c", "import ctypes, subprocess, sys;"
                       "ctypes.CDLL(None).prctl(36, 1); subprocess.run(sys.argv[1:])"],
    "without descriptors": ["sh", "-c", 'exec "$@" 0<&- 2<&-', "sh"],
}


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_the_program_sees_nothing_new(tree, bare, compiled, beginning):
    before = BEGINNINGS[beginning]
    program = compiled("surroundings")
    with_tree = tree(program, inside=before, log=None).running.finish()
    assert told(with_tree) == told(bare("env", program, inside=before))


def test_the_first_process_of_a_container_sees_no_child(tree, bare, compiled):
    """Its companion can only be its child: one that no ordinary wait() tells of."""
    inside = [need("unshare"), "-pf", "--mount-proc"]
    with_tree = tree(compiled("surroundings"), inside=inside, log=None).running.finish()
    without = bare("env", compiled("surroundings"), inside=inside)
    assert with_tree.lines[0] == without.lines[0] == "1"

    def known(line):
        return not line.startswith(("wait for all", "wait for clones", "/proc/thread-self/ch"))
    assert list(filter(known, told(with_tree))) == list(filter(known, told(without)))
    assert "wait for any: No child processes" in with_tree.lines


def test_the_first_process_of_a_container_shares_its_breakers(tree, server):
    server.mode("500")
    script = "for i in 1 2 3 4 5; do curl -sf $0; echo $?; done"
    result = tree("sh", "-c", script, server.url(), rules=rules(),
                  inside=[need("unshare"), "-pf", "--mount-proc"]).running.finish()
    assert result.lines == ["22"] * TRIP + ["7"] * 2


def test_the_exit_status_is_the_programs(tree):
    assert tree("sh", "-c", "exit 42").running.finish().returncode == 42
    assert tree("sh", "-c", "kill -SEGV $$").running.finish().returncode == -signal.SIGSEGV
    assert tree("cat").running.finish(b"words\n").stdout == "words\n"


# When the companion ends

ENDINGS = {"by itself": "exit 3", "by a signal": "kill -TERM $$", "killed": "kill -KILL $$",
           "as another program": "exec true"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_companion_ends_with_the_program(tree, ending):
    program = tree("sh", "-c", f"read go; {ENDINGS[ending]}")
    companion = program.companion()
    assert program.companions() == [companion]
    program.running.finish(b"go\n")
    program.ended()
    assert not lives(companion)


@pytest.mark.parametrize("words, code", [(["/nowhere/program"], 127), (["/etc/passwd"], 126)])
def test_the_companion_ends_when_the_program_cannot_begin(tree, words, code):
    # `env` finds the command that the runner insists on.
    program = tree("env", *words)
    assert program.running.finish().returncode == code
    program.ended()


@pytest.mark.parametrize("log", [None, "stderr"])
def test_readers_see_the_end_although_children_live_on(tree, log):
    options = ["--log", "info"] if log else []
    program = tree("sh", "-c", "sleep 300 <&- >&- 2>&- & echo $!", log=None, options=options)
    result = program.running.finish()
    child = int(result.stdout)
    assert lives(child) and result.elapsed < 60
    os.kill(child, signal.SIGKILL)
    program.ended()


def test_the_companion_holds_nothing_of_the_programs(tree, tmp_path):
    with open(tmp_path / "file", "w") as file:
        os.set_inheritable(file.fileno(), True)
        program = tree("sh", "-c", f"exec 7>{tmp_path}/other; echo ready; read go")
        companion = program.companion()
        assert program.running.line() == "ready"
    held = {os.readlink(f"/proc/{companion}/fd/{fd}")
            for fd in os.listdir(f"/proc/{companion}/fd")}
    allowed = {"/dev/null", "/memfd:cutout (deleted)", "anon_inode:[pidfd]"}
    assert {h for h in held if not h.startswith("pidfd:")} - allowed == {
        h for h in held if "tree.log" in h}
    assert os.readlink(f"/proc/{companion}/cwd") == "/"
    assert b"\nPPid:\t1\n" in read(companion, "status")
    program.running.finish()


# The terminal

def test_what_the_terminal_sends_is_not_for_the_companion(tree, compiled):
    """Control-C to the group in the foreground, and the hang-up."""
    script = ("import os, signal, sys, pty\n"
              "pid, terminal = pty.fork()\n"
              "if pid == 0:\n"
              # Who runs the tests in the background may have these ignored.
              "    for number in (signal.SIGINT, signal.SIGHUP):\n"
              "        signal.signal(number, signal.SIG_DFL)\n"
              "    os.execv(sys.argv[1], sys.argv[1:])\n"
              "def say(text):\n"
              "    print(text, flush=True)\n"
              "def line():\n"
              "    text = b''\n"
              "    while not text.endswith(b'\\n'): text += os.read(terminal, 1)\n"
              "    return text.decode().strip()\n"
              "say(line()); say(pid)\n"
              "sys.stdin.readline(); os.write(terminal, b'\\x03'); say(line().lstrip('^C'))\n"
              "sys.stdin.readline(); os.close(terminal); sys.stdin.readline()\n")
    shell = ("trap 'echo interrupted' INT; trap '' HUP; [ -t 0 ] && echo terminal;"
             " while :; do sleep 0.05; done")
    program = tree("sh", "-c", shell, inside=["/usr/bin/python3", "-c", script])
    run = program.running
    assert run.line() == "terminal"
    pid = int(run.line())
    (companion,) = program.companions()
    ask_again(run.process)
    assert run.line() == "interrupted"
    assert lives(companion) and lives(pid)
    ask_again(run.process)
    until(lambda: read(pid, "stat").rpartition(b")")[2].split()[4] == b"0", "the hang-up")
    assert lives(companion) and lives(pid)
    os.kill(pid, signal.SIGKILL)
    program.ended()
    run.finish()
