"""An agent and the MCP servers that it starts: one tree, although the servers are handed
six variables and no more."""

import pytest

from support.programs import once, with_npm

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
    return once(shared_directory, "mcp", with_npm(SDK, "mcp_server.mjs", "mcp_agent.mjs"))


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
