"""Real clients that meet a dead dependency through libc's sockets: what is
counted, when it trips, and how a refusal looks to each of them."""

from datetime import datetime

import pytest

from support.programs import CLIENTS
from support.run import much_less

TRIP = 3                # consecutive failures
ATTEMPTS = 2 * TRIP
PATIENCE_S = 2          # a client's own time-out: one that is under a second is neutral

MESSAGE = "The carrier is away. Do not retry now."
# Loopback and the blackhole cannot produce this error: only the shim can.
RULES = f"""
[carrier]
match = {{destination}}
consecutive = {TRIP}
cooldown = 1m
refuse_errno = EHOSTUNREACH
message = {MESSAGE}
"""

# node has its own table of errors; all others ask libc for the text.
SHOWN = {"urllib": f"[Errno 113] {MESSAGE}", "requests": f"[Errno 113] {MESSAGE}",
         "fetch": "EHOSTUNREACH", "java": MESSAGE, "wget": MESSAGE, "bash": MESSAGE}


def moment(event):
    return datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%S.%fZ")


def assert_tripped_at_the_third(result):
    """Exactly TRIP calls, all failed; then one trip; then refusals and no call."""
    assert [call["outcome"] for call in result.calls()] == ["fail"] * TRIP
    trips = result.transitions()
    assert [(t["breaker"], t["from"], t["to"], t["reason"]) for t in trips] == [
        ("carrier", "closed", "open", "consecutive")]
    assert (trips[0]["total"], trips[0]["failed"]) == (TRIP, TRIP)
    assert {e["breaker"] for e in result.calls() + result.refusals()} == {"carrier"}
    assert result.events.index(trips[0]) < result.events.index(result.refusals()[0])


def assert_refused_natively(result, client):
    """The client took the refusal for what its own connect failed with."""
    assert result.returncode == (4 if client == "wget" else 1)
    assert SHOWN[client] in (result.stdout + result.stderr).splitlines()[-1]
    if client == "java":    # tries a connect that fails at once a second time
        assert len(result.refusals()) >= ATTEMPTS - TRIP
    else:
        assert len(result.refusals()) == ATTEMPTS - TRIP


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "api.carrier.example"])
def test_refused_connects_trip_and_the_next_are_refused_by_the_shim(
        cutout, clients, refused_port, client, host):
    url = f"http://{host}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * ATTEMPTS), strace=True,
                    rules=RULES.format(destination=f"{host}:{refused_port}"),
                    hosts="127.0.0.1 localhost api.carrier.example\n")
    assert_tripped_at_the_third(result)
    assert_refused_natively(result, client)
    assert {call["detail"] for call in result.calls()} == {"ECONNREFUSED"}
    assert len(result.connects(refused_port)) == TRIP


@pytest.mark.parametrize("client", CLIENTS)
def test_connects_that_nobody_answers_trip_when_the_client_gives_up(
        cutout, clients, blackhole, client):
    if client == "bash":    # has no time-out of its own, the kernel's ends it
        blackhole.give_up_soon()
    # java begins the next call before it has closed the connect of the last.
    pause = [0.5] if client == "java" else []
    urls = [blackhole.url(), *pause] * TRIP + [blackhole.url()] * TRIP
    result = cutout(*clients(client, PATIENCE_S, *urls), strace=True,
                    rules=RULES.format(destination=f"{blackhole.address}:80"),
                    inside=blackhole.inside)
    assert_tripped_at_the_third(result)
    assert_refused_natively(result, client)
    assert len(result.connects(80)) == TRIP
    for call in result.calls():
        assert call["ms"] >= 1000
        assert call["detail"] == ("ETIMEDOUT" if client == "bash" else "gave-up")
    waited = moment(result.refusals()[0]) - moment(result.calls()[0])
    refused = moment(result.refusals()[-1]) - moment(result.refusals()[0])
    assert much_less(refused, waited)


def test_a_full_backlog_trips_like_a_blackhole(cutout, clients, full_backlog):
    url = full_backlog.url()
    result = cutout(*clients("urllib", PATIENCE_S, *[url] * ATTEMPTS), strace=True,
                    rules=RULES.format(destination=f"127.0.0.1:{full_backlog.port}"))
    assert_tripped_at_the_third(result)
    assert_refused_natively(result, "urllib")
    assert len(result.connects(full_backlog.port)) == TRIP


def test_a_client_that_gives_up_within_a_second_says_nothing(cutout, clients, full_backlog):
    url = full_backlog.url()
    result = cutout(*clients("urllib", 0.1, *[url] * ATTEMPTS),
                    rules=RULES.format(destination=f"127.0.0.1:{full_backlog.port}"))
    assert {call["outcome"] for call in result.calls()} <= {"neutral"}
    assert result.transitions() == [] and result.refusals() == []
    assert result.stdout.count("timed out") == ATTEMPTS


def test_observe_counts_and_trips_but_never_refuses(cutout, clients, refused_port):
    url = f"http://127.0.0.1:{refused_port}/ok"
    rules = RULES.format(destination=f"127.0.0.1:{refused_port}") + "mode = observe\n"
    result = cutout(*clients("urllib", 20, *[url] * ATTEMPTS), rules=rules, strace=True)
    assert len(result.connects(refused_port)) == ATTEMPTS
    assert len(result.transitions(**{"from": "closed", "to": "open"})) == 1
    assert result.stdout.count("Connection refused") == ATTEMPTS
