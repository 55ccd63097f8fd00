"""answer = http on sockets: a refused connect meets one that answers an HTTP request, and
resets what is none."""

import os

import pytest

from support.run import need
from support.tree import CLIENTS as SCRIPTS

MESSAGE = "The carrier is away. Do not retry now."
# Neither loopback nor the client can produce this error: only the shim can.
RULES = f"""
[carrier]
match = {{host}}
consecutive = 1
cooldown = 1h
refuse_errno = EHOSTUNREACH
answer = http
message = {MESSAGE}
"""

HTTP_CLIENTS = ("urllib", "httpclient", "requests", "httpx", "httpx_async", "aiohttp", "fetch",
                "node_http", "axios", "java", "java_url", "lwp", "http_tiny", "net_http",
                "rust_std", "rust_ureq", "php_streams", "wget", "bash")
RETRYING = ("java",)    # tries a connect that fails at once a second time

ASKING_TWICE = ("net_http",)    # a second connect tells how the first one ended


def ask(cutout, clients, client, url, host, **options):
    return cutout(*clients(client, 20, *[url] * 3), rules=RULES.format(host=host), **options)


@pytest.mark.parametrize("client", HTTP_CLIENTS)
def test_client_reads_the_answer_of_an_open_breaker(cutout, clients, refused_port, client):
    """The first call fails and opens it; each of the others is refused once."""
    url = f"http://127.0.0.1:{refused_port}/ok"
    result = ask(cutout, clients, client, url, "127.0.0.1", strace=True)
    said = (result.stdout + result.stderr).splitlines()
    assert [f"424 {MESSAGE}" in line or (line.startswith("424 ") and MESSAGE in line)
            or f"424: {MESSAGE}" in line for line in said].count(True) >= 2
    assert len(result.calls()) == 1
    refusals = len(result.refusals(edge="connect"))
    # The kernel of a busy machine may put loopback off for longer than a connect waits.
    assert refusals == 2 or (client in RETRYING and 3 <= refusals <= 6)
    assert len(result.connects(refused_port)) == (4 if client in ASKING_TWICE else 1)


@pytest.mark.parametrize("client", ["requests", "fetch", "java", "wget"])
@pytest.mark.parametrize("host", ["localhost", "[::1]", "api.carrier.example"])
def test_client_reads_the_answer_at_any_address(cutout, clients, refused_port, client, host):
    result = ask(cutout, clients, client, f"http://{host}:{refused_port}/ok", host,
                 hosts="127.0.0.1 localhost api.carrier.example\n")
    said = result.stdout + result.stderr
    assert said.count("424") >= 2 and said.count(MESSAGE) >= 2


@pytest.mark.parametrize("client", ["openai", "anthropic"])
def test_sdk_of_models_shows_the_message_and_stops(cutout, clients, refused_port, client):
    """The first is tried again, as these do by themselves, and no other is."""
    result = ask(cutout, clients, client, f"http://127.0.0.1:{refused_port}/v1", "127.0.0.1")
    assert len(result.calls()) == 1
    assert len(result.lines) == 3
    assert [f"424 {MESSAGE}" in line or ("424 " in line and MESSAGE in line)
            for line in result.lines] == [True] * 3
    assert len(result.refusals()) == 3


def run_case(cutout, port, case, log="debug", **options):
    return cutout(need("/usr/bin/python3"), SCRIPTS / "answer_cases.py", case, "127.0.0.1", port,
                  rules=RULES.format(host="127.0.0.1"), log=log, **options)


ANSWER = f"HTTP/1.1 424 {MESSAGE} 269"
RESET = f"ConnectionResetError: [Errno 104] {MESSAGE}"
REFUSED = f"OSError: [Errno 113] {MESSAGE}"

# What each case prints.
CASES = {
    "head": [f"424 {MESSAGE} 0"],
    "text": [f"424 {MESSAGE} {len(MESSAGE)}"],
    "big": [ANSWER],
    "chunked": [f"424 {MESSAGE} 269"],
    "pieces": [ANSWER],
    "expect": ["b'HTTP/1.1 100 Continue\\r\\n\\r\\n'", "HTTP/1.1 200 OK True"],
    "sent_files": ["True True", ANSWER],
    "by_messages": [ANSWER],
    "batch": ["HTTP/1.1 200 OK 64"],
    "again": ["True"],
    "names": ["True 0 True", ANSWER],
    "unseen": [ANSWER],
    "mapped": ["::ffff:127.0.0.1", ANSWER],
    "slow": [ANSWER],
    "fork_child": [ANSWER],
    "fork_parent": [ANSWER],
    "fork_reader": [ANSWER],
    "fork_daemon": [ANSWER],
    "closed_under": [RESET, "soon",
                     "BlockingIOError: [Errno 11] Resource temporarily unavailable", "soon"],
    "reads": [RESET, "soon"],
    "reads_in_time": [RESET, "soon"],
    "selects": [RESET, "soon"],
    "epolls": ["1", "in time", "104"],
    "smtp": [f"SMTPServerDisconnected: Connection unexpectedly closed: [Errno 104] {MESSAGE}",
             "soon"],
    "tls": [RESET, "soon", REFUSED, "soon"],
    "binary": [RESET, "soon"] * 2,
    "half": [RESET, "soon"],
    "lent": [RESET, "soon"],
}


