"""The thread that makes the probes of a bare preload: it finds out that the dependency
is back, and the program meets nothing of it."""

import json
import os
import re
import signal
import subprocess
import time
from datetime import datetime, timezone

import pytest

from support.run import need
from support.programs import HERE as CLIENTS

PYTHON = "/usr/bin/python3"
COOLDOWN_MS = 600
INTERVAL_MS = 200
RULES = """
[svc]
match = 127.0.0.1:{port}
consecutive = 3
cooldown = 600ms
cooldown_jitter = 0%
probe_interval = 200ms
ramp = 400ms
{more}
"""


def rules(port, more=""):
    return RULES.format(port=port, more=more)


def seconds(event):
    return datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(
        tzinfo=timezone.utc).timestamp()


def about(passed_s, wanted_ms):
    """Both ends of a wait are told a little late, on a busy machine more than that."""
    return wanted_ms / 2 < passed_s * 1000 < wanted_ms * 4


def steps(result):
    return [(t["from"], t["to"], t["reason"]) for t in result.transitions()]


def wait_for_trip(running):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not any(
            e.get("to") == "open" for e in running.events()):
        time.sleep(0.02)


RECOVERY = [("open", "half-open", "consecutive"), ("half-open", "half-open", "probe-ok"),
            ("half-open", "closed", "ramp-done")]
TRIPPED = ("closed", "open", "consecutive")


@pytest.fixture(scope="session")
def cases(compiled):
    return compiled("worker_cases")


def test_a_probe_after_the_cooldown_recovers(bare, cutout, cases, server):
    """And leaves no thread, which would keep a program from a namespace that it may have."""
    unshared = 0 if bare("unshare", "--user", "true").returncode == 0 else -1
    server.mode("refuse")
    running = cutout.start(cases, "newuser", server.port, rules=rules(server.port))
    wait_for_trip(running)
    server.mode("auto")
    result = running.finish()
    assert result.lines == ["recovers 1", f"unshare {unshared}"]
    assert steps(result) == [TRIPPED, *RECOVERY]
    trip, begin, *_ = result.transitions()
    first, second = result.of("probe")
    assert about(seconds(begin) - seconds(trip), COOLDOWN_MS)
    assert about(seconds(second) - seconds(first), INTERVAL_MS)
    assert {(p["kind"], p["target"], p["outcome"]) for p in (first, second)} == {
        ("tcp", f"127.0.0.1:{server.port}", "ok")}


def test_eight_threads_see_one_probe_at_a_time_and_no_call_gets_through(cutout, cases, server):
    server.mode("refuse")
    running = cutout.start(cases, "threads", server.port, rules=rules(server.port))
    wait_for_trip(running)
    time.sleep(1)
    server.mode("auto")
    result = running.finish()
    assert steps(result)[0] == TRIPPED and steps(result)[-3:] == [
        ("open", "half-open", "probe-failed"), *RECOVERY[1:]]
    counts = re.match(r"failed (\d+) passed (\d+) tasks 1$", result.stdout)
    failed, passed = map(int, counts.groups())
    assert failed > 100 and passed > 100
    log = server.log()
    asked = {e["connection"] for e in log if e["event"] == "request"}
    connects = [e for e in log if e["event"] == "connect"]
    probes = [e for e in connects if e["connection"] not in asked]
    assert [e["connection"] for e in probes] == [1, 2], "both probes come before any call"
    assert about(probes[1]["time"] - probes[0]["time"], INTERVAL_MS)
    outcomes = [p["outcome"] for p in result.of("probe")]
    assert outcomes == ["fail"] * (len(outcomes) - 2) + ["ok"] * 2


def test_a_probe_that_hangs_ends_with_its_lease_and_doubles_the_cooldown(
        cutout, cases, full_backlog):
    port = full_backlog.port
    trip = "consecutive = 2\np50 = 100ms\nmin_samples = 1"
    text = rules(port, "probe_timeout = 500ms\n").replace("consecutive = 3", trip)
    program = f"""
import socket, time
def hang():
    s = socket.socket()
    s.settimeout(1.1)
    try:
        s.connect(("127.0.0.1", {port}))
    except OSError as error:
        print(type(error).__name__, flush=True)
hang(), hang()
time.sleep(3)
"""
    result = cutout(PYTHON, "-c", program, rules=text)
    opened = [t for t in result.transitions() if t["to"] == "open"]
    assert [t["reason"] for t in opened[1:]][:1] == ["lease-expired"]
    assert [t["cooldown_ms"] for t in opened][:2] == [600, 1200]
    begun = [t for t in result.transitions() if t["to"] == "half-open"]
    assert about(seconds(opened[1]) - seconds(begun[0]), 500)
    # The cooldown counts from the lease's end.
    assert about(seconds(begun[1]) - seconds(opened[1]), 1200)
    assert result.of("probe")[0]["outcome"] == "fail"


