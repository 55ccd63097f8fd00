"""Programs whose TLS library is a shared object: what they say inside TLS is seen."""

import os
import socket
import ssl
import threading

import pytest

from support.programs import HERE as CLIENTS
from support.run import need

SANITIZED = os.environ.get("CUTOUT_SANITIZERS", "") != ""
not_sanitized = pytest.mark.skipif(
    SANITIZED, reason="under a sanitizer's run-time it does not end, also without the library")
OPENSSL = ("urllib", "httpclient", "requests", "httpx", "httpx_async", "aiohttp", "lwp",
           "http_tiny", "net_http", *([] if SANITIZED else ["php_streams"]))
EDGES = {**dict.fromkeys(OPENSSL, "openssl"), "wget": "gnutls"}
# Those that keep a connection, and give up without trying again.
PATIENT = ("requests", "httpx_async", "aiohttp", "lwp", "wget")
COUNTING = """
[carrier]
match = 127.0.0.1
consecutive = 0
failure_rate = 0%
"""
# One failure trips.
TRIPPING = """
[carrier]
match = 127.0.0.1
consecutive = 1
cooldown = 1m
message = The carrier is away.
"""
RECORD = r"\27\3\3"     # how strace shows what begins a record of data


def ends(result):
    return [(call["outcome"], str(call["detail"])) for call in result.calls()]


def edges(result):
    return {call["edge"] for call in result.calls()}


@pytest.fixture
def ask(cutout, clients, tls_server):
    """ask(CLIENT, PATH..., timeout=): over https, one after the other."""
    def run(name, *paths, timeout=20, rules=COUNTING, **options):
        urls = [tls_server.url(path) for path in paths]
        return cutout(*clients(name, timeout, *urls), rules=rules, env=tls_server.env, **options)
    return run


@pytest.mark.parametrize("client, edge", EDGES.items())
def test_the_status_of_each_answer_is_seen(ask, client, edge):
    result = ask(client, "/ok", "/503", "/ok", "/429")
    assert ends(result) == [("ok", "200"), ("fail", "503"), ("ok", "200"), ("ok", "429")]
    assert edges(result) == {edge}


@pytest.mark.parametrize("client", PATIENT)
def test_a_question_that_is_given_up_trips(ask, client):
    result = ask(client, "/ok", "/hang", timeout=1.3, rules=TRIPPING)
    assert ends(result) == [("ok", "200"), ("fail", "gave-up")]
    assert [t["reason"] for t in result.transitions()] == ["consecutive"]


@pytest.mark.parametrize("client", PATIENT)
@pytest.mark.parametrize("path, detail", [("/reset", "ECONNRESET"), ("/close", "eof")])
def test_an_end_before_the_answer_fails_on_a_fresh_connection_alone(ask, client, path, detail):
    assert ends(ask(client, path))[0] == ("fail", detail)
    assert ends(ask(client, "/ok", path))[:2] == [("ok", "200"), ("neutral", detail)]


@pytest.mark.parametrize("client", ["httpclient", "requests", "httpx", "httpx_async", "aiohttp",
                                    "lwp", "net_http"])
def test_a_kept_connection_to_an_open_dependency_sends_no_byte(ask, tls_server, client):
    result = ask(client, "/ok", "/503", "/refused", rules=TRIPPING, strace=True)
    trip = result.writes_of("transition")[0]
    assert ends(result) == [("ok", "200"), ("fail", "503")]
    assert result.refusals()[0]["edge"] == "openssl"
    assert [r["path"] for r in tls_server.requests()] == ["/ok", "/503"]
    assert not [c.text for c in result.syscalls[trip:] if RECORD in c.text]
    assert result.elapsed < 15


def test_wget_is_refused_on_a_kept_connection(ask, tls_server):
    result = ask("wget", "/ok", "/503", "/refused", rules=TRIPPING)
    assert result.refusals()[0]["edge"] == "gnutls"
    assert [r["path"] for r in tls_server.requests()] == ["/ok", "/503"]


def healthy(ask, client, count):
    result = ask(client, *["/ok"] * count, timeout=300)
    assert ends(result) == [("ok", "200")] * count


@pytest.mark.parametrize("client", ["requests", "wget"])
def test_healthy_calls_are_good_one_by_one(ask, client):
    healthy(ask, client, 300)


@pytest.mark.long
@pytest.mark.parametrize("client", ["requests", "aiohttp", "wget", "lwp", "net_http"])
def test_ten_thousand_healthy_calls_are_good_one_by_one(cutout, clients, tls_server, client):
    words = clients(client, 300, *[tls_server.url()] * 10000)
    result = cutout(*words, rules=COUNTING, env=tls_server.env, timeout=600)
    assert ends(result) == [("ok", "200")] * 10000


@not_sanitized
def test_a_transfer_of_libcurl_is_counted_by_it_alone(ask):
    result = ask("curl", "/ok", "/503")
    assert ends(result) == [("ok", "200"), ("fail", "503")]
    assert edges(result) == {"curl"}


@pytest.fixture(params=["openssl", "gnutls"])
def library_cases(request, compiled):
    """The program of that library, and the edge's name."""
    links = {"openssl": ["-lssl", "-lcrypto"], "gnutls": ["-lgnutls"]}[request.param]
    return compiled(f"{request.param}_cases", *links), request.param


def test_a_session_on_a_descriptor_is_seen(cutout, library_cases, tls_server):
    seen(cutout, library_cases, "descriptor", tls_server)


