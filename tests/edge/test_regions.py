"""More regions than there are breakers: the oldest idle ones give way, and nobody is
refused for another."""

import uuid
from pathlib import Path

import pytest

from support.programs import HERE as CLIENTS

PYTHON = "/usr/bin/python3"
CLIENT = CLIENTS / "regions.py"
MANY = 768              # breakers of regions in one state
MESSAGE = "This region is away."
RULES = f"""
[cloud]
match = api.{{region}}.cloud.example
window = 100ms
consecutive = 3
cooldown = 1h
refuse_errno = EHOSTUNREACH
message = {MESSAGE}
"""
HOSTS = "".join(f"127.0.0.1 api.{region}.cloud.example\n"
                for region in ["dead", *(f"r{n}" for n in range(2 * MANY))])
GIVING_WAY = "too many breakers: of the idle ones the oldest give way"


@pytest.fixture
def state(request):
    """The path of a state in a file, or None."""
    path = request.param and Path(f"/dev/shm/cutout-{uuid.uuid4()}")
    yield path
    if path:
        path.unlink(missing_ok=True)


def notes(result):
    return [e["error"] for e in result.of("config") if "error" in e]


@pytest.mark.parametrize("state", [None, "file"], indirect=True)
def test_regions_beyond_the_bound_take_the_places_of_idle_ones(
        cutout, server, refused_port, state):
    """Each is counted for its own; the one that is open stays so all the time."""
    dead = f"dead:{refused_port}"
    flood = [f"0-{MANY - 2}", "1.0", f"{MANY - 1}-{2 * MANY - 1}"]
    result = cutout(PYTHON, CLIENT, server.port, *[dead] * 4, *flood, dead, "1.0", "0-9", dead,
                    rules=RULES, hosts=HOSTS, state=state)
    assert result.lines[3] == f"[Errno 113] {MESSAGE}"
    assert result.lines[4:6] == [f"{MANY - 1} connected", f"{MANY + 1} connected"]
    assert result.lines[6:] == [f"[Errno 113] {MESSAGE}", "10 connected",
                                f"[Errno 113] {MESSAGE}"]
    assert {r["breaker"] for r in result.refusals()} == {"cloud/dead"}
    assert [t["breaker"] for t in result.transitions()] == ["cloud/dead"]
    good = [c["breaker"] for c in result.calls(outcome="ok")]
    assert good == [f"cloud/r{n}" for n in [*range(2 * MANY), *range(10)]]
    assert notes(result) == [GIVING_WAY]


@pytest.mark.parametrize("state, counted, what", [
    (None, MANY, "goes without it"), ("file", MANY + 10, "keeps its own")], indirect=["state"])
def test_without_an_idle_one_a_region_passes_and_one_is_told_of(
        cutout, server, state, counted, what):
    result = cutout(PYTHON, CLIENT, server.port, f"0-{MANY + 9}",
                    rules=RULES.replace("100ms", "1h"), hosts=HOSTS, state=state)
    assert result.lines == [f"{MANY + 10} connected"]
    assert len(result.calls(outcome="ok")) == counted
    assert result.refusals() == []
    assert notes(result) == [f"breaker cloud/r{MANY} finds no room there, this process {what}"]


def test_a_section_of_its_own_finds_room_where_regions_do_not(cutout, server):
    rules = "[own]\nmatch = api.own.cloud.example\n" + RULES.replace("100ms", "1h")
    result = cutout(PYTHON, CLIENT, server.port, f"0-{MANY + 9}", f"own:{server.port}",
                    rules=rules, hosts=HOSTS + "127.0.0.1 api.own.cloud.example\n")
    assert result.calls()[-1]["breaker"] == "own"
