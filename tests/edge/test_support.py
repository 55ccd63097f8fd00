"""The harness itself, before anything is built on it: no shim anywhere here."""

import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import time

import pytest

from support.network import Blackhole
from support.programs import CLIENTS, TLS_CLIENTS
from support.run import PATH, need, parse_log

WAIT_S = 2      # a client's time-out where it is what ends the wait


@pytest.fixture(params=["http", "https"])
def any_server(request, make_server, certs):
    return make_server(certs=certs if request.param == "https" else None)


def connection_to(server, timeout=20):
    if server.scheme == "http":
        return http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    context = ssl.create_default_context(cafile=str(server.ca))
    return http.client.HTTPSConnection("127.0.0.1", server.port, timeout=timeout, context=context)


def get(server, path="/ok", **options):
    connection = connection_to(server, **options)
    try:
        connection.request("GET", path, headers={"User-Agent": "tests"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


# The server

@pytest.mark.parametrize("path, answer", [
    ("/ok", (200, b"ok\n")), ("/ok?key=value", (200, b"ok\n")), ("/status/500", (500, b"500\n")),
    ("/status/429", (429, b"429\n")), ("/status/204", (204, b"")),
    ("/bytes/70000", (200, b"x" * 70000)), ("/nowhere", (404, b"404\n"))])
def test_a_path_gives_its_answer(any_server, path, answer):
    assert get(any_server, path) == answer


def test_a_connection_is_kept_alive(any_server):
    connection = connection_to(any_server)
    for path in ("/ok", "/status/500", "/ok"):
        connection.request("GET", path)
        connection.getresponse().read()
    assert any_server.connections() == 1
    assert [r["path"] for r in any_server.requests()] == ["/ok", "/status/500", "/ok"]


def test_a_body_is_read_before_the_next_request(server):
    connection = connection_to(server)
    for body in (b"plain", iter([b"in ", b"chunks"])):
        connection.request("POST", "/echo", body, encode_chunked=not isinstance(body, bytes),
                           headers={} if isinstance(body, bytes) else
                           {"Transfer-Encoding": "chunked"})
        answer = connection.getresponse().read()
        assert b'"plain"' in answer or b'"in chunks"' in answer
    assert server.connections() == 1


@pytest.mark.parametrize("path", ["/hang", "/slow/30"])
def test_a_hang_gives_no_byte(any_server, path):
    with pytest.raises(TimeoutError):
        get(any_server, path, timeout=1)


def test_a_slow_answer_comes_in_the_end(any_server):
    begun = time.monotonic()
    assert get(any_server, "/slow/0.5") == (200, b"ok\n")
    assert time.monotonic() - begun >= 0.5


def test_a_reset_is_a_reset_and_a_close_is_none(any_server, bare):
    # Not with python's own ssl, which shows a reset as an orderly end.
    result = bare("curl", "-sS", any_server.url("/reset"), env=any_server.env)
    assert result.returncode == 56 and "reset by peer" in result.stderr
    result = bare("curl", "-sS", any_server.url("/close"), env=any_server.env)
    assert result.returncode in (52, 56) and "reset by peer" not in result.stderr


def test_a_partial_answer_ends_early(any_server):
    with pytest.raises((http.client.IncompleteRead, ssl.SSLEOFError)):
        get(any_server, "/partial")


def test_a_mode_stands_above_every_path_until_it_is_taken_back(any_server):
    assert any_server.mode() == "auto"
    any_server.mode("500")
    assert get(any_server, "/ok") == (500, b"500\n")
    any_server.mode("ok")
    assert get(any_server, "/status/500") == (200, b"ok\n")
    any_server.mode("auto")
    assert get(any_server, "/status/500") == (500, b"500\n")


def test_a_mode_reaches_a_connection_that_is_open_already(server):
    connection = connection_to(server)
    connection.request("GET", "/ok")
    assert connection.getresponse().read() == b"ok\n"
    server.mode("503")
    connection.request("GET", "/ok")
    assert connection.getresponse().status == 503


def test_hang_accept_accepts_and_never_reads(any_server):
    any_server.mode("hang-accept")
    with pytest.raises(TimeoutError):
        get(any_server, timeout=1)
    assert any_server.connections() == 1
    assert any_server.requests() == []


def test_refuse_does_not_listen_and_the_port_comes_back(any_server):
    any_server.mode("refuse")
    with pytest.raises(ConnectionRefusedError):
        get(any_server)
    any_server.mode("ok")
    assert get(any_server) == (200, b"ok\n")


def test_a_carrier_hangs_and_recovers(any_server):
    assert get(any_server)[0] == 200
    any_server.mode("hang")
    with pytest.raises(TimeoutError):
        get(any_server, timeout=1)
    any_server.mode("ok")
    assert get(any_server)[0] == 200


def test_the_log_tells_who_asked_what_when(any_server):
    get(any_server, "/status/404")
    get(any_server, "/ok")
    first, second = any_server.requests()
    assert (first["method"], first["path"], first["agent"]) == ("GET", "/status/404", "tests")
    assert (first["connection"], second["connection"]) == (1, 2)
    assert first["time"] < second["time"]


def test_the_server_is_on_both_loopbacks(server):
    try:
        socket.create_connection(("::1", server.port), timeout=5).close()
    except OSError as error:
        if os.path.exists("/proc/net/if_inet6"):
            raise AssertionError("not on ::1") from error


def test_a_server_ends_with_the_test_run_even_when_that_is_killed(tmp_path):
    program = ("import sys, time; sys.path.insert(0, sys.argv[1])\n"
               "from pathlib import Path; from support.servers import Server\n"
               "print(Server(Path(sys.argv[2])).process.pid, flush=True); time.sleep(60)")
    tests = os.path.dirname(os.path.dirname(__file__))
    run = subprocess.Popen([sys.executable, "-c", program, tests, str(tmp_path)],
                           stdout=subprocess.PIPE)
    server_pid = int(run.stdout.readline())
    assert os.path.exists(f"/proc/{server_pid}")
    run.send_signal(signal.SIGKILL)
    run.communicate()
    for _ in range(200):
        if not is_alive(server_pid):
            return
        time.sleep(0.05)
    pytest.fail("the server outlived the test run")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# Places that do not answer

def test_a_refused_port_refuses(refused_port):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", refused_port), timeout=20)


PENDING = ("import select, socket, sys\n"
           "s = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)\n"
           "s.setblocking(False)\n"
           "print(s.connect_ex((sys.argv[1], int(sys.argv[2]))),\n"
           "      select.select([s], [s], [s], 4.5))")


@pytest.mark.parametrize("address", [Blackhole.address, Blackhole.address6])
def test_a_connect_into_the_blackhole_neither_succeeds_nor_fails(blackhole, bare, address):
    result = bare("/usr/bin/python3", "-c", PENDING, address, 80, inside=blackhole.inside)
    assert result.stdout == "115 ([], [], [])\n"


def test_loopback_works_beside_the_blackhole(blackhole, bare, make_server):
    server = make_server(inside=blackhole.inside)
    result = bare("curl", "-s", server.url(), inside=blackhole.inside)
    assert result.stdout == "ok\n"
    server.mode("500")
    result = bare("curl", "-s", server.url(), inside=blackhole.inside)
    assert result.stdout == "500\n"
    assert len(server.requests()) == 2


def test_the_blackhole_can_let_the_kernel_give_up_soon(blackhole, bare):
    blackhole.give_up_soon()
    result = bare("bash", "-c", f": >/dev/tcp/{blackhole.address}/80", inside=blackhole.inside)
    assert "Connection timed out" in result.stderr


def test_a_connect_to_a_full_backlog_stays_pending(full_backlog, bare):
    result = bare("/usr/bin/python3", "-c", PENDING, full_backlog.address, full_backlog.port)
    assert result.stdout == "115 ([], [], [])\n"


# The client programs

@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_tells_of_each_attempt(bare, clients, server, client):
    result = bare(*clients(client, 20, server.url("/ok"), server.url("/ok")))
    assert result.returncode == 0
    assert len(result.lines) == 2
    assert len(server.requests()) == 2

    result = bare(*clients(client, 20, server.url("/status/503")))
    assert "503" in result.stdout + result.stderr


@pytest.mark.parametrize("client", TLS_CLIENTS)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "api.carrier.example"])
def test_a_client_trusts_the_tls_server(bare, clients, tls_server, client, host):
    hosts = f"127.0.0.1 localhost {host}\n"
    result = bare(*clients(client, 20, tls_server.url(host=host)), env=tls_server.env, hosts=hosts)
    assert result.returncode == 0
    assert "ok" in result.stdout


