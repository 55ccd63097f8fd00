"""Prints "N passed, N failed[, N skipped]" over all that "make check" ran in BUILDDIR.

A cmocka program that was not built or died before it could count is one failure, and
so is a run of pytest that left no result.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree


def of_unit_tests(directory):
    passed = failed = skipped = 0
    for source in sorted(directory.glob("test_*.c")):
        trs = source.with_suffix(".trs")
        if not trs.is_file():
            failed += 1
            continue
        log = trs.with_suffix(".log").read_text(errors="replace")
        ok = len(re.findall(r"^\[       OK \]", log, re.M))
        bad = len(set(re.findall(r"^\[  FAILED  \] (?!\d+ test)(\S+)", log, re.M)))
        skip = len(set(re.findall(r"^\[  SKIPPED \] (?!\d+ test)(\S+)", log, re.M)))
        whole = re.search(r":test-result: (\w+)", trs.read_text()).group(1)
        if whole not in ("PASS", "SKIP") and bad == 0:
            bad = 1
        passed, failed, skipped = passed + ok, failed + bad, skipped + skip
    return passed, failed, skipped


def of_pytest(path):
    if not path.is_file():
        return 0, 1, 0
    passed = failed = skipped = 0
    for suite in xml.etree.ElementTree.parse(path).iter("testsuite"):
        bad = int(suite.get("failures")) + int(suite.get("errors"))
        skip = int(suite.get("skipped"))
        passed += int(suite.get("tests")) - bad - skip
        failed, skipped = failed + bad, skipped + skip
    return passed, failed, skipped


def main():
    build = pathlib.Path(sys.argv[1])
    counts = zip(of_unit_tests(build / "tests/unit"), of_pytest(build / "pytest.xml"))
    passed, failed, skipped = (sum(pair) for pair in counts)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


sys.exit(main())
