"""Programs that share a file of breakers, without a companion: they trip one breaker,
one of them probes, and whoever is killed is replaced."""

import os
import shutil
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from support.run import need
from support.tree import BEFORE, assert_one_at_a_time, command, lives, until

TRIP = 3
RULES = """
[carrier]
match = 127.0.0.1
consecutive = {trip}
cooldown = {cooldown}
cooldown_max = {cooldown}
cooldown_jitter = 0%
probe = {probe}
probe_interval = 100ms
probe_timeout = {lease}
ramp = 500ms
refuse_errno = EHOSTUNREACH
"""
ASK = """
import socket, sys
for i in range(int(sys.argv[2])):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except OSError as e:
        print(e.errno, flush=True)
"""
REFUSED, UNREACHABLE = "111", "113"


def rules(probe="tcp", trip=TRIP, cooldown="1s", lease="1s"):
    return RULES.format(probe=probe, trip=trip, cooldown=cooldown, lease=lease)


@pytest.fixture
def state():
    """A path on a tmpfs where nothing is yet."""
    path = Path(f"/dev/shm/cutout-{uuid.uuid4()}")
    yield path
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


@pytest.fixture
def ask(cutout):
    """ask(PORT, COUNT, state=): what each connect of a new process came to."""
    def ask(port, count, **options):
        options = {"rules": rules(cooldown="1h"), **options}
        return cutout("/usr/bin/python3", "-c", ASK, port, count, **options)
    return ask


def real(server):
    return [e for e in server.requests() if e["path"] == "/real"]


def probes(server):
    return [e for e in server.requests() if e["path"] == "/probe"]


# What is shared

def test_programs_that_know_nothing_of_each_other_share_a_breaker(ask, state, refused_port):
    first, *others = [ask(refused_port, 1, state=state) for _ in range(6)]
    assert first.lines == [REFUSED]
    assert [o.lines for o in others] == [[REFUSED]] * (TRIP - 1) + [[UNREACHABLE]] * 3
    assert [len(o.transitions()) for o in others] == [0] * (TRIP - 2) + [1] + [0] * 3
    assert oct(state.stat().st_mode) == "0o100600"


def test_run_shares_the_file_with_a_bare_preload(ask, tree, state, refused_port):
    assert ask(refused_port, TRIP, state=state).lines == [REFUSED] * TRIP
    program = tree("/usr/bin/python3", "-c", ASK, refused_port, "2",
                   rules=rules(cooldown="1h"), options=["--state", state])
    assert program.running.finish().lines == [UNREACHABLE] * 2
    assert program.companions() == []


def test_other_rules_are_told_once_and_kept_apart(ask, state, refused_port):
    assert ask(refused_port, TRIP, state=state).lines == [REFUSED] * TRIP
    other = ask(refused_port, 4, state=state, rules=rules(trip=2, cooldown="1h"))
    assert other.lines == [REFUSED] * 2 + [UNREACHABLE] * 2
    (told,) = other.of("config", level="error")
    assert (told["file"], "other settings" in told["error"]) == (str(state), True)
    assert ask(refused_port, 1, state=state).lines == [UNREACHABLE]


# What is no state

def short(path):
    path.write_bytes(b"cutout\n\0")


def foreign(path):
    path.write_bytes(b"x" * (1 << 23))


def fifo(path):
    os.mkfifo(path)


def of_another_user(path):
    subprocess.run([command(), "run", "--state", path, "true"], check=True)
    os.chown(path, 65534, 65534)


NO_STATES = {short: "too short", foreign: "not a state of cutout", Path.mkdir: "is a directory",
             fifo: "not a regular file", of_another_user: "belongs to another user"}


@pytest.mark.parametrize("make", NO_STATES, ids=lambda make: make.__name__)
def test_what_is_no_state_is_told_and_the_process_goes_on_alone(ask, tree, state, refused_port,
                                                                make):
    make(state)
    for _ in range(2):
        result = ask(refused_port, TRIP + 1, state=state)
        assert result.lines == [REFUSED] * TRIP + [UNREACHABLE]
        (told,) = result.of("config", level="error")
        assert (told["file"], NO_STATES[make] in told["error"]) == (str(state), True)
    started = tree("echo", "started", options=["--state", state]).running.finish()
    assert (started.returncode, started.stdout) == (125, "")
    assert f"{state}: " in started.stderr and NO_STATES[make] in started.stderr