@pytest.mark.parametrize("client", TLS_CLIENTS)
def test_a_client_that_does_not_know_the_authority_fails(bare, clients, tls_server, client):
    result = bare(*clients(client, 20, tls_server.url()))
    assert result.returncode != 0
    assert tls_server.requests() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_goes_on_after_refused_connects(bare, clients, refused_port, client):
    tries = 2 if client == "java" else 1      # it tries a refused connect once more
    url = f"http://127.0.0.1:{refused_port}/ok"
    result = bare(*clients(client, 20, url, url, url), strace=True)
    assert result.returncode != 0
    assert len(result.connects(refused_port)) == 3 * tries
    text = result.stdout + result.stderr
    assert "refused" in text or "ECONNREFUSED" in text or "ConnectException" in text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_gives_up_on_a_hang(bare, clients, server, client):
    url = server.url("/hang")
    result = bare(*clients(client, WAIT_S, url))
    assert result.returncode != 0
    assert result.elapsed >= WAIT_S
    assert len(server.requests()) == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_gives_up_on_a_blackhole(bare, clients, blackhole, client):
    if client == "bash":
        blackhole.give_up_soon()
    urls = [blackhole.url()] * 2
    result = bare(*clients(client, WAIT_S, *urls), inside=blackhole.inside, strace=True)
    assert result.returncode != 0
    assert result.elapsed >= 2 * WAIT_S
    assert len(result.connects(80)) == 2


