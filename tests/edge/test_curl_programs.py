"""Programs that use libcurl: several of it in one process, handles that are used
again, callbacks, threads, and answers that are slow or never come."""

import fcntl
import re
import subprocess
from pathlib import Path

import pytest

from support.run import clean_environment, need

CLIENTS = Path(__file__).parents[1] / "support" / "clients"
GNUTLS = "libcurl-gnutls.so.4"
MESSAGE = "The carrier is away."
# One failure trips `carrier`; `well` trips never.
RULES = f"""
[carrier]
match = 127.0.0.1:{{bad}}
consecutive = 1
cooldown = 1m
message = {MESSAGE}
[well]
match = *:{{well}}
consecutive = 0
failure_rate = 0%
"""
# A call that takes over a second is slow.
SLOW = """
[carrier]
match = 127.0.0.1:{port}
consecutive = 1
cooldown = 1m
p99 = 1s
"""


class Programs:
    def __init__(self, shared_directory):
        self.directory = shared_directory

    def __call__(self, output, source, *flags):
        """Compiled once, also when several workers ask at the same time."""
        path = self.directory / output
        with open(self.directory / f"{output}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                subprocess.run([need("cc"), "-g", "-O1", "-D_GNU_SOURCE", "-o", path,
                                CLIENTS / source, *flags, "-lpthread"], check=True,
                               env=clean_environment(self.directory))
        return path

    def plugin(self, library):
        return self(f"plugin-{library}", "curl_get.c", "-shared", "-fPIC", f"-l:{library}")

    def linked(self, library):
        return self(f"linked-{library}.bin", "curl_get.c", "-DMAIN", "-DLINKED", f"-l:{library}")

    def unlinked(self):
        return self("unlinked", "curl_get.c", "-DMAIN")

    def cases(self):
        return self("curl_cases", "curl_cases.c", "-Wno-deprecated-declarations", "-lcurl")


@pytest.fixture(scope="session")
def programs(shared_directory):
    return Programs(shared_directory)


@pytest.fixture
def run_case(cutout, programs, server, refused_port):
    def run(name, *before, rules=RULES, **options):
        return cutout(*before, programs.cases(), name, server.url(),
                      f"http://127.0.0.1:{refused_port}/", **options,
                      rules=rules.format(bad=refused_port, well=server.port))
    return run


def seen(result, breaker=None):
    return [(call["breaker"], call["outcome"], call["detail"]) for call in result.calls()
            if breaker in (None, call["breaker"])]


WELL, BAD = ("well", "ok", "200"), ("carrier", "fail", "curl-7")
FAILED = r"7 0 (Failed|Couldn't) .*"
REFUSED = re.escape(f"7 0 {MESSAGE}")


def assert_lines(result, *patterns):
    assert len(result.lines) == len(patterns)
    for line, pattern in zip(result.lines, patterns):
        assert re.fullmatch(pattern, line), f"{line!r} is not {pattern!r}"
    assert result.returncode == 0


@pytest.mark.parametrize("first, second", [
    ("libcurl.so.4", GNUTLS), (GNUTLS, "libcurl.so.4")])
def test_two_libcurls_in_one_program(compare, programs, server, first, second):
    plugins = [programs.plugin(second), programs.plugin(first), programs.plugin(second)]
    both = compare(programs.linked(first), server.url(), *plugins,
                   rules=RULES.format(bad=1, well=server.port))
    assert len({line.split()[1] for line in both.bare.lines}) == 2
    assert [(c["edge"], c["outcome"]) for c in both.cutout.calls()] == [("curl", "ok")] * 4


@pytest.mark.parametrize("library", ["libcurl.so.4", GNUTLS])
def test_a_plugin_that_is_out_of_sight_is_refused_as_well(
        cutout, programs, refused_port, library):
    plugin = programs.plugin(library)
    result = cutout(programs.unlinked(), f"http://127.0.0.1:{refused_port}/", plugin, plugin,
                    rules=RULES.format(bad=refused_port, well=1))
    assert seen(result) == [BAD]
    assert result.lines[1].endswith(MESSAGE)


def test_a_libcurl_that_is_called_by_address_is_counted_once(compare, programs, server):
    """The shim does not stand between; the connect inside is the call then."""
    both = compare(programs.linked("libcurl.so.4"), server.url(), GNUTLS, "libcurl.so.4",
                   rules=RULES.format(bad=1, well=server.port))
    assert [(c["edge"], c["outcome"]) for c in both.cutout.calls()] == [
        ("curl", "ok"), ("connect", "ok"), ("connect", "ok")]


def test_infos_after_a_refusal_are_those_after_a_failed_connect(run_case):
    result = run_case("infos")
    infos = {what: [line.split(" ", 1)[1] for line in result.lines if line.startswith(what)]
             for what in ("failed", "refused")}
    times = re.compile(r"(3|4|50|51) ")     # of the whole and the look-up
    different = [line for line in infos["failed"] if line not in infos["refused"]]
    assert len(infos["failed"]) == len(infos["refused"]) > 60
    assert all(times.match(line) for line in different)
    assert seen(result) == [WELL, BAD, WELL, WELL]
    assert [line for line in result.lines if line.startswith("well")] == ["well 0 200 "] * 3


def test_a_transfer_is_timed_by_itself_on_a_handle_that_is_used_again(
        cutout, server, refused_port):
    slow, bad = server.url("/slow/1"), f"http://127.0.0.1:{refused_port}/"
    result = cutout("/usr/bin/python3", CLIENTS / "pycurl_reuse.py", slow, server.url(), bad,
                    rules=RULES.format(bad=refused_port, well=server.port))
    first, second, third = [call["ms"] for call in result.calls()]
    assert first >= 1000 > 500 > second
    assert third < 500


