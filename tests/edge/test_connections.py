"""A connection after its connect, by every call that can move its bytes."""

import pytest

from support.programs import HERE as CLIENTS

PYTHON = "/usr/bin/python3"
FORMS = ["send-recv", "write-read", "writev-readv", "sendto-recvfrom", "sendmsg-recvmsg",
         "sendmmsg", "bytes", "syscall", "syscall-sendto", "peek", "epoll", "select", "thread",
         "dup"]
MESSAGE = "The carrier is away."
RULES = f"""
[carrier]
match = 127.0.0.1
consecutive = 2
cooldown = 1m
message = {MESSAGE}
"""


def ends(result):
    return [(call["outcome"], str(call["detail"])) for call in result.calls()]


@pytest.fixture
def forms(cutout, server):
    def run(form, *paths, **options):
        return cutout(PYTHON, CLIENTS / "socket_forms.py", form, server.port, *paths,
                      rules=options.pop("rules", RULES), **options)
    return run


@pytest.mark.parametrize("form", FORMS)
def test_each_question_on_a_kept_connection_is_a_call(forms, server, form):
    paths = ["/ok", "/status/404", "/status/503", "/ok"]
    result = forms(form, *paths)
    assert result.lines == ["200", "404", "503", "200"]
    assert ends(result) == [("ok", "200"), ("ok", "404"), ("fail", "503"), ("ok", "200")]
    assert server.connections() == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_question_to_an_open_dependency_is_refused_on_a_kept_connection(forms, server, form):
    result = forms(form, "/ok", "/status/503", "/status/503", "/ok")
    assert result.lines == ["200", "503", "503", f"[Errno 104] {MESSAGE}"]
    assert len(result.refusals()) == 1 and len(result.calls()) == 3
    assert [r["path"] for r in server.requests()] == ["/ok", "/status/503", "/status/503"]


@pytest.mark.parametrize("form", ["sendfile", "splice"])
def test_bytes_that_are_not_seen_are_questions_and_answers_by_turns(forms, form):
    result = forms(form, "/ok", "/status/503", "/ok")
    assert result.lines == ["200", "503", "200"]
    assert {outcome for outcome, _ in ends(result)} == {"ok"}
    assert len(result.calls()) == 3


def test_a_refused_question_writes_nothing(forms, server):
    result = forms("send-recv", "/status/503", "/status/503", "/ok", strace=True)
    sends = [c for c in result.syscalls if c.name == "sendto" and "GET " in c.text]
    assert len(sends) == 2
    assert any(c.name == "shutdown" for c in result.syscalls)


LATER = """
import os, socket, sys, threading, time
port = int(sys.argv[1])
GET = b"GET /%s HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"
def opened():
    return socket.create_connection(("127.0.0.1", port))
def ask(s, path="ok"):
    s.sendall(GET % path.encode())
    return s.recv(65536).split(b" ")[1].decode()
"""


@pytest.fixture
def later(cutout, server):
    def run(program, rules=RULES, **options):
        result = cutout(PYTHON, "-c", LATER + program, server.port, rules=rules, **options)
        assert result.returncode == 0, result.stderr
        return result
    return run


def test_a_connection_without_a_question_is_good(later):
    assert ends(later("opened().close()\nopened().shutdown(2)\n")) == [("ok", "connected")] * 2


def test_a_connection_made_in_advance_is_refused_like_any_other(later):
    result = later("s = opened()\nfor i in range(2): ask(opened(), 'status/503')\n"
                   "try: print(ask(s))\nexcept OSError as e: print(e)\n")
    assert result.lines == [f"[Errno 104] {MESSAGE}"] and len(result.refusals()) == 1


def test_what_is_open_at_the_end_is_counted(later):
    assert ends(later("a, b = opened(), opened()\nask(b)\n")) == [
        ("ok", "200"), ("ok", "connected")]


def test_the_time_before_the_first_question_is_nobodys(later):
    limited = RULES + "p99 = 500ms\nmin_samples = 1\n"
    result = later("s = opened()\ntime.sleep(1.2)\nprint(ask(s))\n", rules=limited)
    assert ends(result) == [("ok", "200")] and not result.calls()[0]["slow"]
    assert result.transitions() == []