# Connects and says at the end what of the worker is left.
CONNECTS = """
import os, socket, time
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    s = socket.socket()
    s.connect_ex(("127.0.0.1", {port}))
    s.close()
    time.sleep(0.02)
maps = open("/proc/self/maps").read()
try:
    os.waitpid(-1, os.WNOHANG)
    children = "children"
except ChildProcessError as error:
    children = type(error).__name__
print(len(os.listdir("/proc/self/task")), "thread, libcurl", "libcurl" in maps, end=", ")
print(children)
"""


@pytest.mark.parametrize("tls", [False, True])
def test_a_url_is_asked_by_a_helper(cutout, server, tls_server, tls):
    peer = tls_server if tls else server
    url = peer.url("/status/404")
    text = rules(peer.port, f"probe = {url}\nprobe_expect = 400-404")
    peer.mode("refuse")
    running = cutout.start(PYTHON, "-c", CONNECTS.format(port=peer.port, seconds=4), rules=text,
                           env=peer.env)
    wait_for_trip(running)
    peer.mode("auto")
    result = running.finish()
    assert steps(result)[-3:] == RECOVERY
    assert [(p["kind"], p["target"], p["outcome"]) for p in result.of("probe")] == [
        ("url", url, "ok")] * 2
    assert [r["path"] for r in peer.requests()] == ["/status/404"] * 2
    assert {r["agent"] for r in peer.requests()} == {"cutout/0.1.0"}
    assert result.lines[-1] == "1 thread, libcurl False, ChildProcessError"


def test_a_url_with_another_status_fails(cutout, server):
    text = rules(server.port, f"probe = {server.url('/status/404')}\n")
    server.mode("refuse")
    running = cutout.start(PYTHON, "-c", CONNECTS.format(port=server.port, seconds=3), rules=text)
    wait_for_trip(running)
    server.mode("auto")
    result = running.finish()
    assert steps(result)[:3] == [TRIPPED, RECOVERY[0], ("half-open", "open", "probe-failed")]
    assert {p["outcome"] for p in result.of("probe")} == {"fail"} and server.requests()


def test_a_certificate_that_nobody_trusts_fails(cutout, tls_server):
    text = rules(tls_server.port, f"probe = {tls_server.url('/ok')}\n")
    tls_server.mode("refuse")
    running = cutout.start(PYTHON, "-c", CONNECTS.format(port=tls_server.port, seconds=3),
                           rules=text)
    wait_for_trip(running)
    tls_server.mode("auto")
    assert {p["outcome"] for p in running.finish().of("probe")} == {"fail"}
    assert tls_server.requests() == []


