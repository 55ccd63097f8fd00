"""Every client of support/matrix.py, over http and https, in every case: what is seen of
it, that the breaker opens when it has seen enough, and that from then on nothing more of
the client reaches the network. `make client-table` writes what came of it to README.md."""

import json
import os
from collections import namedtuple
from datetime import datetime
from pathlib import Path

import pytest

from support.matrix import (ALL, CASES, CLIENTS, CURL, GNUTLS, HOST, HOSTS, LIMIT_S, NO_NAME,
                            OPENSSL, TRIP, UNREAD, WAITS_S, reader)
from support.run import much_less, need
from support.tree import until

MESSAGE = "The carrier is away. Do not retry now."
RULES = f"""
[carrier]
match = {HOST}
match = {NO_NAME}
consecutive = {TRIP}
cooldown = 10m
refuse_errno = EHOSTUNREACH
message = {MESSAGE}
"""

TLS_ALERT = 24          # bytes of a record

# One or two of each family: what "make check" has the time for.
QUICK = [("curl", "https", "kept 500"), ("curl_parallel", "http", "500"),
         ("requests", "https", "500"), ("httpclient", "http", "kept hang"),
         ("aiohttp", "https", "kept 500"), ("node_http", "http", "kept 500"),
         ("fetch", "https", "pooled"), ("java", "http", "500"), ("java_url", "http", "pooled"),
         ("lwp", "http", "reset"), ("net_http", "http", "end"), ("wget", "https", "500"),
         ("git", "https", "500"), ("php_streams", "http", "500")]

Run = namedtuple("Run", "result client server case reader name scheme port")


def matrix(cells):
    return pytest.mark.parametrize("name, scheme, case", [
        pytest.param(*cell, id="-".join(cell).replace(" ", "-"),
                     marks=[] if cell in QUICK else pytest.mark.long) for cell in cells])


@pytest.fixture
def no_names(tmp_path):
    """What comes before a program that shall find no other names than those of a file."""
    switch = tmp_path / "nsswitch.conf"
    switch.write_text("hosts: files\n")
    return [need("unshare"), "--mount", "sh", "-c",
            'mount --bind "$0" /etc/nsswitch.conf && exec "$@"', str(switch)]


@pytest.fixture
def play(make_server, certs, clients, cutout, tree, refused_port, full_backlog, no_names):
    """play(NAME, SCHEME, CASE): the client asks, and what was seen of it."""
    def play(name, scheme, case_name):
        client, case = CLIENTS[name], CASES[case_name]
        server = make_server(certs=certs if scheme == "https" else None)
        port = {"refused": refused_port, "blackhole": full_backlog.port}.get(case.elsewhere,
                                                                             server.port)
        host = NO_NAME if case.elsewhere == "no name" else HOST
        path = "/git" if name == "git" and case.path.startswith("/ok") else case.path
        first = [server.url(p, HOST) for p in case.first]
        words = first + asked(client, case, f"{scheme}://{host}:{port}{path}")
        if case.elsewhere == "refused" and case.first:
            words.append(first[0])
        start = tree_run(tree) if client.each else cutout
        timeout = client.gives_up_s if case.waits else WAITS_S
        result = start(*clients(name, timeout, *words), rules=RULES + case.rules, log="debug",
                       hosts=HOSTS, env=server.env, strace=True, inside=no_names)
        return Run(result, client, server, case, reader(name, scheme), name, scheme, port)
    return play


def tree_run(tree):
    return lambda *args, **options: tree(*args, **options).running.finish()


def asked(client, case, url):
    """The companion needs a second to find those that were killed."""
    if client.is_killed and case.waits:
        return [url] * TRIP + ["2.5"] + [url] * (case.attempts - TRIP)
    pause = [str(client.pause_s)] if client.pause_s and case.waits else []
    return [url, *pause] * case.attempts


def calls_of(run):
    return [(call["outcome"], call["detail"]) for call in run.result.calls()]


def details(run):
    """Those that are right for the case."""
    case = run.case
    if run.client.is_killed and case.waits:
        return {"killed"}
    if run.client.http == CURL:
        is_cut = run.scheme == "https" and case.curl == "curl-52"
        return {case.curl or case.detail} | ({"curl-56"} if is_cut else set())
    if run.reader in (OPENSSL, GNUTLS) and case.detail in ("ECONNRESET", "eof"):
        return {"ECONNRESET", "eof"}    # what the library has made of it
    if run.reader == UNREAD and case.outcome == "ok":
        return {"answered"}
    return {case.detail}


def assert_answered(run, calls):
    allowed = {"answered"} if run.reader == UNREAD else {"200"}
    assert [c for c in calls if c[0] != "ok" or c[1] not in allowed] == []


