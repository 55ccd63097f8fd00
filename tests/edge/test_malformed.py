"""A rules file that is wrong: one line in the log, and the program runs as without."""

import os

import pytest

PYTHON = "/usr/bin/python3"
CALLS = 8       # more than the default of `consecutive`

MALFORMED = {
    "unknown key": ("[carrier]\nmatch = 127.0.0.1\ncolldown = 3s\n", 3),
    "no match": ("[carrier]\ncooldown = 3s\n", 1),
    "duplicate section": ("[a]\nmatch = a.example\n[a]\nmatch = b.example\n", 3),
    "bad value": ("[carrier]\nmatch = 127.0.0.1\nwindow = soon\n", 3),
    "out of bounds": ("[carrier]\nmatch = 127.0.0.1\nfailure_rate = 101%\n", 3),
    "no section": ("cooldown = 3s\n", 1),
    "many errors": ("[carrier]\n" + "wrong = 1\n" * 50, 1),
    "no text": ("\x00\x01\x02", 1),
    "long line": ("[carrier]\nmatch = " + "a" * 100000 + "\n", 2),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_one_line_and_no_breaker(compare, clients, refused_port, name):
    text, line = MALFORMED[name]
    both = compare(*clients("urllib", 20, *[f"http://127.0.0.1:{refused_port}/"] * CALLS),
                   rules=text)
    event, = both.cutout.events
    assert (event["level"], event["event"]) == ("error", "config")
    assert event["error"] and event["line"] == line
    assert both.bare.returncode == 1


def test_without_a_log_the_line_is_on_stderr(bare, cutout):
    text, line = MALFORMED["unknown key"]
    program = [PYTHON, "-c", "print('hello'); raise SystemExit(3)"]
    result = cutout(*program, rules=text, log=None)
    assert (result.returncode, result.stdout) == (3, bare(*program).stdout)
    said, = result.stderr.splitlines()
    assert said.startswith("cutout[") and f"line={line}" in said and "did you mean" in said


@pytest.mark.parametrize("what", ["missing", "directory", "pipe", "device"])
def test_what_is_no_file_is_one_line_and_nobody_waits(cutout, tmp_path, what):
    path = {"device": "/dev/zero"}.get(what, tmp_path / what)
    if what == "directory":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    result = cutout(PYTHON, "-c", "print('hello')", env={"CUTOUT_RULES": str(path)})
    assert (result.returncode, result.stdout, result.stderr) == (0, "hello\n", "")
    assert [(e["event"], e["level"]) for e in result.events] == [("config", "error")]
