"""Names: several addresses are one call, and a name whose breaker is open is not looked
up again."""

import errno

import pytest

from support.programs import HERE as CLIENTS
from support.run import need

PYTHON = "/usr/bin/python3"
NAME = "api.carrier.example"
TRIP = 3
MESSAGE = "The carrier is away. Do not retry now."
RULES = f"""
[carrier]
match = {NAME}
consecutive = {TRIP}
cooldown = 1m
refuse_errno = EHOSTUNREACH
message = {MESSAGE}
"""
BOTH = f"::1 {NAME}\n127.0.0.1 {NAME}\n"
MANY = 40


def tried(result, port):
    """The look-up itself connects too, with datagrams, to see which address is nearer."""
    return [call for call in result.connects(port) if " = -1 E" in call.text]


@pytest.fixture
def ipv4_server(make_server):
    return make_server(bind=["127.0.0.1"])


@pytest.mark.parametrize("delay", [[], [0.25]], ids=["in-order", "happy-eyeballs"])
def test_many_connects_at_a_time_with_ipv6_refused_are_all_well(cutout, ipv4_server, delay):
    result = cutout(PYTHON, CLIENTS / "asyncio_loop.py", NAME, ipv4_server.port, MANY, *delay,
                    rules=f"[carrier]\nmatch = {NAME}\nconsecutive = 1\n", hosts=BOTH, strace=True)
    assert result.lines == [f"{MANY} connected"]
    assert [call["outcome"] for call in result.calls(edge="connect")] == ["ok"] * MANY
    assert len(result.calls()) == MANY and result.transitions() == []
    assert len(tried(result, ipv4_server.port)) == 2 * MANY


def test_a_name_whose_addresses_all_refuse_is_one_failure(cutout, refused_port):
    result = cutout(PYTHON, CLIENTS / "resolve_loop.py", NAME, refused_port,
                    *["connect"] * (TRIP + 1), rules=RULES, hosts=BOTH, strace=True)
    assert [call["outcome"] for call in result.calls()] == ["fail"] * TRIP
    assert result.transitions()[0]["total"] == TRIP
    assert len(tried(result, refused_port)) == 2 * TRIP
    assert result.lines[-1] == f"OSError [Errno 113] {MESSAGE}"


FIRST_ALONE = """
import socket, sys
for port in map(int, sys.argv[2:]):
    family, kind, *_, address = socket.getaddrinfo(sys.argv[1], port, type=socket.SOCK_STREAM)[0]
    print(socket.socket(family, kind).connect_ex(address))
"""


def test_a_program_that_ends_after_a_names_first_address_has_failed(cutout, refused_port):
    result = cutout(PYTHON, "-c", FIRST_ALONE, NAME, refused_port, rules=RULES, hosts=BOTH)
    assert result.lines == [str(errno.ECONNREFUSED)]
    assert [(call["outcome"], call["detail"], call["dest"]) for call in result.calls()] == [
        ("fail", "ECONNREFUSED", f"{NAME}:{refused_port}")]


def test_an_open_name_is_told_from_memory(cutout, refused_port):
    """The connects are refused without a call; the sockets are the program's own."""
    steps = ["lookup", "lookup-any", "connect"]
    result = cutout(PYTHON, CLIENTS / "resolve_loop.py", NAME, refused_port,
                    *["connect"] * TRIP, *steps, "connect", rules=RULES, hosts=BOTH, strace=True)
    assert result.lines[TRIP:-1] == ["127.0.0.1 ::1"] * 2 + [f"OSError [Errno 113] {MESSAGE}"]
    made = result.network_while_refused()
    assert made and all(" socket(AF_INET" in call for call in made)
    assert len(tried(result, refused_port)) == 2 * TRIP


@pytest.fixture
def no_resolver(blackhole, tmp_path):
    """A prefix for a program whose only name server does not answer."""
    (tmp_path / "nsswitch").write_text("hosts: dns\n")
    (tmp_path / "resolv").write_text("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")
    mounts = ('mount --bind "$0/nsswitch" /etc/nsswitch.conf && '
              'mount --bind "$0/resolv" /etc/resolv.conf && exec "$@"')
    return [*blackhole.inside, need("unshare"), "--mount", "sh", "-c", mounts, tmp_path]


def test_a_resolver_that_is_away_trips_and_the_message_is_in_its_place(cutout, no_resolver):
    result = cutout(PYTHON, CLIENTS / "resolve_loop.py", NAME, 443, *["lookup"] * (TRIP + 2),
                    "connect", rules=RULES, inside=no_resolver, strace=True)
    assert [(c["edge"], c["outcome"], c["detail"]) for c in result.calls()] == [
        ("resolve", "fail", "EAI_AGAIN")] * TRIP
    assert set(result.lines[:TRIP]) == {
        "gaierror [Errno -3] Temporary failure in name resolution"}
    assert result.lines[TRIP:] == [f"gaierror [Errno -3] {MESSAGE}"] * 3
    assert [refusal["edge"] for refusal in result.refusals()] == ["resolve"] * 3
    assert result.network_while_refused() == []


def test_a_name_that_does_not_exist_says_nothing(cutout):
    result = cutout(PYTHON, CLIENTS / "resolve_loop.py", NAME, 443, *["lookup"] * (TRIP + 2),
                    rules=RULES, inside=[need("unshare"), "--mount", "sh", "-c",
                                         'echo "hosts: files" >"$0" && '
                                         'mount --bind "$0" /etc/nsswitch.conf && exec "$@"',
                                         "nsswitch"])
    assert set(result.lines) == {"gaierror [Errno -2] Name or service not known"}
    assert {call["outcome"] for call in result.calls()} <= {"neutral"}
    assert result.transitions() == [] and result.refusals() == []
