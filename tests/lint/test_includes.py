"""Who may include what: core <- sys, state, probe <- shim, cli."""

import os
import pathlib
import re

SRC = pathlib.Path(os.environ["CUTOUT_SRCDIR"]) / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

MAY_SEE = {
    "core": {"core"},
    "sys": {"core", "sys"},
    "state": {"core", "sys", "state"},
    "probe": {"core", "sys", "state", "probe"},
    "shim": {"core", "sys", "state", "probe", "shim"},
    "cli": {"core", "sys", "state", "probe", "cli"},
}
# No I/O, no clock, no allocation, no errno; its numbers alone are in asm/errno.h.
CORE_SYSTEM_HEADERS = {
    "asm/errno.h",
    "assert.h", "inttypes.h", "limits.h", "stdalign.h", "stdarg.h", "stdatomic.h",
    "stdbool.h", "stddef.h", "stdint.h", "string.h",
}
LOADER_ROOMS = {"dlfcn.h": {"shim", "probe"}, "curl/curl.h": {"shim", "probe"}}


def includes():
    for path in sorted(SRC.rglob("*.[ch]")):
        for kind, name in INCLUDE.findall(path.read_text()):
            yield path.relative_to(SRC), kind, name


def test_every_source_is_in_a_known_room():
    assert [str(p) for p in SRC.rglob("*.[ch]") if p.relative_to(SRC).parts[0] not in MAY_SEE] == []


def test_own_headers_are_included_with_their_room():
    bad = [f"{path}: {name}" for path, kind, name in includes()
           if kind == '"' and not (SRC / name).is_file()]
    assert bad == []


def test_includes_go_one_way():
    bad = [f"{path}: {name}" for path, kind, name in includes()
           if kind == '"' and name.split("/")[0] not in MAY_SEE[path.parts[0]]]
    assert bad == []


def test_core_includes_nothing_of_the_system():
    bad = [f"{path}: {name}" for path, kind, name in includes()
           if path.parts[0] == "core" and kind == "<" and name not in CORE_SYSTEM_HEADERS]
    assert bad == []


def test_only_shim_and_probe_see_the_loader_and_libcurl():
    bad = [f"{path}: {name}" for path, _, name in includes()
           if name in LOADER_ROOMS and path.parts[0] not in LOADER_ROOMS[name]]
    assert bad == []
