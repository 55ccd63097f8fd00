#!/usr/bin/python3
"""client_table.py RESULTS   writes the table of clients in README.md from what the tests of
tests/edge/test_clients.py saw, one file for each cell, and keeps that in tests/clients.json.

RESULTS is the directory that CUTOUT_CLIENT_RESULTS named for them. A cell of the table says
`yes` where it is so over http and https, else over which of both, or `no`; "in part" is
said of what was seen of some calls alone."""

import json
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "tests"))

from support.matrix import ALL, CLIENTS, reader     # noqa: E402 (after the path)

README, RECORD = TOP / "README.md", TOP / "tests" / "clients.json"
BEGIN = "<!-- written by make client-table -->\n"
END = "<!-- until here -->\n"

# What it is called in the table, and which cases must have been seen.
SEEN = {"refused, blackhole": ("refused", "blackhole"), "reset, end": ("reset", "end"),
        "hang": ("hang",), "slow": ("slow",), "status": ("500",),
        "kept: hang": ("kept hang",), "kept: status": ("kept 500",)}
REFUSED = {"kept: refused": ("pooled", "kept 500")}


def gather(directory):
    """{CLIENT: {SCHEME: {CASE: [seen, refused, message]}}}"""
    gathered = {}
    for path in Path(directory).glob("*.json"):
        cell = json.loads(path.read_text())
        schemes = gathered.setdefault(cell["client"], {})
        schemes.setdefault(cell["scheme"], {})[cell["case"]] = [
            cell[what] for what in ("seen", "refused", "message")]
    return gathered


def lacking(record):
    """The cells that a record should have and has not."""
    return ["-".join(cell) for cell in ALL
            if cell[2] not in record.get(cell[0], {}).get(cell[1], {})]


def word(schemes, tell):
    """tell(CASES) is yes, in part or no, or None where there is nothing to say."""
    said = {scheme: tell(cases) for scheme, cases in schemes.items()}
    said = {scheme: value for scheme, value in said.items() if value}
    values = set(said.values())
    if not values:
        return ""
    if values == {"no"} or (len(values) == 1 and len(said) == len(schemes) > 1):
        return values.pop()
    return ", ".join(scheme if value == "yes" else f"{scheme} {value}"
                     for scheme, value in said.items() if value != "no")


def seen(names):
    """Of all these cases."""
    def tell(cases):
        values = {cases[name][0] for name in names if name in cases}
        return values.pop() if len(values) == 1 else "in part" if values else None
    return tell


def refused(names):
    """In one of these cases."""
    def tell(cases):
        values = [cases[name][1] for name in names if name in cases]
        return ("yes" if any(values) else "no") if values else None
    return tell


def message(cases):
    """Wherever it was refused."""
    values = [shown for _, refused, shown in cases.values() if refused]
    return ("yes" if all(values) else "no") if values else None


def render(record):
    head = ["client", *SEEN, *REFUSED, "message"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, client in CLIENTS.items():
        schemes = {scheme: record.get(name, {}).get(scheme, {}) for scheme in ("http", "https")
                   if reader(name, scheme)}
        cells = [word(schemes, seen(cases)) for cases in SEEN.values()]
        cells += [word(schemes, refused(cases)) for cases in REFUSED.values()]
        lines.append("| " + " | ".join([client.label, *cells, word(schemes, message)]) + " |")
    return "\n".join(lines) + "\n"


def around(text, begin=BEGIN):
    """What stands before the table, the table, and what follows."""
    before, _, rest = text.partition(begin)
    table, _, after = rest.partition(END)
    return before, table, after


def main():
    record = gather(sys.argv[1])
    if lacking(record):
        raise SystemExit("client_table.py: not seen, so nothing is written: "
                         + ", ".join(lacking(record)))
    rows = [f"{json.dumps(name)}: {json.dumps(record[name], sort_keys=True)}" for name in CLIENTS]
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    before, _, after = around(README.read_text())
    README.write_text(before + BEGIN + render(record) + END + after)


if __name__ == "__main__":
    main()
