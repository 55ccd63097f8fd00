"""PHP, which loads its extensions with RTLD_DEEPBIND, and its streams, which it has
in itself."""

import os

import pytest

from support.programs import HERE as CLIENTS

TRIP = 3                # bad calls in a row
ATTEMPTS = 2 * TRIP
MESSAGE = "The carrier is away."
RULES = f"""
[carrier]
match = 127.0.0.1:{{port}}
consecutive = {TRIP}
cooldown = 1m
message = {MESSAGE}
"""
TIMEOUT_S = 2

pytestmark = pytest.mark.skipif(os.environ.get("CUTOUT_SANITIZERS", "") != "",
                                reason="a sanitizer's run-time ends who gives RTLD_DEEPBIND")


@pytest.fixture
def php(cutout):
    def run(how, url, attempts=ATTEMPTS, **options):
        port = url.split(":")[2].split("/")[0]
        return cutout("php", CLIENTS / "php_loop.php", how, TIMEOUT_S, *[url] * attempts,
                      rules=RULES.format(port=port), **options)
    return run


def outcomes(result):
    return [(call["edge"], call["outcome"], call["detail"]) for call in result.calls()]


def test_an_answer_to_curl_is_one_call(php, server):
    result = php("curl", server.url("/ok"))
    assert result.lines == ["200 ok"] * ATTEMPTS
    assert outcomes(result) == [("curl", "ok", "200")] * ATTEMPTS


@pytest.mark.parametrize("path, detail, text", [
    ("/status/503", "503", "503 503"), ("/hang", "curl-28", "28 Operation timed out")])
def test_bad_answers_to_curl_open_the_breaker_and_the_error_says_so(php, server, path, detail,
                                                                    text):
    result = php("curl", server.url(path))
    assert outcomes(result) == [("curl", "fail", detail)] * TRIP
    assert all(line.startswith(text) for line in result.lines[:TRIP])
    assert result.lines[TRIP:] == [f"7 {MESSAGE}"] * TRIP
    assert len(server.requests()) == TRIP


def test_curl_that_nobody_listens_to_opens_the_breaker(php, refused_port):
    result = php("curl", f"http://127.0.0.1:{refused_port}/")
    assert outcomes(result) == [("curl", "fail", "curl-7")] * TRIP
    assert result.lines[TRIP:] == [f"7 {MESSAGE}"] * TRIP


def test_streams_that_nobody_listens_to_open_the_breaker(php, refused_port):
    result = php("streams", f"http://127.0.0.1:{refused_port}/")
    assert [call["detail"] for call in result.calls()] == ["ECONNREFUSED"] * TRIP
    assert all(line.endswith(MESSAGE) for line in result.lines[TRIP:])
    assert len(result.refusals()) == TRIP


@pytest.mark.parametrize("how", ["curl", "streams"])
def test_php_says_the_same_as_without(compare, server, how):
    urls = [server.url(path) for path in ("/ok", "/status/503", "/bytes/100000", "/close")]
    compare("php", CLIENTS / "php_loop.php", how, TIMEOUT_S, *urls, mask=rb"after \d+ ms")
