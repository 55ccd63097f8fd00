"""A library's own functions are found once for each caller, and anew after an unload."""

import subprocess
from pathlib import Path

import pytest

from support.run import clean_environment, need

SOURCE = Path(__file__).parents[1] / "support" / "clients" / "reload.c"


@pytest.fixture
def reload(compiled, tmp_path):
    """The words of a command line; `first` and `second` are two builds of one library."""
    def build(name, *flags):
        subprocess.run([need("cc"), "-shared", "-fPIC", "-o", name, SOURCE, *flags], check=True,
                       cwd=tmp_path, env=clean_environment(tmp_path))
    build("first.so", "-DWHO=first", "-Wl,-soname,libneeded.so")
    build("second.so", "-DWHO=second", "-DMOVED", "-Wl,-soname,libneeded.so")
    (tmp_path / "libneeded.so").symlink_to("first.so")
    build("plugin.so", "-DPLUGIN", "-L.", "-lneeded", "-Wl,-rpath,$ORIGIN")
    return [compiled("reload"), tmp_path / "plugin.so", tmp_path / "libneeded.so", "second.so"]


def test_found_functions_need_no_lock_and_are_not_those_of_before_an_unload(cutout, reload):
    result = cutout(*reload, timeout=10)
    assert result.lines == ["first", "first", "second", "second"]
    assert result.returncode == 0