def test_a_hang_is_noticed_at_the_limit(later, server):
    limited = RULES.replace("consecutive = 2", "consecutive = 1") + "p99 = 300ms\n"
    result = later("s, t = opened(), opened()\nask(s), ask(t)\ns.sendall(GET % b'hang')\n"
                   "time.sleep(1)\n"
                   "try: print(ask(t))\nexcept OSError as e: print(e)\n", rules=limited)
    assert result.lines == [f"[Errno 104] {MESSAGE}"]
    assert result.transitions()[0]["slow"] == 1


def test_idle_connections_that_the_server_closes_are_no_failure(later, server):
    result = later("s = opened()\nask(s, 'ok')\n"
                   "s.sendall(b'GET /close HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')\n"
                   "print(s.recv(10))\n")
    assert ends(result) == [("ok", "200"), ("neutral", "eof")]


def test_a_child_goes_on_with_its_parents_connection(later):
    result = later("s = opened()\nprint(ask(s), flush=True)\n"
                   "if os.fork() == 0:\n    print(ask(s, 'status/503'), flush=True); os._exit(0)\n"
                   "os.wait()\nprint(ask(s))\n")
    assert sorted(result.lines) == ["200", "200", "503"]
    assert ends(result) == [("ok", "200"), ("fail", "503"), ("ok", "200")]
    assert len({call["pid"] for call in result.calls()}) == 2


def test_a_question_of_the_parent_is_not_the_childs(later):
    result = later("s = opened()\ns.sendall(GET % b'slow/0.5')\n"
                   "if os.fork() == 0: s.close(); os._exit(0)\n"
                   "os.wait()\nprint(s.recv(100)[9:12])\n")
    assert ends(result) == [("ok", "200")]


def test_a_close_by_another_thread_gives_up(later):
    result = later("s = opened()\ns.sendall(GET % b'hang')\n"
                   "t = threading.Timer(1.2, os.close, [s.detach()])\nt.start()\nt.join()\n")
    assert ends(result) == [("fail", "gave-up")]


def test_a_client_that_gives_up_soon_says_nothing(later):
    result = later("s = opened()\ns.sendall(GET % b'hang')\ns.close()\n")
    assert ends(result) == [("neutral", "gave-up")]


HALVES = ["b'POST /echo HTTP/1.1\\r\\nHost: x\\r\\nContent-Le'",
          "b'POST /echo HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 9\\r\\n\\r\\nhalf'",
          "b'POST /echo HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nhalf\\r\\n'"]


@pytest.mark.parametrize("half", HALVES)
def test_half_a_question_is_not_answered_by_anybody(later, half):
    result = later(f"s = opened()\ns.sendall({half})\ntime.sleep(1.2)\ns.close()\n")
    assert ends(result) == [("neutral", "gave-up")]


def test_a_client_may_wait_for_leave_to_send_the_other_half(later):
    result = later(f"import select\ns = opened()\ns.sendall({HALVES[1]})\n"
                   "select.select([s], [], [], 1.2)\ns.close()\n")
    assert ends(result) == [("fail", "gave-up")]


def test_a_server_that_takes_only_a_part_of_the_question_hangs(later):
    result = later("door = socket.create_server(('127.0.0.1', 0))\n"
                   "s = socket.create_connection(door.getsockname())\ns.setblocking(False)\n"
                   "s.send(b'PUT / HTTP/1.1\\r\\nContent-Length: 99999999\\r\\n\\r\\n')\n"
                   "try:\n    while True: s.send(b'x' * 65536)\n"
                   "except BlockingIOError: time.sleep(1.2)\n"
                   "s.close()\n")
    assert ends(result) == [("fail", "gave-up")]


def test_pipelined_questions_are_answered_in_order(later):
    result = later("s = opened()\n"
                   "s.sendall(GET % b'ok' + GET % b'status/503' + GET % b'ok')\n"
                   "data = b''\nwhile data.count(b'HTTP/1.1') < 3: data += s.recv(65536)\n")
    assert ends(result) == [("ok", "200"), ("fail", "503"), ("ok", "200")]


