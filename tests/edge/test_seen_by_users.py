"""What the user of each client reads while a breaker is open, over http and https, with both
kinds of answer, on new connections and on one that stood when it opened. `make client-table`
writes what came of it to README.md."""

import json
import os
import re
import subprocess
import time
from collections import namedtuple
from pathlib import Path

import pytest

from support.matrix import HOST, HOSTS, WAITS_S
from support.run import much_less, need
from support.seen import (ALL, MESSAGE, QUICK, RECORD, USERS, can_show, command, node_packages,
                          shown, words)

RULES = f"""
[carrier]
match = {HOST}
consecutive = 1
cooldown = 10m
answer = {{answer}}
message = {MESSAGE}
"""
INTO = os.environ.get("CUTOUT_CLIENT_RESULTS")
TRIES = 4           # of one call: by urllib3's Retry(3)

Line = namedtuple("Line", "ms text")


def matrix(cells):
    return pytest.mark.parametrize("name, scheme, answer, kind", [
        pytest.param(*cell, id="-".join(cell), marks=[] if cell in QUICK else pytest.mark.long)
        for cell in cells])


@pytest.fixture
def mcp_server(shared_directory, certs):
    """mcp_server(SCHEME) starts one, and gives its URL."""
    servers = []

    def start(scheme):
        files = [str(certs.cert), str(certs.key)] if scheme == "https" else []
        server = subprocess.Popen(
            [need("node"), str(node_packages(shared_directory) / "mcp_http_server.mjs"), *files],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        servers.append(server)
        return f"{scheme}://{HOST}:{int(server.stdout.readline())}/mcp"
    yield start
    for server in servers:
        server.stdin.close()
        server.wait(timeout=20)


@pytest.fixture
def ask(tree, make_server, certs, clients, shared_directory, refused_port, mcp_server):
    """ask(NAME, SCHEME, ANSWER, KIND): the lines that tell of refusals, and how often each of
    these calls was tried; more is text for the rules."""
    def ask(name, scheme, answer, kind, more=""):
        user = USERS[name]
        server = make_server(certs=certs if scheme == "https" else None)
        url = mcp_server(scheme) if name == "mcp" and kind == "pooled" else server.url("/ok", HOST)
        trip = f"{scheme}://{HOST}:{refused_port}/ok"
        if user.pools == "server" and kind == "pooled":
            trip = server.url("/status/500", HOST)
        asked, count = words(name, kind, url, trip)
        env = {**server.env, "NODE_NO_WARNINGS": "1", "GIT_TERMINAL_PROMPT": "0"}
        running = tree(*command(name, clients, shared_directory, asked), hosts=HOSTS, env=env,
                       log="debug", rules=RULES.format(answer=answer) + more).running
        lines = timed(running, sum("/" in word for word in asked))[-count:]
        result = running.finish()
        assert len(result.transitions()) == 1
        dest = url.split("/")[2]
        return lines, -(-len(result.refusals(dest=dest)) // count)
    return ask


def timed(running, count):
    """The lines that a program says, and how long each took."""
    lines = []
    before = time.monotonic()
    for _ in range(count):
        text = running.line()
        now = time.monotonic()
        lines.append(Line(1000 * (now - before), text))
        before = now
    return lines


def found(lines, tries):
    """As it stands in the record: what was shown, of the first call and of later ones where
    that differs, and how often a call was tried."""
    texts = [shown(line.text) for line in lines]
    return {"shown": texts[:1] if len(set(texts)) == 1 else texts, "tries": tries}


@matrix(ALL)
def test_what_a_refused_client_shows(ask, name, scheme, answer, kind):
    lines, tries = ask(name, scheme, answer, kind)
    cell = found(lines, tries)
    assert 1 <= tries <= TRIES
    assert all(much_less(line.ms, 1000 * WAITS_S) for line in lines)
    if can_show(name, scheme, answer, kind):
        assert all("bytes" in text or text == "whole" for text in cell["shown"][-1:])
    if INTO:
        least_ms = round(min(line.ms for line in lines))
        Path(INTO, "-".join(["seen", name, scheme, answer, kind])).write_text(json.dumps(
            {"cell": [name, scheme, answer, kind], **cell, "ms": least_ms}))
    else:
        record = json.loads(RECORD.read_text())[name][scheme][answer][kind]
        assert cell == {key: record[key] for key in cell}


@pytest.mark.long
@pytest.mark.parametrize("name, answer, more, tries", [
    ("got", "http", "answer_status = 503", 3), ("ky", "http", "answer_status = 503", 3),
    ("curl_retry", "http", "answer_status = 503", 4),
    ("urllib3", "http", "answer_status = 503", 1), ("wget", "http", "answer_status = 503", 1),
    ("openai", "http", "answer_status = 503", 1), ("anthropic", "http", "answer_status = 503", 1),
    ("got", "text", "refuse_errno = EHOSTUNREACH", 1),
    ("ky", "text", "refuse_errno = EHOSTUNREACH", 3),
    ("wget", "text", "refuse_errno = EHOSTUNREACH", 1),
    ("curl_retry", "text", "refuse_errno = EHOSTUNREACH", 1),
    ("openai", "text", "refuse_errno = EHOSTUNREACH", 3)])
def test_how_often_a_client_tries_depends_on_the_rules(ask, name, answer, more, tries):
    assert ask(name, "http", answer, "fresh", more + "\n")[1] == tries


@pytest.mark.parametrize("status, tries", [(424, 1), (503, 2)])
def test_curl_tries_a_503_again_and_no_424(tree, refused_port, status, tries):
    rules = RULES.format(answer="http") + f"answer_status = {status}\n"
    url = f"http://{HOST}:{refused_port}/ok"
    result = tree("sh", "-c", 'curl -sS "$0"; curl -sS --retry 1 "$0"', url, rules=rules,
                  hosts=HOSTS).running.finish()
    assert len(result.refusals()) == tries
    assert MESSAGE in result.stdout and result.stdout.endswith(f'"status":{status}}}')


@pytest.mark.parametrize("program, prefix", [
    (["curl", "-sS"], "curl: (7) "),
    (["/usr/bin/python3", "-c", """
import sys, urllib.request
try:
    urllib.request.urlopen(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)"""], "<urlopen error [Errno 111] ")], ids=["curl", "python"])
def test_the_default_message_is_shown_whole(tree, refused_port, program, prefix):
    rules = f"[carrier.tracking.service]\nmatch = {HOST}\nconsecutive = 1\ncooldown = 10m\n"
    result = tree("sh", "-c", '"$@"; "$@"', "sh", *program, f"http://{HOST}:{refused_port}/",
                  rules=rules, hosts=HOSTS).running.finish()
    said = result.stderr.splitlines()[-1].removesuffix(">")
    assert said.startswith(prefix + "carrier.tracking.service is temporarily unavailable (circuit")
    assert re.search(r"\. Do not retry now\. .* Next check in \d+m( \d+s)?\.$", said)
