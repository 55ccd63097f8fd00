"""Transfers in a multi handle of libcurl: each is one call, and a refusal is a transfer
that libcurl itself says has failed. Driven by curl_multi_perform() and by sockets."""

import re

import pytest

from support.run import need

MESSAGE = "The carrier is away."
TRIP = 2                # bad calls in a row
# `well` trips never.
RULES = f"""
[well]
match = *:{{well}}
consecutive = 0
failure_rate = 0%
p99 = {{limit}}
[carrier]
match = *:{{bad}}
match = *.example
consecutive = {TRIP}
cooldown = 1m
message = {MESSAGE}
"""
OK, BAD = ("well", "ok", "200"), ("carrier", "fail", "curl-7")
FAILED = r"\d+ 7 0 (Failed|Couldn't) .*"
REFUSED = re.escape(f"7 0 {MESSAGE}")

pytestmark = pytest.mark.parametrize("way", ["perform", "sockets"])


@pytest.fixture
def program(compiled):
    return compiled("multi_cases", "-lcurl", "-lpthread")


@pytest.fixture
def bad(refused_port):
    return f"http://127.0.0.1:{refused_port}/"


@pytest.fixture
def run(cutout, program, server, refused_port, way):
    def run(case, *urls, before=(), rules=RULES, limit="1h", **options):
        words = [*before, program, way, case, *urls]
        return cutout(*words, **options, rules=rules.format(well=server.port, bad=refused_port,
                                                            limit=limit))
    return run


def seen(result, breaker=None):
    assert {call["edge"] for call in result.calls()} <= {"curl"}
    return [(call["breaker"], call["outcome"], call["detail"]) for call in result.calls()
            if breaker in (None, call["breaker"])]


def assert_lines(result, *patterns):
    assert len(result.lines) == len(patterns)
    for line, pattern in zip(result.lines, patterns):
        assert re.fullmatch(pattern, line), f"{line!r} is not {pattern!r}"
    assert result.returncode == 0


def test_a_transfer_is_one_call_and_a_refusal_meets_no_network(run, server, bad):
    result = run("series", server.url(), *[bad] * (TRIP + 3), server.url(), strace=True)
    refused = [f"{i} {REFUSED}" for i in range(TRIP + 1, TRIP + 4)]
    assert_lines(result, "0 0 200 ", *[FAILED] * TRIP, *refused, r"\d 0 200 ", "running 0")
    assert seen(result) == [OK, *[BAD] * TRIP, OK]
    assert [refusal["edge"] for refusal in result.refusals()] == ["curl"] * 3
    assert result.network_while_refused() == []
    assert len(result.connects(int(bad.split(":")[2][:-1]))) == TRIP


def test_all_that_are_asked_before_the_trip_are_let_go(run, bad):
    result = run("all", *[bad] * 4)
    assert_lines(result, *[FAILED] * 4, "running 0")
    assert seen(result) == [BAD] * 4
    assert [t["total"] for t in result.transitions()][:1] == [TRIP]


@pytest.mark.parametrize("path, outcome, detail", [
    ("/status/404", "ok", "404"), ("/status/503", "fail", "503"), ("/reset", "fail", "curl-56"),
    ("/close", "fail", "curl-52"), ("/partial", "fail", "curl-18"), ("/hang", "fail", "curl-28")])
def test_what_an_answer_says_of_the_dependency(run, server, path, outcome, detail):
    result = run("series", server.url(path))
    assert seen(result) == [("well", outcome, detail)]


def test_a_name_that_does_not_exist_says_nothing(run, tmp_path):
    (tmp_path / "nsswitch").write_text("hosts: files\n")
    private = [need("unshare"), "--mount", "sh", "-c",
               'mount --bind "$0/nsswitch" /etc/nsswitch.conf && exec "$@"', tmp_path]
    result = run("series", *["http://no.such.example/"] * (TRIP + 1), inside=private)
    assert seen(result) == [("carrier", "neutral", "curl-6")] * (TRIP + 1)


def test_a_refused_handle_is_whole_again(run, server, bad):
    result = run("again", server.url(), bad, *["-"] * (TRIP + 1), server.url(), bad)
    fine = ["0 0 200 ", f"url {server.url()}"]
    assert_lines(result, *fine, *[FAILED, f"url {bad}"] * TRIP,
                 *[f"0 {REFUSED}", f"url {bad}"] * 2, *fine, f"0 {REFUSED}", f"url {bad}",
                 f"easy 7 {MESSAGE}")
    assert seen(result) == [OK, *[BAD] * TRIP, OK]


def test_a_program_that_asks_for_no_messages_is_judged_as_well(run, server, bad):
    result = run("unread", server.url(), bad, server.url("/status/503"), bad, bad)
    assert result.lines[0] == "0 "
    assert result.lines[4] == f"4 {MESSAGE}"
    assert seen(result) == [OK, BAD, ("well", "fail", "503"), BAD]