def test_a_body_that_the_socket_takes_in_pieces_is_one_question(later):
    result = later("s = opened()\ns.setblocking(False)\n"
                   "body = b'x' * (8 << 20)\n"
                   "data = b'POST /ok HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: %d\\r\\n\\r\\n' % "
                   "len(body) + body\n"
                   "view = memoryview(data)\n"
                   "while view:\n"
                   "    try: view = view[s.send(view):]\n"
                   "    except BlockingIOError: time.sleep(0.001)\n"
                   "s.setblocking(True)\nprint(s.recv(100)[9:12])\nprint(ask(s))\n")
    assert ends(result) == [("ok", "200")] * 2


def test_a_number_that_is_closed_unseen_is_no_connection_any_more(later):
    """A file on that number is written to although the dependency is open."""
    result = later("s = opened()\nask(s)\nfor i in range(2): ask(opened(), 'status/503')\n"
                   "import ctypes\nfd = s.detach()\nr, w = os.pipe()\n"
                   "copy = ctypes.CDLL(None).__dup2\n"
                   "copy(w, fd)\nprint(os.write(fd, b'GET / HTTP/1.1\\r\\n\\r\\n'))\n")
    assert result.lines == ["18"] and result.refusals() == []


def test_threads_handlers_and_jumps_make_no_failure(cutout, compiled, server):
    result = cutout(compiled("conn_stress"), server.port, 2, rules=RULES)
    assert result.lines == ["asked 1 interrupted 1"]
    assert {outcome for outcome, _ in ends(result)} <= {"ok", "neutral"}
    assert result.transitions() == []


PROXY = """
import socket, threading, sys
def serve(client, answer):
    head = b""
    while b"\\r\\n\\r\\n" not in head: head += client.recv(65536)
    if head.startswith(b"CONNECT") and answer == b"200":
        client.sendall(b"HTTP/1.1 200 Yes\\r\\n\\r\\n")
        client.recv(65536)
        client.sendall(b"HTTP/1.1 503 No\\r\\nContent-Length: 0\\r\\n\\r\\n")
    else:
        client.sendall(b"HTTP/1.1 %s No\\r\\nContent-Length: 0\\r\\n\\r\\n" % answer)
def proxy(answer):
    l = socket.create_server(("127.0.0.1", 0))
    def run():
        while True:
            client = l.accept()[0]
            threading.Thread(target=serve, args=(client, answer), daemon=True).start()
    threading.Thread(target=run, daemon=True).start()
    return l.getsockname()[1]
"""
BEHIND = "[real]\nmatch = api.carrier.example:443\nmatch = plain.carrier.example:80\n"


@pytest.mark.parametrize("answer, end", [("200", ("fail", "503")), ("502", ("fail", "502")),
                                         ("407", ("neutral", "407"))])
@pytest.mark.parametrize("named", [True, False])
def test_a_tunnel_asks_the_host_behind_the_proxy(later, named, answer, end):
    """Whether or not the proxy is one that the environment names."""
    program = PROXY + f"""
import os
if {named}:
    port = int(os.environ["http_proxy"].split(":")[-1])
    l = socket.create_server(("127.0.0.1", port))
    threading.Thread(target=lambda: serve(l.accept()[0], b"{answer}"), daemon=True).start()
else:
    port = proxy(b"{answer}")
s = socket.create_connection(("127.0.0.1", port))
s.sendall(b"CONNECT api.carrier.example:443 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
if b" 200 " in s.recv(65536):
    s.sendall(GET % b"ok")
    s.recv(65536)
"""
    with_proxy = {}
    rules = BEHIND
    if named:
        import socket as sockets
        with sockets.create_server(("127.0.0.1", 0)) as free:
            with_proxy = {"http_proxy": f"http://127.0.0.1:{free.getsockname()[1]}"}
    else:
        rules += "[proxy]\nmatch = 127.0.0.1\n"
    result = later(program, rules=rules, env=with_proxy)
    calls = [call for call in result.calls() if call["breaker"] == "real"]
    assert [(c["outcome"], str(c["detail"]), c["dest"]) for c in calls] == [
        (*end, "api.carrier.example:443")]
