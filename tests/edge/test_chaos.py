"""Many processes share one file of breakers while others are killed at random: what is
left works, counts rightly, trips and recovers."""

import os
import random
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from support.run import clean_environment, parse_log, shim_environment
from support.tree import PATIENCE_S, until

TRIP = 5
RULES = f"""
[carrier]
match = 127.0.0.1
consecutive = {TRIP}
p90 = 500ms
min_samples = 10
window = 2s
cooldown = 300ms
cooldown_max = 1s
probe_interval = 50ms
probe_timeout = 300ms
probe_successes = 1
ramp = 300ms
late_failure = ignore
"""
MODES = ["ok", "ok", "500", "hang", "reset", "refuse"]
SHORT, LONG = (40, 5), (200, 30)


class Herd:
    """Processes that go on asking; every now and then one is killed for another."""

    def __init__(self, argv, env, count):
        self.argv, self.env = argv, env
        self.all = [self.start() for _ in range(count)]

    def start(self):
        return subprocess.Popen(self.argv, env=self.env, stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def kill_one(self, number):
        victim = self.all[number]
        assert victim.poll() is None, f"ended by itself: {victim.returncode}"
        victim.kill()
        victim.communicate()
        self.all[number] = self.start()

    def end(self):
        """All end when they are told to, well, and without a word."""
        for process in self.all:
            process.stdin.close()
        for process in self.all:
            assert process.wait(timeout=PATIENCE_S) == 0
            assert process.stderr.read() == b""
            process.stderr.close()

    def drop(self):
        for process in self.all:
            process.kill()
            process.wait()


@pytest.fixture
def state():
    path = Path(f"/dev/shm/cutout-{uuid.uuid4()}")
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture
def surroundings(tmp_path, state):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "rules").write_text(RULES)
    return {**clean_environment(tmp_path / "home"),
            **shim_environment(tmp_path / "rules", tmp_path / "log", "warn", state)}


@pytest.mark.parametrize("count, seconds", [
    SHORT, pytest.param(*LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("prober", [True, False], ids=["prober", "workers"])
def test_what_is_left_of_a_herd_trips_and_recovers(tmp_path, state, surroundings, compiled, server,
                                                   count, seconds, prober):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    argv = [compiled("crowd", "-lcurl"), server.url("/real"), "0", "2"]
    command = [os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout"), "prober", "--state", state,
               "--rules", tmp_path / "rules"]
    herd = Herd(argv, surroundings, count)
    probers = Herd(command, {**surroundings, "CUTOUT_STATE": ""}, 2 if prober else 0)
    try:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            herd.kill_one(dice.randrange(count))
            if prober and dice.random() < 0.1:
                probers.kill_one(dice.randrange(2))
            if dice.random() < 0.1:
                server.mode(dice.choice(MODES))
            time.sleep(dice.random() * seconds / 100)
        server.mode("ok")
        herd.end()
        assert_plausible(tmp_path / "log")
        assert_it_works(argv[1], surroundings, server, tmp_path / "log")
    finally:
        herd.drop()
        probers.drop()


def assert_plausible(log):
    transitions = [e for e in parse_log(log.read_bytes()) if e["event"] == "transition"]
    assert {e["event"] for e in parse_log(log.read_bytes())} == {"transition"}
    assert transitions
    for t in transitions:
        assert 0 <= t["failed"] <= t["total"] and 0 <= t["slow"] <= t["total"], t
        assert t["total"] < 100000 and t["p99_ms"] < 60000 and t["cooldown_ms"] <= 1000, t


def curls(count, url, env):
    """The exit codes of so many, one after the other."""
    script = 'for i in $(seq $0); do curl -sf -m 5 -o /dev/null "$1"; echo $?; done'
    run = subprocess.run(["sh", "-c", script, str(count), url], env=env, capture_output=True,
                         text=True, timeout=120)
    assert run.stderr == ""
    return [int(line) for line in run.stdout.split()]


def come_back(url, env):
    until(lambda: curls(1, url, env) == [0], "the first that is admitted")
    until(lambda: curls(10, url, env) == [0] * 10, "the end of the ramp")


def trips(log):
    return sum(e.get("from") == "closed" for e in parse_log(log.read_bytes()))


def assert_it_works(url, env, server, log):
    """It recovers, stays closed, trips at the count and recovers again."""
    come_back(url, env)
    before = trips(log)
    # What was counted before a close is forgotten, what hung is dead.
    assert curls(30, url, env) == [0] * 30
    server.mode("500")
    codes = curls(TRIP + 3, url, env)
    assert codes[:TRIP] == [22] * TRIP
    # A busy machine may let the cooldown pass before the next of them.
    assert trips(log) > before
    server.mode("ok")
    come_back(url, env)
