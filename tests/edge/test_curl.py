"""The curl program: a transfer is one call, and a refusal is curl's own failure."""

from datetime import datetime, timezone

import pytest

from support.run import much_less, need

TRIP = 3                # bad calls in a row
ATTEMPTS = 2 * TRIP
COULDNT_CONNECT = 7
MESSAGE = "The carrier is away. Do not retry now."
RULES = f"""
[carrier]
match = {{destination}}
consecutive = {TRIP}
cooldown = 1m
message = {MESSAGE}
"""
# Counts and never trips.
WATCH = """
[carrier]
match = {destination}
consecutive = 0
failure_rate = 0%
"""
EACH_ANEW = ["-H", "Connection: close"]


def seconds(event):
    return datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(
        tzinfo=timezone.utc).timestamp()


def outcomes(result):
    return [(call["edge"], call["outcome"], call["detail"]) for call in result.calls()]


def assert_tripped(result, detail):
    """TRIP transfers and nothing besides; then refusals that meet no network."""
    assert outcomes(result) == [("curl", "fail", detail)] * TRIP
    trip, = result.transitions()
    assert (trip["from"], trip["to"], trip["reason"], trip["total"]) == (
        "closed", "open", "consecutive", TRIP)
    assert [refusal["edge"] for refusal in result.refusals()] == ["curl"] * TRIP
    assert result.network_while_refused() == []
    assert result.connects()
    assert result.returncode == COULDNT_CONNECT
    assert result.stderr.splitlines()[-TRIP:] == [f"curl: (7) {MESSAGE}"] * TRIP


@pytest.mark.parametrize("tls", [False, True])
def test_answers_that_never_come_trip(cutout, server, tls_server, tls):
    peer = tls_server if tls else server
    peer.mode("hang-accept")
    result = cutout("curl", "-sS", "-m", 2, *[peer.url()] * ATTEMPTS, strace=True,
                    rules=RULES.format(destination=f"127.0.0.1:{peer.port}"), env=peer.env)
    assert_tripped(result, "curl-28")
    assert result.stderr.splitlines()[0].startswith("curl: (28) ")
    first, refused = result.calls()[0], result.refusals()
    assert all(call["ms"] >= 1900 for call in result.calls())
    assert much_less(seconds(refused[-1]) - seconds(refused[0]),
                     seconds(refused[0]) - seconds(first))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_refused_connects_trip(cutout, refused_port, scheme):
    url = f"{scheme}://127.0.0.1:{refused_port}/ok"
    result = cutout("curl", "-sS", *[url] * ATTEMPTS, strace=True,
                    rules=RULES.format(destination=f"127.0.0.1:{refused_port}"))
    assert_tripped(result, "curl-7")
    assert len(result.connects(refused_port)) == TRIP


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("fail", [[], ["--fail"]])
def test_a_status_that_fails_trips(cutout, server, tls_server, tls, fail):
    peer = tls_server if tls else server
    peer.mode("500")
    result = cutout("curl", "-sS", *fail, *[peer.url()] * ATTEMPTS, strace=True,
                    rules=RULES.format(destination=f"127.0.0.1:{peer.port}"), env=peer.env)
    assert_tripped(result, "500")
    assert len(peer.requests()) == TRIP
    assert result.stdout == ("" if fail else "500\n" * TRIP)


@pytest.mark.parametrize("path, outcome, detail", [
    ("/status/404", "ok", "404"), ("/status/429", "ok", "429"), ("/close", "fail", "curl-52"),
    ("/reset", "fail", "curl-56"), ("/partial", "fail", "curl-18"),
    ("/status/503", "fail", "503")])
def test_what_an_answer_says_of_the_dependency(cutout, server, path, outcome, detail):
    result = cutout("curl", "-sS", server.url(path),
                    rules=RULES.format(destination=f"127.0.0.1:{server.port}"))
    assert outcomes(result) == [("curl", outcome, detail)]


