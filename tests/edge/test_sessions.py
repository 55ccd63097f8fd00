"""Connections that are kept: a server that begins to hang, one that closes what is idle,
and very many calls that are well."""

import pytest

from support.matrix import CLIENTS, GIVES_UP_S, HOST, HOSTS, UNREAD, WAITS_S, reader

SESSIONS = ("requests", "aiohttp", "fetch", "java")
SCHEMES = ("http", "https")
TRIP = 3
KEPT = [(name, scheme) for name, client in CLIENTS.items() for scheme in SCHEMES
        if client.keeps and not client.each and reader(name, scheme)]
HEALTHY = 10_000
# The first questions of all connections are asked at a time, so that each has its own. The
# last is as long: where only records of TLS pass by, questions of one size are compared.
WARM = [f"{TRIP}*/slow/0.2"] * 3
HANG = f"{TRIP}*/hang?abc"
RULES = f"""
[carrier]
match = {HOST}
consecutive = {TRIP}
cooldown = 10m
refuse_errno = EHOSTUNREACH
"""

# What "make check" has the time for.
QUICK = {("requests", "http"), ("fetch", "https")}

each_session = pytest.mark.parametrize("name, scheme", [
    pytest.param(name, scheme, marks=[] if (name, scheme) in QUICK else pytest.mark.long)
    for name in SESSIONS for scheme in SCHEMES])
each_kept = pytest.mark.parametrize("name, scheme", KEPT)


@pytest.fixture
def serve(make_server, certs):
    return lambda scheme: make_server(certs=certs if scheme == "https" else None)


def urls(server, words):
    """N*/PATH is N requests at a time; what has no path is a pause."""
    for word in words:
        count, star, path = word.rpartition("*")
        yield count + star + server.url(path, HOST) if "/" in word else word


def outcomes(result):
    return [call["outcome"] for call in result.calls()]


@each_session
def test_warm_connections_trip_when_they_are_given_up(cutout, clients, serve, name, scheme):
    server = serve(scheme)
    words = [*WARM, HANG, "0.7", "/ok", "/ok"]
    result = cutout(*clients(name, GIVES_UP_S, *urls(server, words)), rules=RULES, hosts=HOSTS,
                    env=server.env)
    assert outcomes(result) == ["ok"] * 3 * TRIP + ["fail"] * TRIP
    assert {call["detail"] for call in result.calls(outcome="fail")} == {"gave-up"}
    assert len(result.transitions()) == 1 and len(result.refusals()) >= 2
    assert len(server.requests()) == 4 * TRIP and server.connections() == TRIP


@each_session
def test_warm_connections_trip_at_the_limit_before_they_are_given_up(tree, clients, serve, name,
                                                                     scheme):
    server = serve(scheme)
    words = [*WARM, HANG, "/ok"]
    result = tree(*clients(name, 8, *urls(server, words)), rules=RULES + "p99 = 1s\n",
                  hosts=HOSTS, env=server.env, log="debug").running.finish()
    (trip,) = result.transitions(**{"from": "closed"})      # late failures extend it
    given_up = [call for call in result.calls() if call["outcome"] != "ok"]
    assert result.events.index(trip) < result.events.index(given_up[0])
    assert len(server.requests()) == 4 * TRIP and len(result.refusals()) >= 1


def assert_no_failure(result, server, scheme, name):
    """Of a reset or an end of a used connection nothing is known."""
    assert set(outcomes(result)) <= {"ok", "neutral"}
    assert result.transitions() == [] and result.refusals() == []
    answers = "answered" if reader(name, scheme) == UNREAD else "200"
    assert len(result.calls(outcome="ok", detail=answers)) == len(server.requests())


# wget and curl know no pause.
@pytest.mark.long
@pytest.mark.parametrize("name, scheme", [kept for kept in KEPT if kept[0] != "wget"
                                          and not kept[0].startswith("curl")])
def test_idle_connections_that_the_server_closes_are_no_failure(cutout, clients, serve, name,
                                                                scheme):
    server = serve(scheme)
    words = ["/leave", "0.3"] * 6 + ["/ok"]
    result = cutout(*clients(name, WAITS_S, *urls(server, words)), rules=RULES, hosts=HOSTS,
                    env=server.env)
    assert_no_failure(result, server, scheme, name)


@pytest.mark.long
@each_kept
def test_connections_that_the_server_closes_in_between_are_no_failure(cutout, clients, serve,
                                                                      name, scheme):
    server = serve(scheme)
    result = cutout(*clients(name, WAITS_S, *urls(server, ["/leave"] * 30)), rules=RULES,
                    hosts=HOSTS, env=server.env)
    assert_no_failure(result, server, scheme, name)


@pytest.mark.long
@each_session
def test_ten_thousand_calls_that_are_well(cutout, clients, serve, name, scheme):
    server = serve(scheme)
    result = cutout(*clients(name, WAITS_S, *[server.url("/ok", HOST)] * HEALTHY), hosts=HOSTS,
                    env=server.env, rules=RULES + "p99 = 10s\n", timeout=400)
    assert result.returncode == 0
    assert outcomes(result) == ["ok"] * HEALTHY
    assert not any(call["slow"] for call in result.calls())
    assert len(server.requests()) == HEALTHY and server.connections() == 1


BOTH = f"::1 {HOST}\n127.0.0.1 {HOST}\n"


@pytest.mark.parametrize("name", ["lwp", "http_tiny"])
def test_a_next_address_that_takes_the_descriptor_of_the_last_is_one_call(
        cutout, clients, make_server, name):
    """Perl puts its new socket on the number of the one whose connect was refused."""
    server = make_server(bind=["127.0.0.1"])
    url = server.url("/ok?close", HOST)
    result = cutout(*clients(name, 20, *[url] * 4), hosts=BOTH,
                    rules=f"[carrier]\nmatch = {HOST}\nconsecutive = 1\n")
    assert [(call["outcome"], call["detail"]) for call in result.calls()] == [("ok", "200")] * 4
    assert result.transitions() == []
