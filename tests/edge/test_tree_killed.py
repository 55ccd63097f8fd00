"""Calls whose processes are killed, as agents' shells do with tools that take too long,
and what a fresh process of a tree knows of a name that others found dead."""

import pytest

TRIP = 3
RULES = """
[carrier]
match = {match}
consecutive = 3
cooldown = 1m
cooldown_max = 1m
refuse_errno = EHOSTUNREACH
message = The carrier is away.
"""

# Each is killed while it waits; what they leave is found within a second.
KILL = """
for i in 1 2 3 4; do
    timeout -s KILL {age} bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"$0" 2>/dev/null
done
sleep 2.5
timeout 0.5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"$0"
"""


def killed_at(tree, full_backlog, age):
    running = tree("bash", "-c", KILL.format(age=age), str(full_backlog.port),
                   rules=RULES.format(match="127.0.0.1"), log="debug").running
    return running.finish()


def test_killed_calls_trip_when_they_had_waited(tree, full_backlog):
    result = killed_at(tree, full_backlog, 2.5)
    killed = [call for call in result.calls() if call["edge"] == "process"]
    assert len(killed) >= TRIP
    assert {(call["outcome"], call["detail"]) for call in killed} == {("fail", "killed")}
    assert "The carrier is away." in result.stderr


def test_killed_calls_say_nothing_when_they_had_not_waited(tree, full_backlog):
    result = killed_at(tree, full_backlog, 0.2)
    assert [call for call in result.calls() if call["outcome"] == "fail"] == []
    assert result.transitions() == [] and result.refusals() == []


@pytest.fixture
def hosts(tmp_path):
    path = tmp_path / "hosts"
    path.write_text("127.0.0.1 localhost api.carrier.example\n")
    return path


LOOK = """
mount --bind "$1" /etc/hosts
for i in 1 2 3; do bash -c 'exec 3<>/dev/tcp/api.carrier.example/'"$0" 2>/dev/null; done
bash -c 'exec 3<>/dev/tcp/api.carrier.example/'"$0"
"""


def test_a_fresh_process_knows_the_addresses_of_a_name_that_is_refused(tree, refused_port, hosts):
    result = tree("unshare", "-m", "bash", "-c", LOOK, str(refused_port), str(hosts),
                  rules=RULES.format(match="api.carrier.example"), log="debug").running.finish()
    assert "connect: The carrier is away." in result.stderr
    assert [refusal["edge"] for refusal in result.refusals()] == ["connect"]
