"""How a fallback is reached, and what never happens because of one."""

import pytest

from support.programs import HERE as CLIENTS

PYTHON = "/usr/bin/python3"
STEPS = [PYTHON, CLIENTS / "fallback_steps.py"]
CURL = [PYTHON, CLIENTS / "pycurl_fallback.py"]
NAME = "api.carrier.example"
BACKUP = "backup.example"
TRIP = 3
HOSTS = f"127.0.0.1 {NAME}\n127.0.0.2 {BACKUP}\n127.0.0.1 other.example\n"
# Its cooldown over, the next call decides.
AT_ONCE = "cooldown = 1s\ncooldown_max = 1s\ncooldown_jitter = 0%\nprobe = call\nramp = 0"


def rules(dest, more="cooldown = 1h\ncooldown_max = 1h", match=NAME, backup=BACKUP):
    text = (f"[carrier]\nmatch = {match}\nconsecutive = {TRIP}\nrefuse_errno = EHOSTUNREACH\n"
            f"fallback = {dest}\n{more}\n")
    return text + (f"[backup]\nmatch = {backup}\nconsecutive = {TRIP}\n" if backup else "")


@pytest.fixture
def primary(make_server, backup):
    """At the port of the backup."""
    server = make_server(bind=["127.0.0.1"], port=backup.port)
    server.mode("refuse")
    return server


@pytest.mark.parametrize("client", ["httpclient", "httpx_async", "aiohttp", "node_http", "pycurl",
                                    "java_url", "lwp", "net_http", "php_curl", "php_streams"])
def test_more_clients_are_served(cutout, clients, backup, refused_port, client):
    dest = f"127.0.0.2:{backup.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (TRIP + 2)), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert result.breakers(outcome="fail") == ["carrier"] * TRIP
    served = result.breakers(outcome="ok")
    assert set(served) == {"backup"} and len(served) >= 2
    assert result.refusals() == []


@pytest.mark.parametrize("dest", ["127.0.0.2", BACKUP])
def test_a_connect_that_does_not_wait_reaches_the_fallback(cutout, backup, refused_port, dest):
    dest = f"{dest}:{backup.port}"
    where = f"{NAME}:{refused_port}"
    result = cutout(*STEPS, *[f"connect={where}"] * TRIP, f"poll={where}", f"poll={where}",
                    hosts=HOSTS, rules=rules(dest, backup=dest))
    assert result.lines[TRIP:] == ["EINPROGRESS 0 0"] * 2
    assert result.breakers(outcome="ok") == ["backup"] * 2


def test_a_v4_mapped_connect_reaches_an_ipv4_fallback(cutout, backup, refused_port):
    dest = f"127.0.0.2:{backup.port}"
    where = f"{NAME}:{refused_port}"
    result = cutout(*STEPS, *[f"mapped={where}"] * (TRIP + 1), hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert result.lines[TRIP:] == ["::ffff:127.0.0.2"]
    assert result.breakers(outcome="ok") == ["backup"]


def test_an_ipv6_socket_that_takes_ipv4_reaches_an_ipv4_fallback(cutout, backup, refused_port):
    dest = f"127.0.0.2:{backup.port}"
    result = cutout(*STEPS, *[f"six=::1:{refused_port}"] * (TRIP + 1),
                    rules=rules(dest, match="[::1]", backup=dest))
    assert result.lines[TRIP:] == ["::ffff:127.0.0.2"]
    assert result.breakers(outcome="ok") == ["backup"]


def test_a_forked_child_is_served_as_well(cutout, backup, refused_port):
    dest = f"127.0.0.2:{backup.port}"
    where = f"{NAME}:{refused_port}"
    result = cutout(*STEPS, *[f"connect={where}"] * TRIP, f"child=connect={where}", hosts=HOSTS,
                    rules=rules(dest, backup=dest))
    assert result.lines[TRIP:] == ["127.0.0.2"]
    assert result.breakers(outcome="ok") == ["backup"]


def test_the_programs_of_a_tree_are_served_alike(tree, backup, refused_port):
    url = f"http://{NAME}:{refused_port}/ok"
    script = f"for n in 1 2 3 4 5; do curl -s --resolve {NAME}:{refused_port}:127.0.0.1 {url}; done"
    dest = f"127.0.0.2:{backup.port}"
    result = tree("sh", "-c", script, rules=rules(dest, backup=dest),
                  log="debug").running.finish()
    assert result.stdout == "ok\n" * 2
    assert result.breakers(outcome="ok") == ["backup"] * 2


@pytest.mark.parametrize("client", ["urllib", "curl"])
def test_a_fallback_that_no_section_fits_serves_uncounted(
        cutout, clients, backup, refused_port, client):
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (TRIP + 2)), hosts=HOSTS,
                    rules=rules(f"127.0.0.2:{backup.port}", backup=None))
    assert result.breakers() == ["carrier"] * TRIP
    assert len(backup.log("request")) == 2
    assert result.refusals() == []


