"""The probe command, and the prober of a state that programs share."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.run import clean_environment

PYTHON = "/usr/bin/python3"
RULES = """
[svc]
match = 127.0.0.1:{port}
consecutive = 3
cooldown = 500ms
cooldown_max = 500ms
probe_interval = 100ms
probe_successes = 1
ramp = 0s
{more}
"""
# Says when it has failed for a while, and, a moment after it goes well again, how it went
# and how many threads there were at most.
CALLS = """
import os, socket, sys, time
tasks, results, failures, well = set(), [], 0, 0
end = time.monotonic() + 40
while time.monotonic() < end and well < 10:
    s = socket.socket()
    result = s.connect_ex(("127.0.0.1", {port}))
    s.close()
    tasks.add(len(os.listdir("/proc/self/task")))
    if results[-1:] != [result]:
        results.append(result)
    failures += result != 0
    well += result == 0 and failures > 0
    if result and failures == 10:
        print("fails", flush=True)
    time.sleep(0.02)
print(max(tasks), *results)
"""


def command():
    built = Path(os.environ["CUTOUT_BUILDDIR"])
    return str(next(p for p in (built / "cutout", built.parent / "cutout") if p.exists()))


@pytest.fixture
def state():
    """A path on a tmpfs where nothing is yet."""
    path = Path(f"/dev/shm/cutout-test-{os.getpid()}")
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture
def start_prober(tmp_path, state):
    """start_prober(RULES) -> a running prober that has opened the state."""
    started = []

    def start(rules, *args):
        file = tmp_path / "prober.rules"
        file.write_text(rules)
        env = {**clean_environment(tmp_path), "CUTOUT_LOG": "info"}
        process = subprocess.Popen([command(), "prober", "--state", state, "--rules", file, *args],
                                   stderr=subprocess.PIPE, env=env)
        started.append(process)
        deadline = time.monotonic() + 5
        while not state.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        return process
    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def probe(tmp_path, *args, env=None):
    return subprocess.run([command(), "probe", *map(str, args)], capture_output=True, text=True,
                          timeout=20, env={**clean_environment(tmp_path), **(env or {})})


@pytest.mark.parametrize("path, options, status", [
    ("/ok", [], 0), ("/status/302", [], 0), ("/status/404", [], 1),
    ("/status/404", ["--expect", "404"], 0), ("/status/404", ["--expect", "200,400-410"], 0),
    ("/close", [], 1), ("/drip/30", [], 0), ("/hang", ["--timeout", "1s"], 1)])
@pytest.mark.parametrize("tls", [False, True])
def test_a_url_passes_by_its_status(tmp_path, server, tls_server, path, options, status, tls):
    peer = tls_server if tls else server
    begun = time.monotonic()
    result = probe(tmp_path, *options, peer.url(path), env=peer.env)
    assert result.returncode == status, result
    assert result.stdout.startswith(["pass: ", "fail: "][status]) and result.stderr == ""
    assert time.monotonic() - begun < 20
    assert [r["agent"] for r in peer.requests()] == ["cutout/0.1.0"]


def test_a_certificate_is_verified(tmp_path, tls_server):
    assert probe(tmp_path, tls_server.url("/ok")).returncode == 1
    assert tls_server.requests() == []


def test_a_connect_passes_when_somebody_listens(tmp_path, server, refused_port, full_backlog):
    assert probe(tmp_path, f"127.0.0.1:{server.port}").returncode == 0
    assert probe(tmp_path, "tcp", f"localhost:{server.port}").returncode == 0
    assert probe(tmp_path, f"127.0.0.1:{refused_port}").returncode == 1
    hung = probe(tmp_path, "--timeout", "200ms", f"127.0.0.1:{full_backlog.port}")
    assert (hung.returncode, hung.stdout) == (1, "fail: no answer within 200ms\n")


def test_a_name_alone_is_looked_up(tmp_path):
    assert probe(tmp_path, "localhost").returncode == 0
    assert probe(tmp_path, "no-such-name.invalid").returncode == 1


@pytest.mark.parametrize("args", [
    [], ["a", "b"], ["--nonsense", "x:1"], ["ftp://x/"], ["127.0.0.1"], ["x:0"], ["a b:1"],
    ["x:1\nramp = 0s"], ["--timeout", "soon", "x:1"], ["--expect", "abc", "http://x/"],
    ["--timeout", "1s\nramp = 0s", "x:1"], ["http://"]])
def test_what_cannot_be_probed_is_a_usage_error(tmp_path, args):
    result = probe(tmp_path, *args)
    assert result.returncode == 2 and result.stderr and result.stdout == ""


def test_a_prober_probes_and_no_program_gets_a_thread(cutout, server, state, start_prober):
    rules = RULES.format(port=server.port, more="")
    prober = start_prober(rules)
    server.mode("refuse")
    programs = [cutout.start(PYTHON, "-c", CALLS.format(port=server.port), rules=rules,
                             state=state) for _ in range(3)]
    assert [program.line() for program in programs] == ["fails"] * 3
    server.mode("auto")
    results = [program.finish() for program in programs]
    assert [result.stdout for result in results] == ["1 111 0\n"] * 3
    assert [result.of("probe") for result in results] == [[]] * 3
    prober.send_signal(signal.SIGTERM)
    log = prober.communicate()[1].decode()
    assert prober.returncode == 0
    assert log.count("outcome=ok") == 1
    assert log.count("from=half-open to=closed") == 1


def test_several_probers_make_one_probe(cutout, server, state, start_prober):
    rules = RULES.format(port=server.port, more="")
    probers = [start_prober(rules) for _ in range(3)]
    server.mode("refuse")
    program = cutout.start(PYTHON, "-c", CALLS.format(port=server.port), rules=rules,
                           state=state)
    assert program.line() == "fails"
    server.mode("auto")
    assert program.finish().stdout == "1 111 0\n"
    for prober in probers:
        prober.send_signal(signal.SIGINT)
    log = "".join(prober.communicate()[1].decode() for prober in probers)
    assert [prober.returncode for prober in probers] == [0] * 3
    assert log.count("outcome=ok") == 1
    begun = log.count("from=open to=half-open")
    assert begun == log.count(" probe svc ")


@pytest.mark.parametrize("more", ["", "probe = http://127.0.0.1:{port}/hang\n"])
def test_a_prober_that_ends_frees_its_probe(cutout, server, full_backlog, state, start_prober,
                                            more):
    port = server.port if more else full_backlog.port
    rules = RULES.format(port=port, more="p50 = 50ms\nmin_samples = 1\nprobe_timeout = 1m\n"
                         + more.format(port=port))
    prober = start_prober(rules)
    server.mode("hang-accept" if more else "auto")
    program = f"""