def test_a_reused_pycurl_handle_tells_nothing_of_the_transfer_before(
        cutout, server, refused_port):
    bad = f"http://127.0.0.1:{refused_port}/"
    result = cutout("/usr/bin/python3", CLIENTS / "pycurl_reuse.py", server.url(), server.url(),
                    bad, bad, server.url(), rules=RULES.format(bad=refused_port, well=server.port))
    # The errno of a transfer stays until the next that fails, says libcurl.
    assert_lines(result, f"0 200 3 1 text/plain 0 {server.url()} ",
                 f"0 200 3 0 text/plain 0 {server.url()} ",
                 f"7 0 0 0 None 111 {bad} .*", f"7 0 0 0 None 111 {bad} {MESSAGE}",
                 f"0 200 3 0 text/plain 111 {server.url()} ")
    assert seen(result) == [WELL, WELL, BAD, WELL]
    assert server.connections() == 1


def test_error_buffers_are_kept_to(run_case):
    result = run_case("buffers", rules=RULES.replace(MESSAGE, "é" * 400))
    assert_lines(result, "bad " + FAILED, "dropped 7 0 kept", "long 7 0 ", "filled 255 of 256")


def test_a_duplicate_goes_where_its_original_went(run_case):
    result = run_case("duplicates")
    assert_lines(result, "bad " + FAILED, "bad " + REFUSED, "copy " + REFUSED, "copy 0 200 ",
                 "bad " + REFUSED, "copy 0 200 ")


def test_a_reset_handle_is_a_new_one(run_case):
    result = run_case("resets")
    assert_lines(result, "bad " + FAILED, "bad " + REFUSED, "reset 3 0 .*", "well 0 200 ")
    assert seen(result) == [BAD, WELL]


def test_the_destination_is_what_libcurl_makes_of_the_options(run_case):
    result = run_case("urls")
    assert_lines(result, "bad " + FAILED, *[f"{way} {REFUSED}" for way in (
        "guessed", "default", "port", "parts")], "well 0 200 ", "file 0 0 ", "malformed 3 0 .*")
    assert seen(result) == [BAD, WELL]


def test_a_transfer_inside_a_callback_is_a_call_of_its_own(run_case):
    result = run_case("nested")
    assert [line.split()[0] for line in result.lines] == ["inner", "inner", "same", "outer", "null"]
    assert seen(result) == [WELL, BAD, WELL]


def test_infos_of_a_multi_transfer_after_a_refusal_are_its_own(run_case):
    result = run_case("multi")
    assert_lines(result, "bad " + FAILED, "bad " + REFUSED, "multi 0 200 ")


def test_a_transfer_left_by_longjmp_is_forgotten(run_case):
    result = run_case("jumps")
    assert [(c["edge"], c["outcome"]) for c in result.calls()] == [
        ("curl", "neutral"), ("connect", "ok")]


@pytest.mark.parametrize("name", ["errnos", "urls", "nested", "resets", "multi"])
def test_nobody_can_tell(compare, programs, server, name):
    both = compare(programs.cases(), name, server.url(), server.url("/status/404"),
                   rules=RULES.format(bad=1, well=server.port))
    assert both.cutout.refusals() == []


def test_many_threads_with_many_handles(run_case):
    result = run_case("threads")
    assert result.lines == ["done 0 0"]
    assert seen(result, "well") == [WELL] * 160
    assert len(seen(result, "carrier")) + len(result.refusals()) == 160
    assert [t["reason"] for t in result.transitions() if t["from"] == "closed"] == ["consecutive"]


def test_valgrind_finds_nothing(run_case):
    for name in ("infos", "urls", "duplicates", "resets", "nested"):
        result = run_case(name, "valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
                          "--errors-for-leak-kinds=definite")
        assert (result.returncode, result.stderr) == (0, "")
        assert result.calls()


def jobs(cutout, timeout, server, *words):
    return cutout("/usr/bin/python3", CLIENTS / "pycurl_jobs.py", timeout, *words,
                  rules=SLOW.format(port=server.port))


def test_a_long_body_is_neither_slow_nor_overdue(cutout, server):
    """The second would be refused if the first counted as a call without an answer."""
    result = jobs(cutout, 10, server, f"0:{server.url('/drip/3')}", f"2:{server.url()}")
    assert result.lines == ["1 0 200", "0 0 200"]
    assert [(c["outcome"], c["slow"]) for c in result.calls()] == [("ok", False)] * 2
    assert result.transitions() == []


def test_a_long_body_over_tls_is_neither_slow_nor_overdue(cutout, tls_server):
    result = cutout("curl", "-sS", tls_server.url("/drip/3"), env=tls_server.env,
                    rules=SLOW.format(port=tls_server.port))
    assert [(c["outcome"], c["slow"]) for c in result.calls()] == [("ok", False)]
    assert result.transitions() == []


def test_a_slow_first_byte_is_slow(cutout, server):
    result = jobs(cutout, 10, server, f"0:{server.url('/slow/2')}")
    assert [(c["outcome"], c["slow"]) for c in result.calls()] == [("ok", True)]
    assert [t["reason"] for t in result.transitions()] == ["consecutive"]


def test_a_hang_trips_at_the_limit_for_all_threads(cutout, server):
    result = jobs(cutout, 5, server, f"0:{server.url('/hang')}", f"2:{server.url()}")
    assert result.lines == ["1 7 0", "0 28 0"]
    assert [e["event"] for e in result.events if e["event"] != "config"][:2] == [
        "transition", "refuse"]