@pytest.mark.parametrize("case, path, outcomes", [
    ("leave-soon", "/hang", [("neutral", "gave-up")]),
    ("leave-late", "/hang", [("fail", "gave-up")]),
    ("leave-by-cleanup", "/hang", [("fail", "gave-up")]),
    ("leave-all", "/hang", [("fail", "gave-up"), ("fail", "curl-28")]),
    ("leave-undriven", "/hang", []),
    ("leave-late", "/drip/5", [("neutral", "left")])])
def test_a_program_that_does_not_wait_for_the_end(run, server, case, path, outcomes):
    result = run(case, server.url(path))
    assert seen(result) == [("well", *outcome) for outcome in outcomes]
    assert result.returncode == 0


def test_one_that_is_refused_fails_while_another_goes_on(run, server, bad):
    result = run("among", server.url("/slow/60"), *[bad] * (TRIP + 2))
    refused = [line for i in (TRIP + 1, TRIP + 2) for line in (f"{i} {REFUSED}", "running 1")]
    assert_lines(result, *[FAILED, "running 1"] * TRIP, *refused)


def test_the_callbacks_of_the_program_see_no_connection_of_a_refusal(run, server, bad):
    result = run("callbacks", server.url(), *[bad] * (TRIP + 2))
    assert result.lines[-1] == f"opened {TRIP + 1} closed {TRIP + 1}"
    assert len(result.refusals()) == 2


def test_a_duplicate_of_a_refused_one_lacks_nothing(run, server, bad):
    """It is made while libcurl is about to fail its original."""
    result = run("duplicates", server.url("/drip/0.5"), bad)
    assert sorted(result.lines)[:2] == ["0 0 200 ", f"1 7 0 {MESSAGE}"]
    assert result.lines[-1] == "copy 7"
    assert seen(result, "carrier") == [BAD] * TRIP
    assert len(result.refusals()) == 2


def test_transfers_may_move_between_threads(run, server, bad):
    result = run("threads", server.url("/slow/1"), bad)
    assert sorted(seen(result)) == sorted([OK, BAD])


def test_a_forked_child_ends_nothing(run, server):
    result = run("forks", server.url("/slow/2"))
    assert result.lines == ["0 0 200 "]
    assert seen(result) == [OK]


def test_waiting_for_a_free_connection_is_not_the_dependencys_time(run, server):
    result = run("limited", *[server.url("/slow/1")] * 6, limit="2s")
    assert seen(result) == [OK] * 6
    assert [call["slow"] for call in result.calls()] == [False] * 6


def test_a_time_out_before_there_was_a_connection_says_nothing(run, server):
    result = run("limited-short", *[server.url("/hang")] * 3)
    assert [line.split()[1] for line in result.lines] == ["28"] * 3
    assert sorted(seen(result)) == [("well", "fail", "curl-28"), *[("well", "neutral",
                                                                   "curl-28")] * 2]


def test_a_hang_trips_at_the_limit(run, server):
    """The next one that is asked finds out."""
    result = run("among", server.url("/hang"), server.url("/slow/1"), server.url(),
                 rules=RULES.replace("consecutive = 0", "consecutive = 1"), limit="500ms")
    assert result.lines[0].split()[:2] == ["1", "0"]
    assert result.transitions()[0]["reason"] == "consecutive"
    assert result.lines[2].split()[:2] == ["2", "7"]


def test_a_long_body_is_neither_slow_nor_overdue(run, server):
    result = run("all", server.url("/drip/2"), server.url("/drip/2"),
                 rules=RULES.replace("consecutive = 0", "consecutive = 1"), limit="1s")
    assert [(call["outcome"], call["slow"]) for call in result.calls()] == [("ok", False)] * 2
    assert result.transitions() == []


def test_a_section_that_observes_refuses_nothing(run, bad):
    result = run("series", *[bad] * (TRIP + 2), rules=RULES + "mode = observe\n", strace=True)
    assert_lines(result, *[FAILED] * (TRIP + 2), "running 0")
    assert seen(result) == [BAD] * TRIP
    assert len(result.connects(int(bad.split(":")[2][:-1]))) == TRIP + 2


def test_hundreds_of_handles(run, server, bad):
    result = run("crowd", server.url(), bad, timeout=120)
    assert len(seen(result, "well")) == len(seen(result, "carrier")) == 206
    assert set(seen(result)) == {OK, BAD}


@pytest.mark.parametrize("case", ["series", "again", "unread", "callbacks"])
def test_nobody_can_tell(compare, program, server, way, case):
    urls = [server.url(), server.url("/status/503"), server.url("/partial"), server.url()]
    both = compare(program, way, case, *urls, rules=RULES.format(
        well=server.port, bad=1, limit="1h"), mask=rb"^\d 0 |with \d+ bytes")
    assert len(both.cutout.calls()) >= len(urls)


def test_valgrind_finds_nothing(run, server, bad):
    before = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
              "--errors-for-leak-kinds=definite"]
    for case in ("again", "unread", "callbacks", "leave-late", "leave-all", "among"):
        result = run(case, server.url("/slow/2" if case == "among" else "/ok"),
                     *[bad] * (TRIP + 1), before=before)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.calls()