@pytest.mark.parametrize("case", CASES)
def test_program_that_does_with_the_connection(cutout, refused_port, case):
    result = run_case(cutout, refused_port, case)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.lines == CASES[case]
    assert len(result.refusals()) == (2 if case == "tls" else 1)
    assert len(result.calls()) == 1


@pytest.mark.parametrize("case", ["polls_others", "loop_selects"])
def test_program_that_waits_for_two_silent_connections_is_woken(cutout, refused_port, case):
    assert run_case(cutout, refused_port, case).lines == ["True"]


def test_what_another_program_sends_on_an_inherited_connection_is_reset(cutout, refused_port):
    result = run_case(cutout, refused_port, "exec_asks")
    assert result.lines[-1] in ("b''", "error 104")


def test_a_thousand_refusals_leave_no_descriptor(cutout, refused_port):
    assert run_case(cutout, refused_port, "leaks", log="error").lines == ["True"]


def test_more_connections_than_there_are_places_for_are_refused(cutout, refused_port):
    assert run_case(cutout, refused_port, "many", log="error").lines == ["True True"]


def test_threads_are_answered_side_by_side(cutout, refused_port):
    assert run_case(cutout, refused_port, "threads", log="error").lines == ["400 True"]


@pytest.mark.parametrize("client,ended", [("psql", 2), ("redis", 2), ("ssh", 2)])
def test_other_protocol_is_reset_once_and_refused_from_then_on(
        cutout, clients, refused_port, tmp_path, client, ended):
    """Each call is a process of its own, so what was learned is shared."""
    state = f"/dev/shm/{os.path.basename(tmp_path)}-{os.getpid()}-{client}"
    try:
        result = ask(cutout, clients, client, f"http://127.0.0.1:{refused_port}/", "127.0.0.1",
                     state=state)
    finally:
        if os.path.exists(state):
            os.unlink(state)
    assert result.returncode == 1
    assert len(result.calls()) == 1 and len(result.refusals()) >= ended
    assert MESSAGE in result.stdout.splitlines()[-1] or MESSAGE in result.stdout.splitlines()[-2]


@pytest.mark.parametrize("client", ["urllib", "requests", "aiohttp", "fetch", "java", "net_http",
                                    "php_streams", "wget"])
def test_client_of_tls_is_reset_once_and_refused_from_then_on(
        cutout, clients, refused_port, client):
    result = ask(cutout, clients, client, f"https://127.0.0.1:{refused_port}/", "127.0.0.1")
    last = (result.stdout + result.stderr).splitlines()[-1]
    assert ("EHOSTUNREACH" if client == "fetch" else MESSAGE) in last
    assert len(result.calls()) == 1


@pytest.mark.parametrize("port", [443, 5432])
def test_port_of_another_protocol_is_refused_without_more(cutout, port):
    """Nobody listens there on the machines that run the tests."""
    result = run_case(cutout, port, "connects")
    assert result.lines == [REFUSED, "soon"]
    assert len(result.refusals()) == 1


def test_child_of_vfork_is_refused_and_what_it_sends_is_answered(
        cutout, compiled, refused_port):
    result = cutout(compiled("answer_vfork"), refused_port,
                    rules=RULES.format(host="127.0.0.1"))
    assert result.lines == ["111 113 0 0 HTTP/1.1 424"]


def test_where_there_is_no_loopback_the_connect_is_refused(cutout):
    result = cutout(need("unshare"), "--net", need("/usr/bin/python3"),
                    SCRIPTS / "answer_cases.py", "connects", "192.0.2.1", 80,
                    rules=RULES.format(host="192.0.2.1"))
    assert result.lines == [REFUSED, "soon"]
    assert len(result.calls()) == len(result.refusals()) == 1


AGAIN = """
import ctypes, socket, sys

free = bytes(16)
connection = socket.socket()
for port in [sys.argv[1]] * 2 + sys.argv[2:] + sys.argv[1:2]:
    if connection.connect_ex(("127.0.0.1", int(port))) == 0:
        connection.sendall(b"GET /ok HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
        print(connection.recv(12).decode())
        ctypes.CDLL(None).connect(connection.fileno(), free, len(free))
"""


def test_a_socket_that_is_used_again_leads_where_it_was_connected_to(
        cutout, server, refused_port):
    """A connect to no address frees it."""
    result = cutout("/usr/bin/python3", "-c", AGAIN, refused_port, server.port,
                    rules=RULES.format(host=f"127.0.0.1:{refused_port}"))
    assert result.lines == ["HTTP/1.1 424", "HTTP/1.1 200", "HTTP/1.1 424"]
    assert len(result.refusals()) == 2
