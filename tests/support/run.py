"""Run one real program, with the shim or without, and tell what it did."""

import difflib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TIMEOUT_S = 60
VALGRIND_TIMES = 5      # what it costs a program, and more on a busy machine
MAX_LOG_LINE = 4096


def need(program):
    """The full path of a program; one that is missing fails the test."""
    found = shutil.which(str(program), path=PATH)
    if not found:
        pytest.fail(f"the tests need the program {program}, which is not on this machine; "
                    f"install it (looked in {PATH})", pytrace=False)
    return found


def library():
    """The libcutout.so under test, from CUTOUT_BUILDDIR."""
    builddir = os.environ.get("CUTOUT_BUILDDIR")
    if not builddir:
        pytest.fail("CUTOUT_BUILDDIR does not say where libcutout.so was built", pytrace=False)
    for place in (Path(builddir), Path(builddir, ".libs")):
        if (place / "libcutout.so").exists():
            return str((place / "libcutout.so").resolve())
    pytest.fail(f"there is no libcutout.so in {builddir}; build it first", pytrace=False)


def clean_environment(home):
    """All that a program gets: nothing of the machine that runs the tests."""
    return {"PATH": PATH, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "root", "LOGNAME": "root",
            "SHELL": "/bin/bash", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}


def shim_environment(rules_file, log_file, log, state=None):
    # CUTOUT_TEST_PRELOAD: what must come before, as the address sanitizer's runtime.
    before = os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":")
    env = {"LD_PRELOAD": ":".join([p for p in before if p] + [library()]),
           "CUTOUT_RULES": str(rules_file)}
    if log:
        env["CUTOUT_LOG"] = f"{log}:{log_file}"
        env["CUTOUT_LOG_FORMAT"] = "json"
    if state:
        env["CUTOUT_STATE"] = str(state)
    return env


def parse_log(data):
    """The events of a JSON log; a line that is none, or too long, fails."""
    events = []
    for line in data.splitlines(keepends=True):
        assert len(line) <= MAX_LOG_LINE, f"a log line of {len(line)} bytes: {line[:200]}"
        assert line.endswith(b"\n"), f"a log line without its end: {line!r}"
        try:
            event = json.loads(line)
        except ValueError as error:
            raise AssertionError(f"a log line that is not JSON ({error}): {line!r}") from None
        assert isinstance(event, dict), f"a log line that is not an object: {line!r}"
        events.append(event)
    return events


@dataclass
class Syscall:
    time: float
    pid: int
    name: str
    text: str

    @property
    def port(self):
        found = re.search(r"sin6?_port=htons\((\d+)\)", self.text)
        return int(found[1]) if found else None


def parse_strace(directory):
    calls = []
    for path in Path(directory).glob("trace.*"):
        for line in path.read_text(errors="replace").splitlines():
            found = re.match(r"(\d+\.\d+) (\w+)\(", line)
            if found:
                calls.append(Syscall(float(found[1]), int(path.suffix[1:]), found[2], line))
    return sorted(calls, key=lambda call: call.time)


@dataclass
class Result:
    argv: list
    stdout_bytes: bytes
    stderr_bytes: bytes
    returncode: int
    elapsed: float
    events: list = field(default_factory=list)
    syscalls: list = field(default_factory=list)

    @property
    def stdout(self):
        return self.stdout_bytes.decode("utf-8", "surrogateescape")

    @property
    def stderr(self):
        return self.stderr_bytes.decode("utf-8", "surrogateescape")

    @property
    def lines(self):
        return self.stdout.splitlines()

    def of(self, event, **fields):
        """The log lines of one event that have these fields."""
        return [e for e in self.events if e.get("event") == event
                and all(e.get(key) == value for key, value in fields.items())]

    def calls(self, **fields):
        return self.of("call", **fields)

    def breakers(self, **fields):
        """Whose the calls were."""
        return [call["breaker"] for call in self.calls(**fields)]

    def transitions(self, **fields):
        return self.of("transition", **fields)

    def refusals(self, **fields):
        return self.of("refuse", **fields)

    def connects(self, port=None):
        """The connect system calls to internet addresses (needs strace=True)."""
        return [call for call in self.syscalls if call.name == "connect"
                and call.port is not None and port in (None, call.port)]

    def network_while_refused(self):
        """The system calls on sockets from the trip to the last refusal, told by when
        their log lines were written (needs strace=True)."""
        trip = self.writes_of("transition")[0]
        last = self.writes_of("refuse")[-1]
        return [call.text for call in self.syscalls[trip:last] if call.name != "write"]

    def writes_of(self, event):
        mark = fr'\"event\":\"{event}\"'
        return [i for i, call in enumerate(self.syscalls)
                if call.name == "write" and mark in call.text]

    def __str__(self):
        return "\n".join([f"argv:   {' '.join(map(str, self.argv))}",
                          f"status: {self.returncode} after {self.elapsed:.2f} s",
                          f"stdout: {self.stdout}", f"stderr: {self.stderr}", "log:",
                          *(json.dumps(event) for event in self.events)])

    def __repr__(self):
        return f"<Result of {self.argv[0]}: {self.returncode}>"