@pytest.mark.parametrize("client", ["urllib", "curl"])
def test_each_region_goes_to_the_fallback_for_itself(
        cutout, clients, make_server, backup, refused_port, client):
    alive = make_server(bind=["127.0.0.1"])
    hosts = "".join(f"127.0.0.1 api.{region}.cloud.example\n" for region in ("east", "west"))
    dead = f"http://api.east.cloud.example:{refused_port}/ok"
    good = f"http://api.west.cloud.example:{alive.port}/ok"
    result = cutout(*clients(client, 20, *[dead, good] * (TRIP + 1)), hosts=hosts + HOSTS,
                    rules=rules(f"{BACKUP}:{backup.port}", match="api.{region}.cloud.example"))
    assert result.breakers() == ["carrier/east", "carrier/west"] * TRIP + ["backup", "carrier/west"]
    assert len(alive.log("request")) == TRIP + 1


def test_a_fallback_has_no_part_in_a_chain(cutout, clients, backup, make_server, refused_port):
    """What an open fallback would fall back to is for those who call that one."""
    down = make_server(bind=["127.0.0.3"])
    down.mode("refuse")
    first = f"127.0.0.3:{down.port}"
    text = rules(first, backup=first) + f"fallback = 127.0.0.2:{backup.port}\ncooldown = 1h\n"
    url, direct = f"http://{NAME}:{refused_port}/ok", f"http://{first}/ok"
    result = cutout(*clients("urllib", 20, *[url] * (2 * TRIP + 1), direct), hosts=HOSTS,
                    rules=text)
    assert len(result.refusals()) == 1
    assert f"carrier's fallback {first} is unavailable as well." in result.lines[-2]
    assert result.lines[-1] == "200 ok"


@pytest.mark.parametrize("client", ["urllib", "curl"])
def test_an_answer_over_http_names_the_fallback_that_is_down(
        cutout, clients, make_server, refused_port, client):
    down = make_server(bind=["127.0.0.2"])
    down.mode("refuse")
    dest = f"127.0.0.2:{down.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    result = cutout(*clients(client, 20, *[url] * (2 * TRIP + 1)), hosts=HOSTS,
                    rules=rules(dest, "answer = http\nmessage = Away.", backup=dest))
    assert f"Away. carrier's fallback {dest} is unavailable as well." in result.stdout


def test_a_fallback_without_a_port_is_named_where_its_section_has_one(
        cutout, clients, make_server):
    down = make_server(bind=["127.0.0.2"])
    down.mode("refuse")
    url = f"http://{NAME}:{down.port}/ok"
    result = cutout(*clients("urllib", 20, *[url] * (2 * TRIP + 1)), hosts=HOSTS,
                    rules=rules("127.0.0.2", backup=f"127.0.0.2:{down.port}"))
    assert "carrier's fallback 127.0.0.2 is unavailable as well." in result.lines[-1]


def test_a_kept_connection_ends_and_the_next_one_leads_to_the_fallback(cutout, primary, backup):
    primary.mode("auto")
    where = f"{NAME}:{primary.port}"
    dead = f"{NAME}:9"
    result = cutout(*STEPS, f"open={where}", *[f"connect={dead}"] * TRIP, "ask", f"open={where}",
                    "ask", hosts=HOSTS, rules=rules("127.0.0.2", backup="127.0.0.2"))
    assert result.lines[0] == "HTTP/1.1 200 Status-200"
    assert "carrier is temporarily unavailable" in result.lines[TRIP + 1]
    assert result.lines[TRIP + 2:] == ["HTTP/1.1 200 Status-200"] * 2
    assert [len(s.log("request")) for s in (primary, backup)] == [1, 2]