def test_a_program_may_send_in_pieces(cutout, library_cases, tls_server):
    seen(cutout, library_cases, "partial", tls_server)


def seen(cutout, library_cases, case, tls_server):
    program, edge = library_cases
    result = cutout(program, case, tls_server.port, "/ok", "/503", "/ok", rules=COUNTING)
    assert result.lines == ["200", "503", "200"]
    assert ends(result) == [("ok", "200"), ("fail", "503"), ("ok", "200")]
    assert edges(result) == {edge}
    assert result.returncode == 0


@pytest.mark.parametrize("case", ["memory", "peek"])
def test_openssl_over_memory_and_with_a_look_ahead_is_seen(cutout, compiled, tls_server, case):
    program = compiled("openssl_cases", "-lssl", "-lcrypto")
    seen(cutout, (program, "openssl"), case, tls_server)


@pytest.mark.parametrize("case", ["callbacks", "corked", "packets"])
def test_gnutls_over_callbacks_corked_and_in_packets_is_seen(cutout, compiled, tls_server, case):
    seen(cutout, (compiled("gnutls_cases", "-lgnutls"), "gnutls"), case, tls_server)


def test_a_handshake_made_by_the_first_write_is_counted_at_the_socket(cutout, compiled,
                                                                      tls_server):
    program = compiled("openssl_cases", "-lssl", "-lcrypto")
    result = cutout(program, "implicit", tls_server.port, "/ok", "/ok", rules=COUNTING)
    assert ends(result) == [("ok", "answered")] * 2


def test_a_server_in_the_same_process_is_another_session(cutout, library_cases, certs):
    program, edge = library_cases
    result = cutout(program, "both_ends", 0, certs.cert, certs.key, rules=COUNTING)
    assert ends(result) == [("fail", "503"), ("ok", "200")]
    assert edges(result) == {edge}


def test_a_new_handshake_within_a_session_loses_no_answer(cutout, compiled, certs):
    program = compiled("openssl_cases", "-lssl", "-lcrypto")
    result = cutout(program, "renegotiation", 0, certs.cert, certs.key, rules=COUNTING)
    assert ends(result) == [("fail", "503"), ("ok", "200")]


# ---- TLS that begins later

class Plain:
    """A server that speaks in the clear until it is asked for TLS: one connection."""

    def __init__(self, certs, speak):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certs.cert, certs.key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, args=[speak], daemon=True).start()

    def serve(self, speak):
        sock, _ = self.listener.accept()
        sock.settimeout(30)
        try:
            speak(sock, lambda: self.context.wrap_socket(sock, server_side=True))
        except OSError:
            sock.close()


def speak_smtp(sock, to_tls):
    sock.sendall(b"220 here\r\n")
    while True:
        line = sock.recv(4096).split(b" ")[0].strip().lower()
        if line == b"quit" or not line:
            sock.sendall(b"221 bye\r\n")
            return
        sock.sendall(b"250-here\r\n250 STARTTLS\r\n" if line == b"ehlo" else b"220 go on\r\n")
        if line == b"starttls":
            sock = to_tls()


SMTP = """
import smtplib, sys
client = smtplib.SMTP("127.0.0.1", int(sys.argv[1]), timeout=20)
client.starttls()
print(client.ehlo()[0])
client.quit()
"""


def test_smtp_goes_on_inside_tls(cutout, certs):
    server = Plain(certs, speak_smtp)
    result = cutout("/usr/bin/python3", "-c", SMTP, server.port, rules=COUNTING)
    assert result.lines == ["250"]
    # The greeting, EHLO and STARTTLS; EHLO and QUIT.
    assert [c["edge"] for c in result.calls()] == ["connect"] * 3 + ["openssl"] * 2
    assert {outcome for outcome, _ in ends(result)} == {"ok"}


def message(kind, body):
    return kind + (len(body) + 4).to_bytes(4, "big") + body


def speak_postgres(sock, to_tls):
    sock.recv(8)
    sock.sendall(b"S")
    sock = to_tls()
    sock.recv(4096)
    ready = message(b"Z", b"I")
    sock.sendall(message(b"R", bytes(4)) + ready)
    while sock.recv(4096)[:1] == b"Q":
        sock.sendall(message(b"C", b"SELECT 0\0") + ready)


@not_sanitized
def test_psql_goes_on_inside_tls(cutout, certs):
    server = Plain(certs, speak_postgres)
    result = cutout("psql", "-X", "-c", "SELECT", f"host=127.0.0.1 port={server.port} user=nobody "
                    "dbname=none sslmode=require gssencmode=disable", rules=COUNTING)
    assert result.returncode == 0
    # What is asked in the clear is whether there is TLS, and a goodbye wants no answer.
    assert [c["edge"] for c in result.calls()] == ["connect"] + ["openssl"] * 3
    assert [outcome for outcome, _ in ends(result)] == ["ok"] * 3 + ["neutral"]


def test_the_status_of_an_answer_in_http2_is_seen(cutout, runner, tls_server, certs):
    server = runner.start("node", CLIENTS / "http2_server.mjs", certs.cert, certs.key)
    port = server.line()
    result = cutout(need("/usr/bin/python3"), CLIENTS / "http2_client.py", port, "/200", "/503",
                    "/200", rules=COUNTING, env=tls_server.env)
    assert result.lines == ["answered"] * 3
    assert ends(result) == [("ok", "200"), ("fail", "503"), ("ok", "200")]
    assert edges(result) == {"openssl"}
