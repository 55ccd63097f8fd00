"""The manual pages: mandoc has nothing against them, and their examples are true.

Above every literal block stands a comment that says what it is:

    .\\" test: run      a session. A line that begins with "$ " is a command, and what
                       follows is what it prints, standard output first; "..." stands
                       for anything. "$ cat FILE" makes FILE where there is none.
    .\\" test: rules    a rules file that `cutout check` finds no fault with
    .\\" test: none     neither

The rules files that people copy are checked here as well.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.run import TIMEOUT_S, clean_environment, need

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "man").glob("*.[157]"))
RULES = sorted((ROOT / "rules").glob("*.rules"))


def unescaped(line):
    """A line of a literal block as mandoc prints it."""
    return line.replace(r"\&", "").replace(r"\-", "-").replace(r"\e", "\\")


def blocks(page):
    """(line number, mark, lines) of each literal block."""
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        if not line.startswith(".Bd -literal"):
            continue
        mark = re.fullmatch(r'\.\\" test: (run|rules|none)', lines[number - 1])
        assert mark, f"{page.name}:{number + 1}: no mark above this block"
        end = lines.index(".Ed", number)
        yield number + 1, mark[1], [unescaped(text) for text in lines[number + 1:end]]


def commands(lines):
    """(command, what it prints) of a session."""
    session = []
    for line in lines:
        if line.startswith("$ "):
            session.append((line[2:], []))
        else:
            session[-1][1].append(line)
    return [(command, "".join(f"{line}\n" for line in printed)) for command, printed in session]


def pattern(printed):
    """What a command prints, as a pattern: how long something took is not compared."""
    expected = re.escape(printed).replace(r"\.\.\.", "(?:.|\n)*?")
    expected = re.sub(r"(p50|p99)_ms=\d+", r"\1_ms=\\d+", expected)
    expected = re.sub(r"(check\\ in\\ )\d+s", r"\1\\d+s", expected)
    return re.sub(r"\d+\\ ms\b", r"\\d+\\ ms", expected)


@pytest.fixture
def shell(tmp_path):
    """Runs a command where `cutout` is the one that was built."""
    environment = clean_environment(tmp_path)
    environment["PATH"] = os.environ["CUTOUT_BUILDDIR"] + ":" + environment["PATH"]
    if os.environ.get("CUTOUT_TEST_PRELOAD"):
        environment["LD_PRELOAD"] = os.environ["CUTOUT_TEST_PRELOAD"]

    def run(command):
        return subprocess.run(["sh", "-c", command], env=environment, cwd=tmp_path, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
    return run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_mandoc_finds_no_fault(page):
    result = subprocess.run([need("mandoc"), "-T", "lint", page], text=True, capture_output=True)
    # Our own pages refer to each other and are not installed.
    faults = [line for line in result.stdout.splitlines()
              if "referenced manual not found" not in line]
    assert faults == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_are_true(page, shell, tmp_path):
    for number, mark, lines in blocks(page):
        where = f"{page.name}:{number}"
        if mark == "rules":
            (tmp_path / "example.rules").write_text("".join(f"{line}\n" for line in lines))
            result = shell("cutout check example.rules")
            assert (result.returncode, result.stderr) == (0, ""), where
        if mark != "run":
            continue
        for command, printed in commands(lines):
            program, *words = command.split()
            if program == "cat" and not (tmp_path / words[0]).exists():
                (tmp_path / words[0]).write_text(printed)
                continue
            result = shell(command)
            found = result.stdout + result.stderr
            assert re.fullmatch(pattern(printed), found), f"{where}: {command} printed\n{found}"


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_a_file_to_copy_has_no_errors(rules, shell):
    result = shell(f"cutout check '{rules}'")
    assert (result.returncode, result.stderr) == (0, "")


def test_the_manual_has_every_command(shell):
    commands = re.findall(r"^  (\w+)  ", shell("cutout --help").stdout, re.MULTILINE)
    assert len(commands) >= 5
    manual = (ROOT / "man" / "cutout.1").read_text()
    for command in commands:
        assert f"\n.Ss cutout {command}\n" in manual, command
        assert f"\n.Nm cutout\n.Cm {command}\n" in manual, command


def test_the_tour_and_the_manual_have_every_key(shell):
    printed = shell("printf '[x]\\nmatch = x.example\\n' | cutout check - x.example").stdout
    keys = re.findall(r"^(\w+) *=", printed, re.MULTILINE)
    assert len(keys) > 20
    tour = (ROOT / "rules" / "tour.rules").read_text()
    manual = (ROOT / "man" / "cutout.rules.5").read_text()
    for key in keys:
        assert re.search(rf"^{key} *=", tour, re.MULTILINE), key
        name = "p Ns Ar NN" if key == "p99" else key
        assert f".It Cm {name} Ns = Ns " in manual, key