# Running programs

def test_nothing_of_the_outer_machine_leaks_into_a_program(bare, monkeypatch, tmp_path):
    for name in ("http_proxy", "HTTPS_PROXY", "all_proxy", "CUTOUT_RULES", "CUTOUT_OFF",
                 "PYTHONPATH", "XDG_CONFIG_HOME", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, "/leaked")
    result = bare("env")
    assert "leaked" not in result.stdout
    assert "LD_PRELOAD" not in result.stdout
    assert f"HOME={tmp_path}/home" in result.lines


def test_the_shim_gets_its_environment_and_what_stands_before_it_does_not(
        cutout, blackhole, monkeypatch, tmp_path):
    monkeypatch.setenv("CUTOUT_BUILDDIR", str(tmp_path))
    (tmp_path / "libcutout.so").write_bytes(b"")
    # The loader names a library that is none once for each program that meets it.
    result = cutout("sh", "-c", 'echo "$LD_PRELOAD $CUTOUT_LOG $CUTOUT_LOG_FORMAT"; '
                                'cat "$CUTOUT_RULES"', rules="[*]\n", inside=blackhole.inside,
                    hosts="127.0.0.1 localhost\n")
    assert result.lines == [f"{tmp_path}/libcutout.so debug:{tmp_path}/log.1 json", "[*]"]
    assert result.stderr.count("file too short") == 2


def test_a_missing_program_or_library_fails_with_a_sentence(bare, cutout, monkeypatch, tmp_path):
    with pytest.raises(pytest.fail.Exception, match="need the program no-such-program"):
        bare("no-such-program")
    monkeypatch.setenv("CUTOUT_BUILDDIR", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="no libcutout.so in"):
        cutout("true")


def test_a_program_that_does_not_end_fails_and_is_ended(bare):
    running = bare.start("sh", "-c", "echo started; sleep 100", timeout=0.5)
    assert running.line() == "started"
    with pytest.raises(pytest.fail.Exception, match="did not end within"):
        running.finish()
    assert not is_alive(running.pid)


def test_a_program_gets_input_and_gives_its_exit_code(bare):
    result = bare("sh", "-c", "cat; echo bad >&2; exit 7", input=b"in\xff\n")
    assert (result.stdout_bytes, result.stderr, result.returncode) == (b"in\xff\n", "bad\n", 7)


def test_the_log_is_read_strictly():
    assert parse_log(b'{"event": "call"}\n{"event": "refuse"}\n') == [
        {"event": "call"}, {"event": "refuse"}]
    for bad in (b'{"event": "call"}', b"cutout[1] warn\n", b"[]\n",
                b'{"event": "' + b"x" * 4096 + b'"}\n'):
        with pytest.raises(AssertionError):
            parse_log(bad)


def test_strace_sees_the_connects_of_children_and_threads(bare, refused_port):
    program = ("import socket, threading\n"
               f"def go(): socket.socket(socket.AF_INET6).connect_ex("
               f"('::ffff:127.0.0.1', {refused_port}))\n"
               "t = threading.Thread(target=go); t.start(); t.join()")
    result = bare("sh", "-c", 'python3 -c "$0"; python3 -c "$0"; :', program, strace=True)
    assert len(result.connects(refused_port)) == 2, result.syscalls
    assert len({call.pid for call in result.connects(refused_port)}) == 2


def test_every_program_that_the_tests_need_is_here():
    assert "pyenv" not in PATH
    for program in ("/usr/bin/python3", "node", "java", "javac", "wget", "bash", "curl", "git",
                    "openssl", "ip", "nsenter", "unshare", "setpriv", "strace"):
        need(program)