class Running:
    """A program that has been started; finish() waits for it."""

    def __init__(self, argv, env, log_file, trace, cwd, timeout):
        self.argv, self.log_file, self.trace, self.timeout = argv, log_file, trace, timeout
        self.begun = time.monotonic()
        self.process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True, bufsize=0)

    @property
    def pid(self):
        return self.process.pid

    def line(self):
        """The next line of stdout (finish() then gives the rest)."""
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            self.kill()
            pytest.fail(f"said nothing within {self.timeout} s: {self.argv}\n{self.log_text()}")
        return self.process.stdout.readline().decode("utf-8", "surrogateescape").rstrip("\n")

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()

    def finish(self, input=None):
        try:
            stdout, stderr = self.process.communicate(input, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            stdout, stderr = self.process.communicate()
            pytest.fail(f"did not end within {self.timeout} s: {self.argv}\n"
                        f"stdout: {stdout!r}\nstderr: {stderr!r}\n{self.log_text()}")
        elapsed = time.monotonic() - self.begun
        result = Result(self.argv, stdout, stderr, self.process.returncode, elapsed,
                        syscalls=parse_strace(self.trace) if self.trace else [])
        try:
            result.events = self.events()
        finally:
            print(result)       # pytest shows it where a test fails
        return result

    def log_text(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def events(self):
        """The log so far; a %p in its name is a file for each process."""
        paths = self.log_file.parent.glob(self.log_file.name.replace("%p", "*"))
        return [e for path in sorted(paths) for e in parse_log(path.read_bytes())]


class Runner:
    """Starts programs in one test's own directory."""

    def __init__(self, tmp_path):
        self.tmp_path = tmp_path
        self.count = 0
        self.started = []
        self.home = tmp_path / "home"
        self.home.mkdir()

    def start(self, program, *args, rules=None, log="debug", state=None, env=None, inside=(),
              hosts=None, strace=False, cwd=None, timeout=TIMEOUT_S):
        """rules None: without the shim. `inside` comes before the program (a
        network namespace); hosts is the text of an /etc/hosts for it alone."""
        self.count += 1
        log_file = self.tmp_path / f"log.{self.count}"
        shim = {}
        if rules is not None:
            rules_file = self.tmp_path / f"rules.{self.count}"
            rules_file.write_text(rules)
            shim = shim_environment(rules_file, log_file, log, state)
        prefix = list(inside)
        if hosts is not None:
            hosts_file = self.tmp_path / f"hosts.{self.count}"
            hosts_file.write_text(hosts)
            prefix += [need("unshare"), "--mount", "sh", "-c",
                       'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts_file)]
        trace = None
        if strace:
            trace = self.tmp_path / f"trace.{self.count}"
            trace.mkdir()
            prefix += [need("strace"), "-ff", "--seccomp-bpf", "-qq", "-ttt",
                       "-s", "400", "-e", "trace=%network,write", "-o", str(trace / "trace")]
        extra = {**shim, **(env or {})}
        if prefix:      # the shim is for the program, not for what stands before it
            prefix += [need("env"), *(f"{name}={value}" for name, value in extra.items())]
            extra = {}
        argv = [str(word) for word in [*prefix, need(program), *args]]
        if need("valgrind") in argv:
            timeout *= VALGRIND_TIMES
        running = Running(argv, {**clean_environment(self.home), **extra}, log_file, trace,
                          cwd or self.home, timeout)
        self.started.append(running)
        return running

    def run(self, program, *args, input=None, **options):
        return self.start(program, *args, **options).finish(input)

    def end(self):
        for running in self.started:
            running.kill()


def same(bare, shimmed, mask=None):
    """Assert that a program said the same with the shim as without; what the
    regular expression `mask` (bytes) matches is left out of the comparison."""
    def seen(data):
        return re.sub(mask, b"#", data) if mask else data
    for name in ("stdout_bytes", "stderr_bytes"):
        before, after = seen(getattr(bare, name)), seen(getattr(shimmed, name))
        if before != after:
            lines = difflib.diff_bytes(difflib.unified_diff, before.splitlines(),
                                       after.splitlines(), b"bare", b"with the shim", lineterm=b"")
            pytest.fail(f"{name[:6]} differs:\n" + b"\n".join(lines).decode(errors="replace"))
    assert shimmed.returncode == bare.returncode


def much_less(short, long, times=5):
    """Of two durations: never an absolute one, machines differ."""
    return short * times < long
