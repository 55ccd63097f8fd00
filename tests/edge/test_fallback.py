"""While a breaker is open its fallbacks serve: the program keeps its URL, its Host and the
name that TLS checks, and what goes there counts for the fallback's own breaker."""

import time

import pytest

from support.programs import HERE as CLIENTS
from support.programs import TLS_CLIENTS

PYTHON = "/usr/bin/python3"
NAME = "api.carrier.example"
BACKUP = "backup.example"
TRIP = 3
SERVED = 3
RULES = f"""
[carrier]
match = {NAME}
consecutive = {TRIP}
cooldown = 1m
refuse_errno = EHOSTUNREACH
{{fallbacks}}
"""
OWN = f"""
[{{name}}]
match = {{dest}}
consecutive = {TRIP}
cooldown = 1m
"""
HOSTS = f"127.0.0.1 {NAME}\n127.0.0.2 {BACKUP}\n"
# They look the name up once and keep what they were told.
CACHING = ("java", "wget")
CURL = ["curl", "curl_parallel"]


def rules(*dests, **sections):
    text = RULES.format(fallbacks="\n".join(f"fallback = {dest}" for dest in dests))
    return text + "".join(OWN.format(name=name, dest=dest) for name, dest in sections.items())


@pytest.fixture
def tls_backup(make_server, certs):
    return make_server(certs=certs, bind=["127.0.0.2"])


def assert_served(result, backup, client=None):
    """TRIP calls to the dead one, then each by the fallback; nobody was refused."""
    assert result.breakers(outcome="fail") == ["carrier"] * TRIP
    answers = [line.split()[-1] for line in result.lines if line.strip()]
    # java tries a connect that fails at once a second time, so that it trips earlier.
    served = max(SERVED, answers.count("ok"))
    assert served == SERVED or client == "java"
    assert result.breakers(outcome="ok") == ["backup"] * served
    assert [t["breaker"] for t in result.transitions()] == ["carrier"]
    assert result.refusals() == []
    assert len(backup.log("request")) == served
    assert answers.count("ok") == served


@pytest.mark.parametrize("client", [*TLS_CLIENTS, *CURL])
@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_fallback_by_address_serves_each_client(
        cutout, clients, request, refused_port, client, tls):
    """Over TLS with the certificate of the name that was asked for, which it has."""
    backup = request.getfixturevalue("tls_backup" if tls else "backup")
    dest = f"127.0.0.2:{backup.port}"
    url = f"{backup.scheme}://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (TRIP + SERVED)), env=backup.env, hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert_served(result, backup, client)


@pytest.mark.parametrize("client", [c for c in [*TLS_CLIENTS, *CURL] if c not in CACHING])
def test_a_fallback_by_name_serves_each_client(cutout, clients, backup, refused_port, client):
    dest = f"{BACKUP}:{backup.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (TRIP + SERVED)), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert_served(result, backup)
    assert {call["dest"] for call in result.calls(outcome="ok")} == {dest}


@pytest.mark.parametrize("client", ["requests", "curl"])
def test_the_host_is_the_one_that_was_asked_for(cutout, clients, backup, refused_port, client):
    dest = f"{BACKUP}:{backup.port}"
    url = f"http://{NAME}:{refused_port}"
    result = cutout(*clients(client, 20, *[f"{url}/ok"] * TRIP, f"{url}/echo"), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert f'"host": "{NAME}:{refused_port}"' in result.stdout


@pytest.mark.parametrize("client", ["urllib", "requests", "wget", "curl", "curl_parallel"])
def test_a_fallback_that_is_down_ends_in_a_refusal_that_names_both(
        cutout, clients, refused_port, make_server, client):
    down = make_server(bind=["127.0.0.2"])
    down.mode("refuse")
    dest = f"{'127.0.0.2' if client in CACHING else BACKUP}:{down.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (2 * TRIP + 2)), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert result.breakers() == ["carrier"] * TRIP + ["backup"] * TRIP
    assert [t["breaker"] for t in result.transitions()] == ["carrier", "backup"]
    assert {r["breaker"] for r in result.refusals()} == {"carrier"}
    assert len(result.refusals()) == 2
    told = [line for line in (result.stdout + result.stderr).splitlines()
            if "carrier is temporarily unavailable" in line]
    assert len(told) == 2
    assert all(f"carrier's fallback {dest} is unavailable as well." in line for line in told)


@pytest.mark.parametrize("client", ["urllib", "curl"])
def test_fallbacks_are_tried_in_order(cutout, clients, backup, make_server, refused_port, client):
    first = make_server(bind=["127.0.0.3"])
    first.mode("refuse")
    dests = {"first": f"127.0.0.3:{first.port}", "second": f"{BACKUP}:{backup.port}"}
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (2 * TRIP + SERVED)), hosts=HOSTS,
                    rules=rules(*dests.values(), **dests))
    assert result.breakers() == ["carrier"] * TRIP + ["first"] * TRIP + ["second"] * SERVED
    assert result.refusals() == []