def test_probes_go_to_the_primary(cutout, clients, backup, refused_port):
    dest = f"127.0.0.2:{backup.port}"
    url = f"http://{NAME}:{refused_port}/ok"
    quick = "cooldown = 1s\ncooldown_max = 1s\ncooldown_jitter = 0%\nprobe_interval = 100ms"
    result = cutout(*clients("urllib", 20, *[url] * TRIP, *[url, 0.5] * 8), hosts=HOSTS,
                    rules=rules(dest, quick, backup=dest))
    probes = result.of("probe")
    assert probes and {p["outcome"] for p in probes} == {"fail"}
    assert all(p["target"].endswith(f":{refused_port}") for p in probes)
    assert result.breakers(outcome="ok") == ["backup"] * 8


def test_what_was_told_instead_leads_to_the_primary_when_that_is_back(cutout, primary, backup):
    """Who keeps what a look-up told does not stay with the fallback."""
    primary.mode("refuse")
    where = f"{NAME}:{primary.port}"
    running = cutout.start(*STEPS, *[f"connect={where}"] * TRIP, f"look={where}", "1.5",
                           f"same={where}", hosts=HOSTS, rules=rules(BACKUP, AT_ONCE))
    while not any(e["event"] == "transition" for e in running.events()):
        pass
    primary.mode("auto")
    result = running.finish()
    assert result.lines[TRIP:] == ["127.0.0.2", "127.0.0.1"]
    assert result.breakers(outcome="ok") == ["carrier"]


def test_an_address_that_the_program_knows_as_the_fallbacks_own_stays_so(
        cutout, primary, backup):
    """It was looked up under its own name before it was told for another."""
    where, own = f"{NAME}:{primary.port}", f"{BACKUP}:{primary.port}"
    result = cutout(*STEPS, f"look={own}", *[f"connect={where}"] * TRIP, f"look={own}",
                    f"connect={where}", f"look={where}", "1.5", f"same={where}", hosts=HOSTS,
                    rules=rules(BACKUP, AT_ONCE))
    assert result.lines[-1] == "127.0.0.2"
    assert result.breakers(outcome="ok") == ["backup"] * 2


def test_such_an_address_is_not_told_where_its_port_would_be_another(
        cutout, refused_port, backup):
    where, own = f"{NAME}:{refused_port}", f"{BACKUP}:{backup.port}"
    result = cutout(*STEPS, f"look={own}", *[f"connect={where}"] * TRIP, f"look={where}",
                    f"same={where}", hosts=HOSTS, rules=rules(own))
    assert result.lines[-2:] == ["127.0.0.1", "127.0.0.2"]
    assert result.breakers(outcome="ok") == ["backup"]


def test_a_handle_is_left_as_the_program_set_it(cutout, make_server, backup, refused_port):
    """Its own CONNECT_TO stands beside the fallback, and alone afterwards, in copies too."""
    other = make_server(bind=["127.0.0.3"])
    dead, own = f"http://{NAME}:{refused_port}/ok", "http://other.example:9/ok"
    result = cutout(*CURL, f"--connect-to=other.example:9:127.0.0.3:{other.port}", own,
                    *[dead] * (TRIP + 1), own, "copy", own, dead, own, hosts=HOSTS,
                    rules=rules(f"{BACKUP}:{backup.port}"))
    told = [line.split()[:3] for line in result.lines]
    here, there = ["0", "200", "127.0.0.3"], ["0", "200", "127.0.0.2"]
    assert told[0] == here
    assert told[TRIP + 1:] == [there, here, here, there, here]


def test_a_connection_to_the_fallback_is_not_taken_for_one_to_the_primary(
        cutout, primary, backup):
    """Nor the other way round, though libcurl keeps both."""
    url = f"http://{NAME}:{primary.port}"
    broken = f"{url}/status/500"
    primary.mode("auto")
    result = cutout(*CURL, f"{url}/ok", *[broken] * TRIP, f"{url}/ok", f"{url}/ok", 1.3,
                    f"{url}/ok", f"{url}/ok", hosts=HOSTS, rules=rules("127.0.0.2", AT_ONCE))
    told = [line.split()[2:4] for line in result.lines]
    here, there = "127.0.0.1", "127.0.0.2"
    assert [address for address, _ in told] == [here] * (TRIP + 1) + [there] * 2 + [here] * 2
    assert told[TRIP + 1:TRIP + 3] == [[there, "1"], [there, "0"]]
    assert told[-1] == [here, "0"]


