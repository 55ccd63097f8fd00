"""demo/demo.sh: ends by itself, shows each part, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.run import clean_environment

DEMO = Path(__file__).resolve().parents[2] / "demo" / "demo.sh"


@pytest.fixture
def start(tmp_path):
    """Starts the demonstration; its processes can be told by a variable of theirs."""
    mark = f"DEMO_OF_{os.getpid()}_{tmp_path.name}"
    environment = {**clean_environment(tmp_path), mark: "1",
                   "CUTOUT_BUILDDIR": os.environ["CUTOUT_BUILDDIR"]}

    def start():
        process = subprocess.Popen([DEMO], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        process.mark = mark.encode()
        return process
    return start


def left_of(process):
    """The command lines of processes that bear the mark."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if process.mark in (directory / "environ").read_bytes():
                found.append((directory / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def calls(text, answer):
    """How many calls in this part of the transcript had that answer."""
    return len([line for line in text.splitlines() if re.search(rf"s  {answer}$", line)])


@pytest.mark.long
def test_it_shows_an_outage_and_its_end(start):
    process = start()
    begun = time.monotonic()
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, "")
    assert time.monotonic() - begun < 60
    for text in ("the carrier does not answer any more", "Operation timed out",
                 "from=closed to=open reason=consecutive", "Do not retry now",
                 "[Errno 111] The carrier is unavailable", "probe carrier kind=url",
                 "the carrier is back", "outcome=ok", "from=half-open to=half-open",
                 "from=half-open to=closed reason=ramp-done", "without cutout",
                 "One refusal, of 1000"):
        assert text in stdout
    assert left_of(process) == []

    tripped, _, after = stdout.partition("from=closed to=open")
    assert tripped.count("Operation timed out") >= 2, "a curl for each call, and one breaker"
    # The last probe's line is written before the ramp begins.
    refused, _, ramp = after.rpartition("outcome=ok")
    in_ramp = ramp.partition("to=closed")[0]
    assert calls(refused, "200") == 0
    assert calls(in_ramp, "200") >= 2 and "unavailable" in in_ramp
    # What reached the carrier from the first probe to the last.
    reached = [line.split()[-1] for line in stdout.splitlines() if " s  /ok" in line]
    assert reached[0] == reached[-1] == "/ok"
    assert len(reached) >= 4 and set(reached[1:-1]) == {"/ok?probe"}


def test_it_cleans_up_when_it_is_interrupted(start):
    process = start()
    while "does not answer" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=10)
    assert (process.returncode, stderr) == (128 + signal.SIGINT, "")
    assert left_of(process) == []
