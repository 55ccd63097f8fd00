"""An agent and its MCP servers: those that it starts are one tree with it, although they are
handed six variables and no more; those that it reaches over HTTP may be away for a while."""

import subprocess
import time

import pytest

from support.programs import once, with_npm
from support.run import need

SDK = "@modelcontextprotocol/sdk@1.20.2"
TRIP = 3
RULES = f"""
[carrier]
match = 127.0.0.1
consecutive = {TRIP}
cooldown = 1h
refuse_errno = EHOSTUNREACH
"""
HANDED = "HOME,LOGNAME,PATH,SHELL,TERM,USER"


@pytest.fixture(scope="session")
def sdk(shared_directory):
    """A directory where the scripts find the SDK."""
    return once(shared_directory, "mcp",
                with_npm(SDK, "mcp_server.mjs", "mcp_agent.mjs", "mcp_http_server.mjs",
                         "mcp_http_agent.mjs"))


def test_a_tool_is_refused_what_its_agent_found_dead(tree, sdk, refused_port):
    result = tree("node", sdk / "mcp_agent.mjs", f"http://127.0.0.1:{refused_port}/", TRIP,
                  rules=RULES).running.finish()
    assert (result.returncode, result.stderr) == (0, "")
    assert result.lines == ["ECONNREFUSED"] * TRIP + [f"tool EHOSTUNREACH {HANDED}"]
    (trip,), (refusal,) = result.transitions(), result.refusals()
    assert trip["pid"] != refusal["pid"]


def test_an_agent_is_refused_what_its_tool_found_dead(tree, sdk, refused_port):
    """Two calls of its own, the third by the tool, and then another agent."""
    script = 'node "$0" "$1" 2; node "$0" "$1" 1'
    result = tree("sh", "-c", script, sdk / "mcp_agent.mjs", f"http://127.0.0.1:{refused_port}/",
                  rules=RULES).running.finish()
    assert [line.split()[:2] for line in result.lines] == [
        ["ECONNREFUSED"], ["ECONNREFUSED"], ["tool", "ECONNREFUSED"], ["EHOSTUNREACH"],
        ["tool", "EHOSTUNREACH"]]


MESSAGE = "The carrier is away. Do not retry now."
AWAY = f"""
[carrier]
match = 127.0.0.1
consecutive = 1
cooldown = 1s
probe_interval = 100ms
ramp = 0
answer = http
message = {MESSAGE}
"""


@pytest.fixture
def carrier(sdk):
    """An MCP server over HTTP: carrier("up"), carrier("down"); says how many sessions it had."""
    server = subprocess.Popen([need("node"), str(sdk / "mcp_http_server.mjs")], bufsize=0,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def line():
        return int(server.stdout.readline())

    def tell(word):
        server.stdin.write(f"{word}\n".encode())
        return line()
    tell.port = line()
    yield tell
    server.stdin.close()
    server.wait(timeout=20)


def call(agent):
    agent.process.stdin.write(b"\n")
    took, _, said = agent.line().partition(" ")
    return int(took), said


def test_a_session_outlives_an_outage_of_its_server(cutout, sdk, carrier):
    agent = cutout.start(need("node"), sdk / "mcp_http_agent.mjs", carrier.port, rules=AWAY)
    assert agent.line() == "connected"
    assert call(agent)[1] == "ok on its way"
    carrier("down")
    while (said := call(agent)[1]) != f"refused {MESSAGE}":
        assert said.startswith("failed")
    answers = [call(agent) for _ in range(10)]
    assert {said for _, said in answers} == {f"refused {MESSAGE}"}
    print("ms of each refused call:", *[took for took, _ in answers])
    carrier("up")
    for _ in range(200):
        if call(agent)[1] == "ok on its way":
            break
        time.sleep(0.1)
    assert call(agent)[1] == "ok on its way"
    assert carrier("down") == 1
    agent.finish()