@pytest.mark.parametrize("client", ["requests", "curl", "fetch"])
def test_the_certificate_of_a_fallback_must_be_for_the_name_that_was_asked_for(
        cutout, clients, make_server, certs, refused_port, client):
    """Not for the fallback's own one."""
    backup = make_server(certs=certs, bind=["127.0.0.2"])
    url = f"https://{BACKUP}:{refused_port}/ok"
    hosts = f"127.0.0.1 {BACKUP}\n127.0.0.2 {NAME}\n"
    result = cutout(*clients(client, 20, *[url] * (TRIP + 2)), hosts=hosts, env=backup.env,
                    rules=rules(f"{NAME}:{backup.port}", match=BACKUP, backup=NAME))
    assert result.breakers(outcome="fail")[:TRIP] == ["carrier"] * TRIP
    assert backup.log("connect") != []
    assert backup.log("request") == []


def test_dependencies_with_one_fallback_are_not_taken_for_each_other(
        cutout, primary, backup):
    """The second one is told its own address, which leads to the fallback as well."""
    primary.mode("refuse")
    first, second = f"{NAME}:{primary.port}", f"second.example:{primary.port}"
    text = rules(BACKUP) + rules(BACKUP, backup=None, match="second.example").replace(
        "[carrier]", "[second]")
    result = cutout(*STEPS, *[f"connect={first}", f"connect={second}"] * TRIP, f"look={first}",
                    f"look={second}", f"same={second}", rules=text,
                    hosts=HOSTS + "127.0.0.3 second.example\n")
    assert result.lines[2 * TRIP:] == ["127.0.0.2", "127.0.0.3", "127.0.0.2"]
    assert result.breakers(outcome="ok") == ["backup"]


@pytest.mark.parametrize("other, told", [("127.0.0.1", "is temporarily unavailable"),
                                         ("127.0.0.4", "127.0.0.2")])
def test_an_address_that_may_be_meant_for_another_name_leads_to_no_fallback(
        cutout, backup, refused_port, other, told):
    """Threads look up, as those of an event loop do, and another one connects."""
    where = f"{NAME}:{refused_port}"
    result = cutout(*STEPS, *[f"connect={where}"] * TRIP, f"thread=look=another.example:9",
                    f"thread=look={where}", f"thread=own={where}",
                    hosts=HOSTS + f"{other} another.example\n",
                    rules=rules(f"127.0.0.2:{backup.port}"))
    assert told in result.lines[-1]


def test_a_region_may_be_the_fallback_of_the_others_and_not_its_own(
        cutout, clients, backup, make_server, refused_port):
    down = make_server(bind=["127.0.0.1"])
    down.mode("refuse")
    hosts = "127.0.0.1 api.east.cloud.example\n127.0.0.2 api.west.cloud.example\n"
    text = rules(f"api.west.cloud.example:{backup.port}", match="api.{region}.cloud.example",
                 backup=None)
    east, west = (f"http://api.{region}.cloud.example:{refused_port}/ok"
                  for region in ("east", "west"))
    result = cutout(*clients("urllib", 20, *[east] * (TRIP + 1), *[west] * (TRIP + 1), east),
                    hosts=hosts, rules=text)
    assert result.breakers() == (["carrier/east"] * TRIP + ["carrier/west"] * (TRIP + 1))
    assert [r["breaker"] for r in result.refusals()] == ["carrier/west", "carrier/east"]
    assert "fallback" not in result.lines[-2]
    assert f"fallback api.west.cloud.example:{backup.port} is unavailable" in result.lines[-1]


@pytest.mark.parametrize("family, address", [("-4", "[::1]"), ("-6", "127.0.0.2")])
def test_a_fallback_of_a_family_that_the_program_rules_out_is_passed_over(
        cutout, make_server, refused_port, family, address):
    server = make_server(bind=[address.strip("[]")])
    dest = f"{address}:{server.port}"
    result = cutout("curl", "-sS", family, *[f"http://{NAME}:{refused_port}"] * (TRIP + 1),
                    hosts=f"127.0.0.1 {NAME}\n::1 {NAME}\n", rules=rules(dest, backup=dest))
    assert result.breakers() == ["carrier"] * TRIP
    assert "carrier is temporarily unavailable" in result.stderr