import socket, time
for i in range(4):
    s = socket.socket()
    s.settimeout(1.1)
    try:
        s.connect(("127.0.0.1", {port}))
        s.send(b"x")
        s.recv(1)
    except OSError: pass
"""
    if more:
        server.mode("refuse")
    cutout(PYTHON, "-c", program, rules=rules, state=state)
    if more:
        server.mode("auto")
    time.sleep(1)
    begun = time.monotonic()
    prober.send_signal(signal.SIGTERM)
    log = prober.communicate()[1].decode()
    assert prober.returncode == 0 and time.monotonic() - begun < 4
    assert "outcome=neutral" in log.splitlines()[-1]


def test_where_the_prober_was_killed_a_program_takes_over(cutout, server, state, start_prober):
    rules = RULES.format(port=server.port, more="")
    prober = start_prober(rules)
    server.mode("refuse")
    program = cutout.start(PYTHON, "-c", CALLS.format(port=server.port), rules=rules,
                           state=state)
    assert program.line() == "fails"
    prober.kill()
    time.sleep(4)
    server.mode("auto")
    result = program.finish()
    assert result.stdout == "2 111 0\n"
    assert result.of("probe", outcome="ok")


def test_a_prober_says_what_is_wrong(tmp_path, state):
    def run(*args):
        return subprocess.run([command(), "prober", *map(str, args)], capture_output=True,
                              text=True, timeout=20, env=clean_environment(tmp_path))
    assert run().returncode == 2
    assert run("--state", "process").returncode == 2
    assert run("--state", "/no/such/place").returncode == 1
    bad = tmp_path / "bad.rules"
    bad.write_text("[x]\nmatch = x\nnonsense = 1\n")
    result = run("--state", state, "--rules", bad)
    assert result.returncode == 1 and result.stderr.startswith(f"{bad}:3: ")
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"x" * 100)
    result = run("--state", foreign)
    assert result.returncode == 1 and str(foreign) in result.stderr
