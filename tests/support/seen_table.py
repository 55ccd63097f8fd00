#!/usr/bin/python3
"""seen_table.py RESULTS   writes README.md's table of what users see from what the tests of
tests/edge/test_seen_by_users.py found, one file for each cell, and keeps that in
tests/seen.json. RESULTS is the directory that CUTOUT_CLIENT_RESULTS named for them."""

import json
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "tests"))

from support.client_table import END, README, around   # noqa: E402 (after the path)
from support.seen import ALL, RECORD, USERS         # noqa: E402

BEGIN = "<!-- what users see, written by make client-table -->\n"
WAITS_MS = 250      # from here on a client has waited before a further try

# The columns: how the section answers, over which schemes, on what connection.
COLUMNS = {
    "text": ("text", ("http", "https"), "fresh"),
    "text, kept": ("text", ("http", "https"), "pooled"),
    "http": ("http", ("http",), "fresh"),
    "http, kept": ("http", ("http",), "pooled"),
    "http, over https": ("http", ("https",), "fresh"),
}


def gather(directory):
    """{CLIENT: {SCHEME: {ANSWER: {KIND: {shown, tries, ms}}}}}"""
    gathered = {}
    for path in sorted(Path(directory).glob("seen-*")):
        cell = json.loads(path.read_text())
        name, scheme, answer, kind = cell.pop("cell")
        kinds = gathered.setdefault(name, {}).setdefault(scheme, {}).setdefault(answer, {})
        kinds[kind] = cell
    return gathered


def cell_of(record, name, scheme, answer, kind):
    return record.get(name, {}).get(scheme, {}).get(answer, {}).get(kind)


def lacking(record):
    return ["-".join(cell) for cell in ALL if cell_of(record, *cell) is None]


def text_of(cell):
    text = ", then ".join(cell["shown"])
    if cell["tries"] > 1:
        took = f", {cell['ms'] / 1000:.1f} s" if cell["ms"] >= WAITS_MS else ""
        text += f" ({cell['tries']} tries{took})"
    return text


def column(record, name, answer, schemes, kind):
    """One text where all schemes agree."""
    cells = {scheme: cell_of(record, name, scheme, answer, kind) for scheme in schemes}
    texts = {scheme: text_of(cell) for scheme, cell in cells.items() if cell}
    if len({tuple(cell["shown"]) for cell in cells.values() if cell}) <= 1:
        return next(iter(texts.values()), "")
    return "; ".join(f"{scheme}: {text}" for scheme, text in texts.items())


def slowest(record):
    """Of the calls that were tried once by a program that goes on."""
    cells = [cell_of(record, *cell) for cell in ALL
             if cell[3] == "fresh" and USERS[cell[0]].by != "bash"]
    return max(cell["ms"] for cell in cells if cell["tries"] == 1)


def render(record):
    lines = ["| client | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, user in USERS.items():
        cells = [column(record, name, *what) for what in COLUMNS.values()]
        lines.append("| " + " | ".join([user.label, *cells]) + " |")
    lines += ["", "What was tried once, by a program that goes on, took "
              f"{slowest(record)} ms at most."]
    return "\n".join(lines) + "\n"


def main():
    record = gather(sys.argv[1])
    if lacking(record):
        raise SystemExit("seen_table.py: not seen, so nothing is written: "
                         + ", ".join(lacking(record)))
    rows = [f"{json.dumps(name)}: {json.dumps(record[name], sort_keys=True, ensure_ascii=False)}"
            for name in USERS]
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    before, _, after = around(README.read_text(), BEGIN)
    README.write_text(before + BEGIN + render(record) + END + after)


if __name__ == "__main__":
    main()
