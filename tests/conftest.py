"""What every test may use; support/ has the details.

    server, tls_server        a real HTTP server: url(path), mode(name), log(), requests()
    refused_port              a loopback port on which nobody listens
    blackhole                 a namespace where connects neither succeed nor fail:
                              run a program there with inside=blackhole.inside
    full_backlog              the same on loopback, without a namespace
    bare, cutout              run a program without and with the shim
    compare                   run it both ways, assert that nobody could tell
    tree                      a program under `cutout run`
    compiled                  a C program of support/clients
    clients                   the command lines of the client programs
"""

import fcntl
import os
from types import SimpleNamespace

import pytest

from support.certs import Certs
from support.network import Blackhole, FullBacklog, RefusedPort
from support.programs import Clients
from support.run import Runner, same
from support.servers import Server
from support.tree import Tree, build


@pytest.fixture(scope="session")
def shared_directory(tmp_path_factory):
    """One for the whole run, however many workers it has."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def certs(shared_directory):
    with open(shared_directory / "certs.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        directory = shared_directory / "certs"
        directory.mkdir(exist_ok=True)
        return Certs(directory)


@pytest.fixture(scope="session")
def clients(shared_directory):
    return Clients(shared_directory)


@pytest.fixture
def make_server(tmp_path):
    """make_server(certs=, inside=, bind=, port=): any number of servers."""
    servers = []

    def make(**options):
        servers.append(Server(tmp_path, **options))
        return servers[-1]
    yield make
    for server in servers:
        server.stop()


@pytest.fixture
def backup(make_server):
    """At an address of its own."""
    return make_server(bind=["127.0.0.2"])


@pytest.fixture
def server(make_server):
    return make_server()


@pytest.fixture
def tls_server(make_server, certs):
    """https; a program trusts it with env=tls_server.env."""
    return make_server(certs=certs)


@pytest.fixture
def refused_port():
    held = RefusedPort()
    yield held.port
    held.stop()


@pytest.fixture
def blackhole(tmp_path):
    hole = Blackhole(tmp_path)
    yield hole
    hole.stop()


@pytest.fixture
def full_backlog():
    listener = FullBacklog()
    yield listener
    listener.stop()


@pytest.fixture
def runner(tmp_path):
    runner = Runner(tmp_path)
    yield runner
    runner.end()


@pytest.fixture
def bare(runner):
    """bare(PROGRAM, ARG..., env=, inside=, hosts=, strace=, cwd=, timeout=, input=)"""
    def run(program, *args, **options):
        return runner.run(program, *args, **options)
    run.start = runner.start
    return run


@pytest.fixture
def cutout(runner):
    """The same under the shim, with rules=TEXT, log=LEVEL (None: as the user has
    it when he sets nothing) and state=. cutout.start() does not wait."""
    def run(program, *args, rules="[*]\n", **options):
        return runner.run(program, *args, rules=rules, **options)

    def start(program, *args, rules="[*]\n", **options):
        return runner.start(program, *args, rules=rules, **options)
    run.start = start
    return run


@pytest.fixture
def compare(runner):
    """compare(PROGRAM, ARG..., rules=, mask=, ...) -> .bare and .cutout"""
    def run(program, *args, rules="[*]\n", log="debug", state=None, mask=None, **options):
        without = runner.run(program, *args, **options)
        with_shim = runner.run(program, *args, rules=rules, log=log, state=state, **options)
        same(without, with_shim, mask)
        return SimpleNamespace(bare=without, cutout=with_shim)
    return run


@pytest.fixture
def tree(runner):
    """tree(PROGRAM, ARG..., rules=, log=, options=): under `cutout run`; see support/tree.py."""
    def start(program, *args, **options):
        return Tree(runner, program, *args, **options)
    return start


@pytest.fixture(scope="session")
def compiled(shared_directory):
    """compiled(NAME, OPTION...): the program that support/clients/NAME.c becomes."""
    def compiled(name, *options):
        return build(shared_directory, name, *options)
    return compiled