def test_a_fallback_without_a_port_is_asked_at_the_one_of_the_call(cutout, clients, make_server):
    backup = make_server(bind=["127.0.0.2"])
    url = f"http://{NAME}:{backup.port}/ok"     # where 127.0.0.1 refuses
    result = cutout(*clients("urllib", 20, *[url] * (TRIP + SERVED)), hosts=HOSTS,
                    rules=rules("127.0.0.2", backup="127.0.0.2"))
    assert_served(result, backup)


@pytest.mark.parametrize("client", ["urllib", "fetch", "curl"])
def test_an_ipv6_fallback_serves_who_looks_the_name_up(
        cutout, clients, make_server, refused_port, client):
    backup = make_server(bind=["::1"])
    dest = f"[::1]:{backup.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (TRIP + SERVED)), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert_served(result, backup)


def test_an_ipv4_socket_passes_an_ipv6_fallback_over(cutout, clients, make_server, refused_port):
    backup = make_server(bind=["::1"])
    text = rules(f"[::1]:{backup.port}").replace(NAME, "127.0.0.1")
    result = cutout(*clients("urllib", 20, *[f"http://127.0.0.1:{refused_port}/ok"] * (TRIP + 1)),
                    rules=text)
    assert result.breakers() == ["carrier"] * TRIP
    assert len(result.refusals()) == 1


def test_a_look_up_of_an_open_name_tells_the_fallbacks_addresses(cutout, backup, refused_port):
    dest = f"{BACKUP}:{backup.port}"
    steps = ["connect"] * TRIP + ["lookup", "lookup-any", "connect"]
    result = cutout(PYTHON, CLIENTS / "resolve_loop.py", NAME, refused_port, *steps, hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert result.lines[TRIP:] == ["127.0.0.2", "127.0.0.2", "connected"]
    assert result.breakers(outcome="ok") == ["backup"]


def test_observe_stays_with_the_primary(cutout, clients, backup, refused_port):
    dest = f"127.0.0.2:{backup.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    text = rules(dest).replace("fallback =", "mode = observe\nfallback =")
    for client in ("urllib", "curl"):
        result = cutout(*clients(client, 20, *[url] * (TRIP + SERVED)), hosts=HOSTS, rules=text)
        assert set(result.breakers()) == {"carrier"}
    assert backup.log() == []


@pytest.mark.parametrize("client", ["urllib", "pycurl"])
@pytest.mark.parametrize("by", ["name", "address"])
def test_the_primary_takes_over_as_the_ramp_allows(
        cutout, clients, make_server, backup, client, by):
    """A share at first, the rest with the fallback; then all."""
    primary = make_server(bind=["127.0.0.1"])
    primary.mode("refuse")
    dest = f"{BACKUP if by == 'name' else '127.0.0.2'}:{backup.port}"
    quick = "cooldown = 2s\nprobe_interval = 100ms\nramp = 4s\n"
    text = rules(dest, backup=dest).replace("cooldown = 1m", quick, 1)
    url = f"http://{NAME}:{primary.port}/ok"
    running = cutout.start(*clients(client, 20, *[url, 0.1] * 120), hosts=HOSTS, rules=text)
    while not any(e["event"] == "transition" for e in running.events()):
        time.sleep(0.05)
    primary.mode("auto")
    result = running.finish()
    order = [e["breaker"] if e["event"] == "call" else e["to"] for e in result.events
             if e["event"] == "call" or e["event"] == "transition" and e["breaker"] == "carrier"]
    opened, closed = order.index("open"), order.index("closed")
    ramp = len(order) - 1 - order[::-1].index("half-open")
    assert order[:opened] == ["carrier"] * TRIP
    assert set(order[opened + 1:ramp]) - {"half-open"} == {"backup"}
    assert set(order[ramp + 1:closed]) == {"carrier", "backup"}
    assert set(order[closed + 1:]) == {"carrier"}
    assert result.refusals() == []
