"""Programs that use the multi interface of libcurl: git, `curl --parallel`, pycurl, PHP, R."""

import os
import subprocess
import uuid
from pathlib import Path

import pytest

from support.programs import HERE as CLIENTS
from support.run import clean_environment, need

TRIP = 3                # bad calls in a row
MESSAGE = "The carrier is away."
RULES = f"""
[carrier]
match = 127.0.0.1:{{port}}
consecutive = {TRIP}
cooldown = 1m
message = {MESSAGE}
"""
# Each a program with the words before its URLs, and what a refusal looks like in its output;
# PHP shows no error that it was not told of.
ONE_BY_ONE = {
    "pycurl by select": (["/usr/bin/python3", CLIENTS / "pycurl_multi.py", "select"],
                         f"7 0 {MESSAGE}"),
    "pycurl by sockets": (["/usr/bin/python3", CLIENTS / "pycurl_multi.py", "sockets"],
                          f"7 0 {MESSAGE}"),
    "php": (["php", CLIENTS / "php_multi.php", "read"], f"7 0 {MESSAGE}"),
    "php without messages": (["php", CLIENTS / "php_multi.php", "unread"], None),
    "R": (["Rscript", "--vanilla", CLIENTS / "r_multi.R"], f"failed: {MESSAGE}"),
    "curl": (["curl", "-sS", "-m", "2", "--parallel", "--parallel-max", "1"],
             f"curl: (7) {MESSAGE}"),
}
SANITIZED = os.environ.get("CUTOUT_SANITIZERS", "") != ""


@pytest.fixture(params=ONE_BY_ONE)
def client(request, cutout):
    words, refused = ONE_BY_ONE[request.param]
    if words[0] == "php" and SANITIZED:
        pytest.skip("a sanitizer's run-time ends who gives RTLD_DEEPBIND")

    def run(port, *urls, **options):
        result = cutout(*words, *urls, rules=RULES.format(port=port), **options)
        told = [line for line in [*result.lines, *result.stderr.splitlines()]
                if refused and line.endswith(refused)]
        assert refused is None or len(told) == len(result.refusals())
        return result
    return run


def outcomes(result):
    return [(call["edge"], call["outcome"], call["detail"]) for call in result.calls()]


def assert_tripped(result, detail):
    assert outcomes(result) == [("curl", "fail", detail)] * TRIP
    assert len(result.refusals()) == 2
    assert result.network_while_refused() == []


def test_nobody_listens(client, refused_port):
    url = f"http://127.0.0.1:{refused_port}/"
    result = client(refused_port, *[url] * (TRIP + 2), strace=True)
    assert_tripped(result, "curl-7")
    assert len(result.connects(refused_port)) == TRIP


@pytest.mark.parametrize("path, detail", [
    ("/status/503", "503"), ("/hang", "curl-28"), ("/reset", "curl-56"), ("/close", "curl-52")])
def test_bad_answers(client, server, path, detail):
    result = client(server.port, *[server.url(path)] * (TRIP + 2), strace=True)
    assert_tripped(result, detail)
    assert len(server.requests()) == TRIP


def test_later_requests_of_a_kept_connection_are_calls(client, server):
    result = client(server.port, *[server.url()] * 2,
                    *[server.url("/status/503")] * (TRIP + 1), server.url())
    assert outcomes(result) == [("curl", "ok", "200")] * 2 + [("curl", "fail", "503")] * TRIP
    assert len(result.refusals()) == 2
    assert server.connections() == 1


def test_all_at_once_over_tls(cutout, tls_server):
    urls = [tls_server.url()] * 5 + [tls_server.url("/status/503")]
    result = cutout("curl", "-sS", "--parallel", "--parallel-immediate", *urls,
                    env=tls_server.env, rules=RULES.format(port=tls_server.port))
    assert sorted(outcomes(result)) == [("curl", "fail", "503")] + [("curl", "ok", "200")] * 5


def test_curl_tells_nothing_of_how_it_is_refused(cutout, refused_port):
    url = f"http://127.0.0.1:{refused_port}/"
    result = cutout("curl", "-v", "-sS", "--parallel", "--parallel-max", "1",
                    *[url] * (TRIP + 1), rules=RULES.format(port=refused_port))
    assert f"curl: (7) {MESSAGE}" in result.stderr
    assert "URL" not in result.stderr


