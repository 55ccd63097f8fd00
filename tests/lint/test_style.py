"""Limits that keep the sources readable."""

import os
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(os.environ["CUTOUT_SRCDIR"])

MAX_COLUMNS = 100
MAX_FUNCTION_LINES = 60
MAX_FILE_LINES = 400
MAX_BUILD_LINES = {"configure.ac": 100, "Makefile.am": 250}

ROOMS = ("src", "tests", "bench", "fuzz", "demo", "man", "rules", ".ci")
TOP_FILES = ("configure.ac", "Makefile.am", "m4/cutout.m4", "bootstrap")
TEXT = {".c", ".h", ".py", ".sh", ".am", ".ac", ".m4", ".map", ".rules", ".1", ".5", ".7", ""}
# mandoc looks up the manuals that are referred to among those installed here.
ABOUT_THIS_MACHINE = re.compile(r"referenced manual not found|outdated mandoc\.db")


def is_source(path):
    if not path.is_file() or path.suffix not in TEXT or "corpus" in path.parts:
        return False
    return path.suffix != "" or path.read_bytes()[:2] == b"#!"


def text_files():
    files = [TOP / name for name in TOP_FILES]
    for room in ROOMS:
        files += [path for path in sorted((TOP / room).rglob("*")) if is_source(path)]
    return files


def c_files():
    return [path for path in text_files() if path.suffix in {".c", ".h"}]


def functions(path):
    """(line number, lines from the opening to the closing brace) of each function."""
    start = None
    head = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if start is None and line.rstrip().endswith("{") and not line[:1].isspace():
            if ")" in (head if line.strip() == "{" else line) and "=" not in line:
                start = number
        elif start is not None and line.startswith("}"):
            yield start, number - start + 1
            start = None
        head = line if line.strip() else ""


def long_lines(path):
    """What a manual shows of a session is as wide as the program prints it."""
    is_session = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith((".Bd", ".Ed")):
            is_session = line.startswith(".Bd -literal")
        if len(line.expandtabs(8)) > MAX_COLUMNS and not is_session:
            yield f"{path.relative_to(TOP)}:{number}"


def test_lines_fit_a_hundred_columns():
    assert [where for path in text_files() for where in long_lines(path)] == []


def test_no_line_ends_in_white_space():
    bad = [f"{path.relative_to(TOP)}:{number}" for path in text_files()
           for number, line in enumerate(path.read_text().splitlines(), 1)
           if re.search(r"\s$", line)]
    assert bad == []


def test_functions_fit_a_screen():
    bad = [f"{path.relative_to(TOP)}:{start}: {lines} lines" for path in c_files()
           for start, lines in functions(path) if lines > MAX_FUNCTION_LINES]
    assert bad == []


def test_files_stay_short():
    limits = {path: MAX_FILE_LINES for path in c_files()}
    limits.update({TOP / name: limit for name, limit in MAX_BUILD_LINES.items()})
    bad = [f"{path.relative_to(TOP)}: more than {limit} lines" for path, limit in limits.items()
           if len(path.read_text().splitlines()) > limit]
    assert bad == []


@pytest.mark.parametrize("page", ["cutout.1", "cutout.rules.5", "libcutout.7"])
def test_manual_is_clean(page):
    run = subprocess.run(["mandoc", "-Tlint", TOP / "man" / page], capture_output=True, text=True)
    said = (run.stdout + run.stderr).splitlines()
    assert [line for line in said if not ABOUT_THIS_MACHINE.search(line)] == []