def test_a_url_that_hangs_ends_with_its_lease(cutout, cases, server):
    """And no child, no signal of one and no process is left by it."""
    text = rules(server.port, f"probe = {server.url('/hang')}\nprobe_timeout = 400ms\n")
    server.mode("refuse")
    running = cutout.start(cases, "children", server.port, rules=text)
    wait_for_trip(running)
    server.mode("auto")
    result = running.finish()
    assert result.lines == ["seen 0 signals 0", "own child 7 signals 1"]
    assert [t["reason"] for t in result.transitions() if t["to"] == "open"][1:2] == [
        "lease-expired"]
    assert len(server.requests()) >= 1
    deadline = time.monotonic() + 2
    while helpers(str(server.port)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert helpers(str(server.port)) == []


def helpers(word):
    """The helper processes with that word in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(word in w for w in words) and "probe" in words:
            found.append(words)
    return found


def test_without_the_command_a_url_becomes_a_connect(cutout, server, tmp_path, monkeypatch):
    alone = tmp_path / "alone"
    alone.mkdir()
    source = os.environ["CUTOUT_BUILDDIR"]
    library = next(p for p in (f"{source}/.libs/libcutout.so", f"{source}/libcutout.so")
                   if os.path.exists(p))
    subprocess.run(["cp", library, alone], check=True)
    monkeypatch.setenv("CUTOUT_BUILDDIR", str(alone))
    server.mode("refuse")
    text = rules(server.port, f"probe = {server.url('/status/500')}\n")
    running = cutout.start(PYTHON, "-c", CONNECTS.format(port=server.port, seconds=2.5), rules=text)
    wait_for_trip(running)
    server.mode("auto")
    result = running.finish()
    if os.path.exists("/usr/local/bin/cutout"):
        pytest.skip("a cutout command is installed")
    assert steps(result)[:4] == [TRIPPED, *RECOVERY]
    assert len([e for e in result.of("config", level="error")]) == 1
    assert server.requests() == []


def test_a_process_whose_main_thread_leaves_ends_with_its_last_one(cutout, cases, refused_port):
    result = cutout(cases, "leave", refused_port, rules=rules(refused_port))
    assert (result.lines, result.returncode) == (["tasks 2", "last thread"], 0)
    assert result.elapsed < 30


def test_signals_are_for_the_program(cutout, cases, refused_port):
    result = cutout(cases, "signals", refused_port, rules=rules(refused_port))
    assert result.lines == ["tasks 2", "waited 20 handled 20 elsewhere 0"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_the_program(cutout, cases, refused_port, number):
    running = cutout.start(cases, "waits", refused_port, rules=rules(refused_port))
    assert running.line() == "tripped"
    os.kill(running.pid, number)
    result = running.finish()
    assert result.returncode == -number and result.elapsed < 30


def test_a_program_that_gives_up_its_privileges_has_none_left(cutout, cases, server):
    server.mode("refuse")
    running = cutout.start(cases, "drop", server.port, rules=rules(server.port))
    time.sleep(2)
    server.mode("auto")
    result = running.finish()
    assert result.lines == ["tasks 2", "dropped soon 1", "tasks 2 of root 0", "recovers 1"]


def test_a_forked_child_makes_its_own_probes(cutout, cases, server):
    server.mode("refuse")
    running = cutout.start(cases, "forks", server.port, rules=rules(server.port))
    time.sleep(1)
    server.mode("auto")
    result = running.finish()
    assert result.lines == ["child: tasks 1 then 2", "child: recovers 1", "parent: recovers 1"]
    assert len({p["pid"] for p in result.of("probe", outcome="ok")}) == 2


def test_children_of_vfork_start_no_thread_and_harm_none(cutout, server):
    """posix_spawn and subprocess, while the worker is at work."""
    server.mode("refuse")
    program = CONNECTS.format(port=server.port, seconds=1) + """
import subprocess
threads = []
for i in range(30):
    threads.append(len(os.listdir("/proc/self/task")))
    assert subprocess.run(["/bin/true"], close_fds=True).returncode == 0
    assert os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1] == 0
print(max(threads))
""" + CONNECTS.format(port=server.port, seconds=2.5)
    running = cutout.start(PYTHON, "-c", program, rules=rules(server.port))
    time.sleep(1.3)
    server.mode("auto")
    result = running.finish()
    assert result.returncode == 0, result.stderr
    assert result.lines[1] == "2"
    assert steps(result)[-3:][1:] == RECOVERY[1:]


def test_tls_of_the_program_is_undisturbed_by_tls_of_the_probe(cutout, tls_server):
    port = tls_server.port
    text = rules(port, f"probe = {tls_server.url('/ok')}\n")
    tls_server.mode("refuse")
    running = cutout.start(PYTHON, CLIENTS / "https_loop.py", tls_server.url("/ok"), 4, rules=text,
                           env=tls_server.env)
    time.sleep(1)
    tls_server.mode("auto")
    result = running.finish()
    assert result.returncode == 0
    assert result.lines[-2:] == ["200 1", "libcurl False"]
    assert steps(result)[-2:] == RECOVERY[1:]


@pytest.mark.parametrize("name", ["fetch", "java", "urllib"])
def test_a_client_recovers(cutout, clients, tls_server, name):
    url = tls_server.url("/ok", host="localhost")
    text = rules(tls_server.port, f"match = localhost:{tls_server.port}\nprobe = {url}")
    tls_server.mode("refuse")
    running = cutout.start(*clients(name, 5, *[url] * 4, 4, url), rules=text, env=tls_server.env,
                           hosts="127.0.0.1 localhost\n")
    wait_for_trip(running)
    tls_server.mode("auto")
    result = running.finish()
    assert steps(result)[-2:] == RECOVERY[1:]
    assert result.lines[-1] == "200 ok"


def test_nothing_is_done_while_all_is_closed(cutout, server, tmp_path):
    trace = tmp_path / "strace"
    result = cutout(PYTHON, "-c", CONNECTS.format(port=server.port, seconds=0.5),
                    rules=rules(server.port),
                    inside=[need("strace"), "-f", "-qq", "-o", str(trace), "-e",
                            "trace=clone,clone3,fork,vfork,execve,pipe2,pidfd_open,ppoll,"
                            "close_range,unshare,prctl"])
    assert result.transitions() == []
    calls = [line for line in trace.read_text().splitlines() if "execve(" not in line]
    assert [line for line in calls if not line.endswith("+++")] == []


def test_what_the_shim_opens_is_not_in_the_programs_table(cutout, full_backlog):
    """While a probe is under way, and whatever the program closes then."""
    program = f"""