def test_a_client_that_cannot_write_says_nothing_of_the_dependency(cutout, server):
    result = cutout("sh", "-c", 'curl -sS "$1" "$1" "$1" >/dev/full', "sh",
                    server.url("/bytes/100000"),
                    rules=RULES.format(destination=f"127.0.0.1:{server.port}"))
    assert set(outcomes(result)) == {("curl", "neutral", "curl-23")}
    assert result.transitions() == []


def test_a_certificate_that_nobody_vouches_for_fails(cutout, tls_server):
    result = cutout("curl", "-sS", tls_server.url(),
                    rules=RULES.format(destination=f"127.0.0.1:{tls_server.port}"))
    assert outcomes(result) == [("curl", "fail", "curl-60")]


def test_ipv6_refused_and_ipv4_fine_is_a_success(cutout, make_server):
    peer = make_server(bind=["127.0.0.1"])
    result = cutout("curl", "-sS", *EACH_ANEW, "--resolve",
                    f"carrier.example:{peer.port}:[::1],127.0.0.1",
                    *[peer.url(host="carrier.example")] * 20, strace=True,
                    rules="[carrier]\nmatch = carrier.example\nconsecutive = 1\n")
    assert outcomes(result) == [("curl", "ok", "200")] * 20
    assert {call["dest"] for call in result.calls()} == {f"carrier.example:{peer.port}"}
    assert result.transitions() == []
    assert len(result.connects(peer.port)) == 40
    assert len(peer.requests()) == 20


def test_a_look_up_is_no_call_of_its_own(cutout, server):
    result = cutout("curl", "-sS", *EACH_ANEW, *[server.url(host="localhost")] * 3,
                    rules=WATCH.format(destination="localhost"))
    assert outcomes(result) == [("curl", "ok", "200")] * 3


@pytest.mark.parametrize("nsswitch, outcome", [("files", "neutral"), ("dns", "fail")])
def test_a_missing_name_is_told_from_a_resolver_that_is_away(
        cutout, tmp_path, blackhole, nsswitch, outcome):
    """libcurl's code is 6 for both."""
    (tmp_path / "nsswitch").write_text(f"hosts: {nsswitch}\n")
    (tmp_path / "resolv").write_text("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")
    private = [need("unshare"), "--mount", "sh", "-c",
               'mount --bind "$0/nsswitch" /etc/nsswitch.conf && '
               'mount --bind "$0/resolv" /etc/resolv.conf && exec "$@"', tmp_path]
    result = cutout("curl", "-sS", "http://no.such.example/", "http://no.such.example/",
                    inside=[*blackhole.inside, *private],
                    rules=WATCH.format(destination="no.such.example"))
    assert outcomes(result) == [("curl", outcome, "curl-6")] * 2
    assert result.returncode == 6


def test_a_proxy_that_is_down_fails_the_call_to_the_dependency(cutout, refused_port):
    result = cutout("curl", "-sS", "-x", f"http://127.0.0.1:{refused_port}",
                    *["http://carrier.example/"] * 4,
                    rules=RULES.format(destination="carrier.example:80"))
    assert outcomes(result) == [("curl", "fail", "curl-7")] * TRIP
    assert {call["dest"] for call in result.calls()} == {"carrier.example:80"}
    assert len(result.refusals()) == 1


def test_a_socket_in_the_file_system_is_no_dependency(cutout, tmp_path):
    result = cutout("curl", "-sS", "--unix-socket", tmp_path / "none", "http://carrier.example/",
                    rules=RULES.format(destination="*"))
    assert result.returncode == COULDNT_CONNECT
    assert result.calls() == []


@pytest.mark.parametrize("arguments", [
    ["-w", "%{http_code} %{num_connects} %{url_effective} %{errormsg} %{exitcode}\n"],
    ["-i"], ["-I"], ["-d", "x=y"], ["-T", "/etc/hostname"], ["-r", "0-1"], ["--fail"]])
@pytest.mark.parametrize("path", ["/ok", "/status/500", "/partial", "/close"])
def test_nobody_can_tell(compare, server, arguments, path):
    both = compare("curl", "-sS", *arguments, server.url(path), server.url(path),
                   rules=WATCH.format(destination="127.0.0.1"))
    assert [call["edge"] for call in both.cutout.calls()] == ["curl", "curl"]
