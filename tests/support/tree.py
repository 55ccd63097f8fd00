"""Starts programs by `cutout run`, and finds their companions."""

import fcntl
import os
import subprocess
import time
import uuid
from pathlib import Path

from support.run import clean_environment, need

CLIENTS = Path(__file__).parent / "clients"
# What must come before the library, as the address sanitizer's runtime.
BEFORE = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]
PATIENCE_S = 40


def until(condition, what):
    """Waits for it; what it gave."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def build(directory, name, *options):
    """The program of support/clients, built once, also when several ask at once."""
    program = directory / f"{name}{''.join(options)}.bin"
    with open(directory / f"{program.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            subprocess.run([need("cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-o",
                            f"{program}.new", CLIENTS / f"{name}.c", "-lpthread", *options],
                           check=True, env=clean_environment(directory))
            os.rename(f"{program}.new", program)
    return str(program)


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, name):
    """A file of a process; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def lives(pid):
    """And is no zombie."""
    return read(pid, "stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"])


class Tree:
    """A program under `cutout run`. `running` is the program."""

    def __init__(self, runner, program, *args, rules="[*]\n", log="info", options=(), env=None,
                 inside=(), **more):
        runner.count += 1
        self.mark = f"CUTOUT_TEST_MARK={uuid.uuid4()}"
        log_file = runner.tmp_path / f"tree.log.{runner.count}"
        rules_file = runner.tmp_path / f"tree.rules.{runner.count}"
        rules_file.write_text(rules)
        words = ["--rules", rules_file] + (["--log", f"{log}:{log_file}"] if log else [])
        name, _, value = self.mark.partition("=")
        env = {"CUTOUT_LOG_FORMAT": "json", name: value,
               **({"LD_PRELOAD": ":".join(BEFORE)} if BEFORE else {}), **(env or {})}
        self.running = runner.start(command(), "run", *words, *options, "--", program, *args,
                                    env=env, inside=inside, **more)
        self.running.log_file = log_file

    def companions(self):
        """The pids of those that it has, told by the environment they began with."""
        return [pid for pid in processes() if read(pid, "comm") == b"cutout\n" and lives(pid)
                and pid != self.running.pid
                and self.mark.encode() in read(pid, "environ").split(b"\0")
                and b"CUTOUT_STATE=" not in read(pid, "environ")]

    def companion(self):
        """The one that the program's environment names."""
        def state():
            for word in read(self.running.pid, "environ").split(b"\0"):
                if word.startswith(b"CUTOUT_STATE=/proc/"):
                    return int(word.split(b"/")[2])
        return until(state, "the companion's pid in the program's environment")

    def ended(self):
        """All companions have."""
        until(lambda: not self.companions(), "the companion's end")


def command():
    return os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")


def ask_again(process, line="go"):
    """Lets a program that waits for a line of stdin go on."""
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()


def assert_one_at_a_time(server, path="/probe"):
    """No connection that asked for it began before the one before had ended."""
    asked = {e["connection"] for e in server.requests() if e["path"] == path}
    turns = [(e["connection"], e["event"]) for e in server.log()
             if e["connection"] in asked and e["event"] != "request"]
    assert turns, "it was never asked for"
    for (number, event), following in zip(turns, turns[1:]):
        assert event == "end" or following == (number, "end"), turns