import os, socket, time
def connect():
    s = socket.socket()
    s.settimeout(0.2)
    try: s.connect(("127.0.0.1", {full_backlog.port}))
    except OSError: pass
    s.close()
before = os.listdir("/proc/self/fd")
for i in range(6): connect()
time.sleep(0.1)
tasks = set()
end = time.monotonic() + 2
while time.monotonic() < end:
    assert os.listdir("/proc/self/fd") == before, os.listdir("/proc/self/fd")
    os.closerange(3, 1000)
    tasks.add(len(os.listdir("/proc/self/task")))
    time.sleep(0.01)
print("same", sorted(tasks))
"""
    result = cutout(PYTHON, "-c", program, log=None, rules=rules(
        full_backlog.port, "p50 = 50ms\nmin_samples = 1\nprobe_timeout = 300ms\n"))
    assert result.lines == ["same [2]"], result.stderr


def test_a_pipe_that_the_program_closes_is_closed(cutout, refused_port):
    """The thread must not hold stdout open for whoever reads it."""
    program = CONNECTS.format(port=refused_port, seconds=0.5) + """
import sys
sys.stdout.flush()
null = os.open("/dev/null", os.O_RDWR)
for fd in (0, 1, 2): os.dup2(null, fd)
time.sleep(30)
"""
    running = cutout.start(PYTHON, "-c", program, rules=rules(refused_port))
    begun = time.monotonic()
    assert running.process.stdout.read().startswith(b"2 thread")
    assert time.monotonic() - begun < 10
    running.kill()


RECEIVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        assert self.headers["content-type"] == "application/json"
        body = self.rfile.read(int(self.headers["content-length"]))
        with open(sys.argv[1], "ab") as file:
            file.write(body + b"\\n")
        self.send_response(204)
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_an_alert_tells_of_each_open_and_close(cutout, server, tmp_path):
    received = tmp_path / "received"
    receiver = subprocess.Popen([PYTHON, "-c", RECEIVER, received], stdout=subprocess.PIPE)
    port = int(receiver.stdout.readline())
    try:
        server.mode("refuse")
        text = rules(server.port, f"alert = http://127.0.0.1:{port}/hook\n")
        running = cutout.start(PYTHON, "-c", CONNECTS.format(port=server.port, seconds=3),
                               rules=text)
        wait_for_trip(running)
        server.mode("auto")
        result = running.finish()
        time.sleep(0.3)
    finally:
        receiver.kill()
        receiver.wait()
    bodies = [json.loads(line) for line in received.read_text().splitlines()]
    assert [(b["from"], b["to"], b["reason"]) for b in bodies] == [TRIPPED, RECOVERY[-1]]
    told = [t for t in result.transitions() if t["to"] in ("open", "closed")]
    for body, event in zip(bodies, told, strict=True):
        assert {**body, "ts": 0} == {**event, "ts": 0}
    assert result.lines[-1].startswith("1 thread, libcurl False")


@pytest.mark.parametrize("receiver", ["refuses", "hangs", "fails"])
def test_an_alert_that_cannot_be_posted_delays_nobody(
        cutout, server, make_server, refused_port, receiver):
    other = make_server()
    url = {"refuses": f"http://127.0.0.1:{refused_port}/", "hangs": other.url("/hang"),
           "fails": other.url("/status/500")}[receiver]
    server.mode("refuse")
    text = rules(server.port, f"alert = {url}\n")
    running = cutout.start(PYTHON, "-c", CONNECTS.format(port=server.port, seconds=3), rules=text)
    wait_for_trip(running)
    server.mode("auto")
    result = running.finish()
    assert steps(result) == [TRIPPED, *RECOVERY]
    begin, = result.transitions(to="half-open", reason="consecutive")
    assert about(seconds(begin) - seconds(result.transitions()[0]), COOLDOWN_MS)
    errors = [e for e in result.of("config", level="error") if e["file"] == url]
    assert len(errors) == (0 if receiver == "hangs" else 2)