@pytest.mark.parametrize("arguments", [
    [], ["-w", "%{http_code} %{num_connects} %{url_effective} %{errormsg} %{exitcode}\n"],
    ["-I"], ["-d", "x=y"], ["--fail"], ["--retry", "1", "--retry-delay", "1"]])
def test_nobody_can_tell(compare, server, arguments):
    both = compare("curl", "-sS", "--parallel", "--parallel-max", "1", *arguments, server.url(),
                   server.url("/status/503"), mask=rb"DL%.*\n|--  .*\n|\r.*?(?=[\r\n])",
                   rules=RULES.format(port=server.port))
    assert {call["edge"] for call in both.cutout.calls()} == {"curl"}


# ---- git, whose every command is a process of its own

@pytest.fixture
def state():
    path = Path(f"/dev/shm/cutout-{uuid.uuid4()}")
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture
def git(cutout, state):
    def run(port, *words, times=1, **options):
        again = 'n=$1; shift; for i in $(seq $n); do "$@"; done'
        return cutout("sh", "-c", again, "sh", times, need("git"), *words, state=state,
                      rules=RULES.format(port=port),
                      env={"GIT_HTTP_LOW_SPEED_LIMIT": "1", "GIT_HTTP_LOW_SPEED_TIME": "1"},
                      **options)
    return run


def assert_git_tripped(result, detail):
    assert outcomes(result) == [("curl", "fail", detail)] * TRIP
    refused = [line for line in result.stderr.splitlines() if line.startswith("fatal")][TRIP:]
    assert len(refused) == len(result.refusals()) == 2
    assert all(line.endswith(f": {MESSAGE}") for line in refused)


def test_git_meets_nobody(git, refused_port):
    result = git(refused_port, "ls-remote", f"http://127.0.0.1:{refused_port}/x.git",
                 times=TRIP + 2, strace=True)
    assert_git_tripped(result, "curl-7")
    assert len(result.connects(refused_port)) == TRIP


@pytest.mark.parametrize("mode, detail", [("503", "503"), ("hang", "curl-28"),
                                          ("reset", "curl-56")])
def test_git_meets_bad_answers(git, server, mode, detail):
    server.mode(mode)
    result = git(server.port, "ls-remote", server.url("/x.git"), times=TRIP + 2)
    assert_git_tripped(result, detail)
    assert len(server.requests()) == TRIP


@pytest.fixture
def repository(tmp_path):
    """What `git clone` finds behind a plain server of files: several transfers."""
    def run(*words):
        subprocess.run([need("git"), *words], check=True, capture_output=True, cwd=tmp_path,
                       env={**clean_environment(tmp_path), "GIT_AUTHOR_NAME": "a",
                            "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
                            "GIT_COMMITTER_EMAIL": "a@b"})
    run("init", "-q", "source")
    for name in "abc":
        (tmp_path / "source" / name).write_text(name)
        run("-C", "source", "add", name)
        run("-C", "source", "commit", "-qm", name)
    run("clone", "-q", "--bare", "source", "served/x.git")
    run("-C", "served/x.git", "update-server-info")
    serve = subprocess.Popen([need("/usr/bin/python3"), "-u", "-m", "http.server", "--bind",
                              "127.0.0.1", "--directory", tmp_path / "served", "0"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    yield int(serve.stdout.readline().split("port ")[1].split()[0])
    serve.kill()
    serve.wait()


def test_git_clones(git, repository, tmp_path):
    result = git(repository, "clone", "-q", f"http://127.0.0.1:{repository}/x.git",
                 tmp_path / "copy")
    assert result.returncode == 0
    assert [(tmp_path / "copy" / name).read_text() for name in "abc"] == ["a", "b", "c"]
    assert {outcome for _, outcome, _ in outcomes(result)} == {"ok"}
    assert {edge for edge, _, _ in outcomes(result)} == {"curl"}
    assert len(outcomes(result)) > 5