def test_a_tmpfs_without_room_is_told(ask, tmp_path, refused_port):
    (tmp_path / "small").mkdir()
    result = ask(refused_port, TRIP + 1, state=tmp_path / "small" / "state", inside=[
        need("unshare"), "-m", "sh", "-c", 'mount -t tmpfs -o size=1m none "$0" && exec "$@"',
        str(tmp_path / "small")])
    assert result.lines == [REFUSED] * TRIP + [UNREACHABLE]
    assert "no room for the state" in result.of("config", level="error")[0]["error"]


def test_a_file_that_is_removed_is_kept_by_those_who_have_it(cutout, ask, state, refused_port):
    """And made anew for those who come."""
    script = ASK.replace("try:", "try:\n        sys.stdin.readline()")
    running = cutout.start("/usr/bin/python3", "-c", script, refused_port, TRIP + 1, state=state,
                           rules=rules(cooldown="1h"))
    until(state.exists, "the state")
    until(lambda: running.events(), "the start")
    state.unlink()
    assert running.finish(b"\n" * 9).lines == [REFUSED] * TRIP + [UNREACHABLE]
    assert ask(refused_port, 1, state=state).lines == [REFUSED]


# Who probes

@pytest.fixture
def crowd(cutout, compiled, server, state):
    """crowd(PROCESSES, THREADS, RULES): programs that go on asking for /real."""
    def start(processes, threads, text):
        running = cutout.start(compiled("crowd", "-lcurl"), server.url("/real"), processes,
                               threads, rules=text, state=state, log="info")
        assert running.line() == "ready"
        return running
    return start


@pytest.mark.parametrize("probe", ["url", "call"])
def test_of_a_crowd_of_workers_exactly_one_probes(crowd, server, cutout, state, probe):
    """All of them wait for the end of the cooldown, each with a worker of its own."""
    text = rules("call" if probe == "call" else server.url("/probe"), trip=1, lease="1m")
    server.mode("500")
    cutout("curl", "-s", server.url("/real"), rules=text, state=state)
    server.mode("hang")
    before = len(server.requests())
    running = crowd(8, 8, text)
    until(lambda: len(server.requests()) > before, "the probe")
    seen = len(running.log_text())
    until(lambda: len(running.log_text()) > seen + 100000, "refusals")
    counts = running.finish().lines[-1].split()
    assert [e["path"] for e in server.requests()[before:]] == [
        "/real" if probe == "call" else "/probe"]
    assert counts[2:] == ["well", "0", "other", "1" if probe == "call" else "0"]


@pytest.fixture
def prober(runner, state):
    """prober(RULES): `cutout prober` at work on the state."""
    def start(text):
        path = runner.tmp_path / "prober.rules"
        path.write_text(text)
        running = runner.start(command(), "prober", "--state", state, "--rules", path,
                               env={"LD_PRELOAD": ":".join(BEFORE)} if BEFORE else {})
        until(state.exists, "the state")
        return running
    return start


@pytest.mark.parametrize("holder", ["worker", "prober"])
def test_who_is_killed_with_a_probe_in_flight_is_replaced(crowd, prober, server, holder):
    """The lease ends, the cooldown passes, and somebody else probes."""
    text = rules(server.url("/probe"), trip=1)
    server.mode("500")
    victim = prober(text) if holder == "prober" else crowd(0, 1, text)
    asking = crowd(0, 1, text) if holder == "prober" else victim
    until(asking.log_text, "the trip")
    server.mode("hang")
    until(lambda: probes(server), "the first probe")
    other = asking if holder == "prober" else crowd(0, 1, text)
    count = len(probes(server))
    os.kill(victim.pid, signal.SIGKILL)
    until(lambda: len(probes(server)) > count, "another probe")
    asked = len(real(server))
    server.mode("ok")
    until(lambda: len(real(server)) > asked + 3, "calls that are admitted")
    result = other.finish()
    assert "lease-expired" in [t["reason"] for t in result.transitions()]
    assert_one_at_a_time(server)
    assert not lives(victim.pid)
