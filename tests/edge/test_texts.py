"""The text of an error is the message for the thread that was refused and for that error alone:
in every locale, and beside other threads."""

import subprocess
from pathlib import Path

import pytest

from support.network import RefusedPort
from support.run import clean_environment, need

MESSAGE = "The carrier is away. Do not retry now."
RULES = f"""
[carrier]
match = 127.0.0.1:{{port}}
consecutive = 1
cooldown = 1h
message = {MESSAGE}
"""
THREADS, ROUNDS = 8, 500
SOURCES = Path("/usr/share/i18n/locales")
TRANSLATIONS = Path("/usr/share/locale").glob("*/LC_MESSAGES/libc.mo")


def country(language):
    """One where the language is spoken, by its locale's name."""
    names = [language, f"{language}_{language.upper()}",
             *sorted(path.name for path in SOURCES.glob(f"{language}_??"))]
    return next(name for name in names if "_" in name and (SOURCES / name).exists())


def translated():
    """The locales in whose language libc's texts are there."""
    for path in sorted(TRANSLATIONS):
        language = path.parts[4]
        if any(SOURCES.glob(f"{language}*_??")) or "_" in language:
            yield f"{country(language)}.UTF-8"


# Another alphabet, and not in UTF-8.
QUICK = ["de_DE.UTF-8", "ja_JP.EUC-JP"]


@pytest.mark.parametrize("names", [
    pytest.param(QUICK, id="few"), pytest.param(list(translated()), id="all",
                                                marks=pytest.mark.long)])
def test_texts_of_other_errors_are_libcs_in_every_locale(
        bare, cutout, compiled, refused_port, tmp_path, names):
    for name in names:
        source, charmap = name.split(".")
        subprocess.run([need("localedef"), "-i", source, "-f", charmap, "--no-archive",
                        tmp_path / name], env=clean_environment(tmp_path), check=True)
    words = [compiled("texts"), "locales", refused_port, "C", "C.UTF-8", *names]
    env = {"LOCPATH": str(tmp_path)}
    own = bare(*words, env=env).stdout_bytes.splitlines()
    seen = cutout(*words, env=env, rules=RULES.format(port=refused_port)).stdout_bytes.splitlines()
    differ = [(before, after) for before, after in zip(own, seen, strict=True) if before != after]
    assert [after.decode() for _, after in differ] == [
        f"{name}: {MESSAGE}" for name in ["C", "C.UTF-8", *names]]
    assert len({text for text, _ in differ}) == len(differ)
    assert len({line.partition(b": ")[2] for line in own}) > len(own) / 4


def test_threads_side_by_side_read_the_text_of_their_own_failure(cutout, compiled, refused_port):
    other = RefusedPort()
    try:
        result = cutout(compiled("texts"), "threads", refused_port, other.port, MESSAGE,
                        rules=RULES.format(port=refused_port), log=None)
    finally:
        other.stop()
    assert result.lines == [f"{THREADS * ROUNDS} of {THREADS * ROUNDS}"]


def test_a_connect_that_the_system_refuses_has_the_systems_text_again(
        cutout, compiled, refused_port):
    other = RefusedPort()
    try:
        result = cutout(compiled("texts"), "after", refused_port, other.port,
                        rules=RULES.format(port=refused_port), log=None)
    finally:
        other.stop()
    assert result.lines == [MESSAGE, "Connection refused", "Connection refused"]


RESET = """
import socket, struct, sys

def ask(connection):
    try:
        connection.sendall(b"GET /ok HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
        connection.recv(100)
    except OSError as error:
        print(error.strerror)

server = socket.create_server(("127.0.0.2", 0))
broken = socket.create_connection(server.getsockname())
peer, _ = server.accept()
kept = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
ask(kept)
socket.socket().connect_ex(("127.0.0.1", int(sys.argv[2])))
ask(kept)
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
peer.close()
ask(broken)
"""


def test_a_connection_that_is_really_reset_has_the_systems_text_again(
        cutout, server, refused_port):
    rules = (RULES.format(port=refused_port) + f"match = 127.0.0.1:{server.port}\n"
             "[other]\nmatch = 127.0.0.2\n")
    result = cutout("/usr/bin/python3", "-c", RESET, server.port, refused_port, rules=rules,
                    log=None)
    assert result.lines == [MESSAGE, "Connection reset by peer"]


@pytest.mark.parametrize("form", [[], ["--parallel", "--parallel-max", "1"]],
                         ids=["alone", "multi"])
def test_a_transfer_that_fails_after_a_refusal_has_libcurls_own_text(cutout, refused_port, form):
    other = RefusedPort()
    urls = [f"http://127.0.0.1:{port}" for port in (refused_port, refused_port, other.port)]
    try:
        result = cutout("curl", "-sS", *form, *urls, rules=RULES.format(port=refused_port),
                        log=None)
    finally:
        other.stop()
    assert result.stderr.count(MESSAGE) == 1
    assert result.stderr.count("Couldn't connect to server") == 2
