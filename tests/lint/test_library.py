"""What the finished libcutout.so exports, links and needs."""

import os
import pathlib
import re
import subprocess

import pytest

SRC = pathlib.Path(os.environ["CUTOUT_SRCDIR"]) / "src"
LIBRARY = pathlib.Path(os.environ["CUTOUT_BUILDDIR"]) / "libcutout.so"

OLDEST_GLIBC = (2, 31)
# In glibc 2.31 these were not in libc but in libdl or libpthread. A reference to
# one must be weak, or the library does not load there: see src/sys/glibc.h.
OUTSIDE_LIBC = re.compile(
    r"dl(sym|vsym|open|mopen|close|error|info|addr1?)"
    r"|sem_\w+"
    r"|pthread_(?!(self|exit|equal|setcancel(state|type)|attr_(init|destroy|setdetachstate)"
    r"|mutex_(init|destroy|lock|unlock)|cond_(init|destroy|wait|timedwait|signal|broadcast)"
    r")$)\w+"
)

plain_build = pytest.mark.skipif(
    os.environ.get("CUTOUT_SANITIZERS", "") != "",
    reason="a sanitizer's run-time is linked",
)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def imports():
    """(name, binding, version) of each undefined symbol."""
    for line in output_of("readelf", "--dyn-syms", "-W", LIBRARY).splitlines():
        words = line.split()
        if len(words) >= 8 and words[6] == "UND":
            name, _, version = words[7].partition("@")
            yield name, words[4], version


def listed_exports():
    text = re.sub(r"#.*|/\*.*?\*/", "", (SRC / "shim/exports.map").read_text())
    listed = re.search(r"global:(.*?)local:", text, re.S).group(1)
    return sorted(name.strip() for name in listed.split(";") if name.strip())


def exported():
    lines = output_of("nm", "-D", "--defined-only", LIBRARY).splitlines()
    return sorted(line.split()[-1] for line in lines)


@plain_build
def test_exports_are_exactly_those_listed_and_unversioned():
    assert exported() == listed_exports()


@plain_build
def test_library_links_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", LIBRARY))
    assert needed == ["libc.so.6"]


@plain_build
def test_library_loads_on_the_oldest_glibc():
    versions = {
        version: tuple(int(part) for part in re.findall(r"\d+", version))
        for _, _, version in imports()
        if version.startswith("GLIBC_")
    }
    newest = max(versions.values())
    print("highest glibc version referenced:", ".".join(map(str, newest)))
    too_new = [f"{name}@{version}" for name, _, version in imports()
               if version in versions and versions[version] > OLDEST_GLIBC]
    assert too_new == []
    assert not any("PRIVATE" in version for _, _, version in imports())


@plain_build
def test_what_old_glibc_keeps_outside_libc_is_referenced_weakly():
    strong = [name for name, binding, _ in imports()
              if OUTSIDE_LIBC.fullmatch(name) and binding != "WEAK"]
    assert strong == []


@plain_build
def test_library_has_no_executable_stack_and_no_text_relocations():
    assert "TEXTREL" not in output_of("readelf", "-d", LIBRARY)
    stack = [line for line in output_of("readelf", "-lW", LIBRARY).splitlines()
             if "GNU_STACK" in line]
    assert stack and "RWE" not in stack[0]
