"""Libraries that a program loads with RTLD_DEEPBIND are seen, and found where the
object that asks for them says."""

import fcntl
import os
import subprocess
from types import SimpleNamespace

import pytest

from support.programs import HERE as CLIENTS
from support.run import clean_environment, library, need

DEEPBIND = os.RTLD_DEEPBIND
FLAGS = [0, DEEPBIND, DEEPBIND | os.RTLD_GLOBAL]
MESSAGE = "The carrier is away."
RULES = f"""
[carrier]
match = 127.0.0.1
consecutive = 1
cooldown = 1m
message = {MESSAGE}
"""
REFUSED = "Connection refused"

pytestmark = pytest.mark.skipif(os.environ.get("CUTOUT_SANITIZERS", "") != "",
                                reason="a sanitizer's run-time ends who gives RTLD_DEEPBIND")


@pytest.fixture(scope="session")
def loads(shared_directory):
    """The program, a library with a RUNPATH, and the plugin that lies there alone."""
    top = shared_directory / "deepbind"

    def build(name, part, *flags):
        subprocess.run([need("cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O1", f"-D{part}", "-o",
                        top / name, CLIENTS / "deepbind.c", *flags], check=True,
                       env=clean_environment(shared_directory))
    with open(shared_directory / "deepbind.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not top.exists():
            (top / "host" / "plugins").mkdir(parents=True)
            shared = ["-shared", "-fPIC"]
            build("host/plugins/libplugin-of-host.so", "PLUGIN", *shared)
            build("host/libhost.so", "HOST", *shared,
                  "-Wl,--enable-new-dtags,-rpath,$ORIGIN/plugins")
            build("libearly.so", "EARLY", *shared)
            build("deepbind", "PROGRAM", "-rdynamic")
    return SimpleNamespace(program=top / "deepbind", host=top / "host" / "libhost.so",
                           early=top / "libearly.so")


def said(result):
    """Whose function the plugin called, and what its connects came to."""
    return [tuple(line.split(": ", 1)) for line in result.lines
            if line.startswith(("plugin: ", "program: "))]


@pytest.mark.parametrize("flags", FLAGS)
def test_what_a_plugin_calls_is_seen(cutout, loads, refused_port, flags):
    result = cutout(loads.program, loads.host, flags, refused_port, refused_port, rules=RULES)
    assert [(c["outcome"], c["detail"]) for c in result.calls()] == [("fail", "ECONNREFUSED")]
    assert [text for _, text in said(result)] == [REFUSED, MESSAGE]
    assert result.returncode == 0


@pytest.mark.parametrize("flags", FLAGS)
def test_files_errors_and_texts_are_those_of_the_caller(bare, cutout, loads, flags):
    without = bare(loads.program, loads.host, flags)
    assert without.returncode == 0
    assert cutout(loads.program, loads.host, flags).stdout == without.stdout


def test_a_name_that_both_have_is_then_the_programs(bare, cutout, loads, refused_port):
    def whose(run, flags, **options):
        return said(run(loads.program, loads.host, flags, refused_port, **options))
    assert whose(bare, DEEPBIND) == [("plugin", REFUSED)]
    assert whose(bare, 0) == whose(cutout, 0) == whose(cutout, DEEPBIND) == [("program", REFUSED)]


@pytest.mark.parametrize("rules, env", [("[*]\n", {"CUTOUT_OFF": "1"}), ("[*]\nbogus = 1\n", {})])
def test_the_flag_stays_where_nothing_is_counted(cutout, loads, refused_port, rules, env):
    result = cutout(loads.program, loads.host, DEEPBIND, refused_port, rules=rules, env=env)
    assert said(result) == [("plugin", REFUSED)]


def test_a_library_that_loads_before_the_shim_has_started_is_seen(cutout, loads, refused_port):
    before = [p for p in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if p]
    preload = ":".join([*before, library(), str(loads.early)])
    result = cutout("true", rules=RULES, env={
        "LD_PRELOAD": preload, "EARLY_HOST": str(loads.host), "EARLY_PORT": str(refused_port)})
    assert said(result) == [("plugin", REFUSED)]
    assert [c["detail"] for c in result.calls()] == ["ECONNREFUSED"]
    assert result.returncode == 0
