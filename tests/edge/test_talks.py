"""Clients of other protocols than HTTP: none of them may be taken for a failure, and
those that get no answer are."""

import pytest

from support import talkers
from support.programs import HERE as CLIENTS

TRIP = 3
GIVES_UP_S = 2          # psql knows no less
PAUSE_S = 1.2           # one that would be a failure if it were waited for an answer
MESSAGE = "The carrier is away. Do not retry now."
RULES = f"""
[carrier]
match = 127.0.0.1
consecutive = {TRIP}
cooldown = 10m
refuse_errno = EHOSTUNREACH
message = {MESSAGE}
"""


@pytest.fixture
def talker():
    running = []

    def start(talk):
        running.append(talkers.Talker(talk))
        return running[-1]
    yield start
    for each in running:
        each.stop()


def outcomes(result):
    return [call["outcome"] for call in result.calls()]


def assert_well(result, count):
    assert outcomes(result).count("ok") >= count
    assert "fail" not in outcomes(result) and result.transitions() == []


@pytest.mark.parametrize("client, talk, said", [("psql", talkers.postgres, "1"),
                                                ("redis", talkers.redis, "PONG")])
def test_a_database_that_answers_is_well(tree, clients, talker, client, talk, said):
    result = tree(*clients(client, 20, *[talker(talk).url()] * 4), rules=RULES,
                  log="debug").running.finish()
    assert result.returncode == 0
    assert [line.strip() for line in result.lines if line.strip()] == [said] * 4
    assert_well(result, 4)


@pytest.mark.parametrize("client, detail", [("psql", "gave-up"), ("redis", "killed")])
def test_a_database_that_hangs_is_given_up_and_refused(tree, clients, talker, client, detail):
    silent = talker(talkers.hang)
    words = [silent.url()] * TRIP + [2.5] + [silent.url()] * 2
    result = tree(*clients(client, GIVES_UP_S, *words), rules=RULES, log="debug").running.finish()
    failed = [call for call in result.calls() if call["outcome"] == "fail"]
    assert [call["detail"] for call in failed] == [detail] * TRIP
    assert len(result.transitions()) == 1 and len(result.refusals()) >= 2
    assert silent.connections == TRIP
    assert result.stdout.count(MESSAGE) >= 2


@pytest.mark.parametrize("client", ["psql", "redis"])
def test_a_database_that_refuses_is_refused(tree, clients, refused_port, client):
    url = f"tcp://127.0.0.1:{refused_port}/"
    result = tree(*clients(client, GIVES_UP_S, *[url] * (TRIP + 2)), rules=RULES,
                  log="debug").running.finish()
    assert outcomes(result) == ["fail"] * TRIP
    assert len(result.refusals()) >= 2      # redis-cli tries again
    assert result.stdout.count(MESSAGE) >= 2


def test_a_chat_with_pauses_is_well(cutout, talker):
    result = cutout("/usr/bin/python3", CLIENTS / "smtp_chat.py", talker(talkers.smtp).port,
                    PAUSE_S, 3, rules=RULES)
    assert result.lines == ["sent 0", "sent 1", "sent 2"]
    assert_well(result, 1)


def test_an_ssh_server_that_says_who_it_is_is_well(tree, clients, talker):
    result = tree(*clients("ssh", GIVES_UP_S, *[talker(talkers.ssh).url()] * 4), rules=RULES,
                  log="debug").running.finish()
    assert_well(result, 4)


def test_a_banner_that_is_read_and_not_answered_is_well(cutout, talker):
    """What a port scanner does: the client is the one that says nothing."""
    script = ('exec 3<>/dev/tcp/127.0.0.1/$0; read -r line <&3; echo "$line"; sleep 1.5; '
              'exec 3>&-')
    result = cutout("bash", "-c", script, talker(talkers.ssh).port, rules=RULES)
    assert result.lines == ["SSH-2.0-tests\r"] or result.lines == ["SSH-2.0-tests"]
    assert_well(result, 1)


LIMITED = RULES + "p99 = 200ms\nmin_samples = 2\n"
WEBSOCKET = """
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET / HTTP/1.1\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n")
s.recv(4096)
for _ in range(4):
    s.sendall(b"\\x81\\x80mask")
    print(s.recv(4096)[2:].decode())
"""
TELEMETRY = """
import socket, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for _ in range(4):
    s.sendall(b"?")
    print(s.recv(1).decode())
    s.sendall(b"00")
    time.sleep(1.05)
    s.sendall(b"0")
"""


def test_news_that_a_websocket_brings_late_are_no_slow_answer(cutout, talker):
    result = cutout("/usr/bin/python3", "-c", WEBSOCKET, talker(talkers.websocket).port,
                    rules=LIMITED)
    assert result.lines == ["news"] * 4
    assert outcomes(result) == ["ok"] + ["neutral"] * 4 and result.transitions() == []


def test_who_sends_on_without_an_answer_makes_no_slow_call(cutout, talker):
    result = cutout("/usr/bin/python3", "-c", TELEMETRY, talker(talkers.telemetry).port,
                    rules=LIMITED)
    assert result.lines == ["!"] * 4
    assert "fail" not in outcomes(result) and result.transitions() == []