def assert_counted(run, calls, count):
    """One sample for each call, with the right outcome."""
    assert [outcome for outcome, _ in calls] == [run.case.outcome] * count
    assert {detail for _, detail in calls} <= details(run)
    for call in run.result.calls()[-count:]:
        if run.case.waits:
            assert call["ms"] >= 1000
        if run.case.rules:
            assert call["slow"] and call["ms"] >= 1000 * LIMIT_S


def assert_opened(run, count=TRIP):
    """After that many calls; since then no connect, and no byte on what was connected."""
    result = run.result
    (trip,) = result.transitions(**{"from": "closed"})
    assert (trip["to"], trip["reason"]) == ("open", "consecutive")
    assert result.refusals() and {e["breaker"] for e in result.refusals()} == {"carrier"}
    assert result.events.index(trip) < result.events.index(result.refusals()[0])
    since = result.writes_of("transition")[0]
    ports = (run.port, run.server.port)
    assert [call.text for call in result.syscalls[since:]
            if call.name == "connect" and call.port in ports] == []
    assert_wire_is_silent(run, count)
    if run.case.waits:
        waited = moment(result.refusals()[0]) - moment(result.calls()[0])
        assert much_less(moment(result.refusals()[-1]) - moment(result.refusals()[0]), waited)


def assert_wire_is_silent(run, count):
    """But for a farewell of TLS: libcurl refuses before it looks for a connection."""
    case, server = run.case, run.server
    farewell = TLS_ALERT if run.reader == CURL and run.scheme == "https" else 0
    asked = len(case.first) + (0 if case.elsewhere else count)
    assert len(server.requests()) == asked
    if case.keeps and not case.waits:
        until(lambda: len(server.log("end")) == server.connections(), "the connections' end")
        last = {e["connection"]: e["received"] for e in server.requests()}
        for end in server.log("end"):
            assert end["received"] <= last[end["connection"]] + 1 + farewell


def moment(event):
    return datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%S.%fZ")


def judge(run):
    case, calls = run.case, calls_of(run)
    first, rest = calls[:len(case.first)], calls[len(case.first):]
    assert_answered(run, first)
    if case is CASES["kept reset"]:
        judge_race(run, rest)
    elif case.elsewhere == "no name":
        judge_unknown(run)
    elif run.reader == UNREAD and case.reads_tls:
        judge_unread(run, rest)
    elif case.trips:
        assert_counted(run, rest, TRIP)
        assert_opened(run)
    else:
        assert_counted(run, rest, len(run.server.requests()))
        assert run.result.transitions() == []
        if case.keeps:
            assert run.server.connections() == (case.attempts if run.client.each else 1)


def judge_race(run, rest):
    """A reset of a used connection says nothing; some clients ask once more, on a new one.
    libcurl does so within the call."""
    assert run.result.transitions() == []
    if run.client.http == CURL:
        assert rest == [("fail", "curl-56")]
    else:
        assert rest[0] == ("neutral", "ECONNRESET") or run.reader in (OPENSSL, GNUTLS, UNREAD)
        assert rest[0][0] == "neutral"
        assert len(rest) == len(run.server.requests()) - 1


def judge_unknown(run):
    assert {outcome for outcome, _ in calls_of(run)} <= {"neutral"} or run.client.http == CURL
    assert "ok" not in {outcome for outcome, _ in calls_of(run)}
    assert run.server.requests() == []


def judge_unread(run, rest):
    """Only records pass by: what cannot be known is neutral, and nothing is wrong."""
    allowed = {run.case.outcome, *run.case.reads_tls}
    if run.case is CASES["500"] or run.case is CASES["kept 500"]:
        allowed = set(run.case.reads_tls)
    assert rest and {outcome for outcome, _ in rest} <= allowed
    if run.case is CASES["kept hang"]:
        assert rest[0] == ("fail", "gave-up")
    if run.result.refusals():
        assert_opened(run, len(rest))


def record(run, case_name):
    """What is seen and refused, for the table."""
    into = os.environ.get("CUTOUT_CLIENT_RESULTS")
    if not into:
        return
    right = [outcome == run.case.outcome for outcome, _ in calls_of(run)[len(run.case.first):]]
    name = f"{run.name}-{run.scheme}-{case_name}".replace(" ", "-")
    Path(into, f"{name}.json").write_text(json.dumps({
        "client": run.name, "scheme": run.scheme, "case": case_name,
        "seen": "no" if not any(right) else "yes" if all(right) else "in part",
        "refused": bool(run.result.refusals()),
        "message": MESSAGE in run.result.stdout + run.result.stderr}))


@matrix(ALL)
def test_a_client_is_seen_and_refused(play, name, scheme, case):
    run = play(name, scheme, case)
    assert 0 <= run.result.returncode < 126
    judge(run)
    record(run, case)
