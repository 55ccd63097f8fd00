"""While nothing is open nobody can tell that the shim is there: output and
exit code are the same to the byte."""

import pytest

from support.programs import CLIENTS, TLS_CLIENTS, VOLATILE

MATCHING = "[carrier]\nmatch = 127.0.0.1\nmatch = [::1]\nmatch = localhost\n"

# As a user has it who sets nothing but LD_PRELOAD, and with every call logged.
SETTINGS = {"by-default": {"rules": "[*]\n", "log": None},
            "logging": {"rules": "[*]\n", "log": "debug"},
            "matching": {"rules": MATCHING, "log": "debug"}}

CURL = {"curl": ["curl", "-sS", "-i"], "curl-fail": ["curl", "-sS", "--fail"],
        "curl-verbose": ["curl", "-sv", "-o", "/dev/null"]}


@pytest.fixture(params=SETTINGS)
def setting(request):
    return SETTINGS[request.param]


def command(clients, name, url):
    """Two attempts: the second goes over a kept connection where there is one."""
    if name in CURL:
        return [*CURL[name], url, url]
    return clients(name, 20, url, url)


@pytest.mark.parametrize("program", [
    ["ls", "-la", "/usr/share"], ["ls", "/no/such/place"], ["git", "--version"],
    ["/usr/bin/python3", "-c", "import os, sys; print(os.getpid() > 0, sys.argv); sys.exit(3)"],
    ["sh", "-c", "kill -TERM $$"], ["bash", "-c", "echo $$ >/dev/null; exit 9"],
    ["node", "-e", "console.log(1 + 1)"], ["curl", "--version"], ["curl", "nonsense://here"],
    ["getent", "hosts", "localhost"], ["cat"]], ids=" ".join)
def test_a_program_that_calls_nobody_is_the_same(compare, setting, program):
    both = compare(*program, input=b"some\ninput\n", **setting)
    assert both.cutout.calls() == [] and both.cutout.transitions() == []


def test_a_program_that_does_not_log_has_its_own_descriptors_alone(compare):
    compare("/usr/bin/python3", "-c", "import os; print(sorted(os.listdir('/proc/self/fd')))",
            **SETTINGS["by-default"])


def test_no_descriptor_is_left_to_what_is_started(compare, setting):
    compare("bash", "-c", "env -u LD_PRELOAD ls /proc/self/fd", **setting)


@pytest.mark.parametrize("path", ["/ok", "/status/404"])
@pytest.mark.parametrize("name", [*CLIENTS, *CURL])
def test_a_client_of_a_healthy_server_is_the_same(compare, clients, server, setting, name, path):
    both = compare(*command(clients, name, server.url(path)), mask=VOLATILE, **setting)
    assert both.cutout.transitions() == [] and both.cutout.refusals() == []
    if setting is SETTINGS["matching"]:
        assert {call["outcome"] for call in both.cutout.calls()} == {"ok"}
    else:
        assert both.cutout.calls() == [], "[*] does not cover loopback"


@pytest.mark.parametrize("name", [*TLS_CLIENTS, "curl"])
def test_a_client_over_tls_is_the_same(compare, clients, tls_server, name):
    both = compare(*command(clients, name, tls_server.url(host="localhost")), mask=VOLATILE,
                   env=tls_server.env, hosts="127.0.0.1 localhost\n", **SETTINGS["matching"])
    assert both.cutout.returncode == 0
    assert "fail" not in {call["outcome"] for call in both.cutout.calls()}


@pytest.mark.parametrize("name", [*CLIENTS, *CURL])
def test_a_client_of_a_refused_port_is_the_same(compare, clients, refused_port, setting, name):
    url = f"http://127.0.0.1:{refused_port}/ok"
    both = compare(*command(clients, name, url), mask=VOLATILE, **setting)
    assert both.cutout.returncode != 0
    if setting is SETTINGS["matching"]:
        assert {call["detail"] for call in both.cutout.calls()} <= {
            "ECONNREFUSED", "curl-7"}
        assert both.cutout.calls() != []


def test_git_of_a_server_that_has_no_repository_is_the_same(compare, server, setting):
    both = compare("git", "ls-remote", server.url("/status/404"), **setting)
    assert "not found" in both.bare.stderr


def test_a_failed_lookup_reads_the_same(compare, blackhole, setting):
    program = ("import socket\ntry: socket.getaddrinfo('no.such.example', 80)\n"
               "except OSError as error: print(error)")
    compare("/usr/bin/python3", "-c", program, inside=blackhole.inside,
            env={"RES_OPTIONS": "timeout:1 attempts:1"}, **setting)
