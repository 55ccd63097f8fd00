"""With `answer = http` a refused transfer of libcurl is one that was answered: by the program's
own callbacks, over both interfaces, for http and https, and without a network."""

import json
import os
import uuid
from pathlib import Path

import pytest

from support.programs import HERE as CLIENTS

MESSAGE = "The carrier is away. Do not retry now."
STATUS_LINE = f"HTTP/1.1 424 {MESSAGE}"
REASON = f"The requested URL returned error: 424 {MESSAGE}"
RULES = f"""
[carrier]
match = 127.0.0.1:{{port}}
consecutive = 1
cooldown = 1m
answer = http
message = {MESSAGE}
[*]
"""
HEAD = [STATUS_LINE, "Content-Type: application/json", "Content-Length: 269",
        "Connection: close", "X-Should-Retry: false", "Cutout-Breaker: carrier", ""]
PAGE = {"error": {"message": MESSAGE, "type": "circuit_open", "code": "circuit_open"},
        "message": MESSAGE, "detail": MESSAGE, "title": MESSAGE, "status": 424}
CALL = '{"jsonrpc":"2.0","id":"id 7","method":"tools/call"%s}'
RESULT = {"jsonrpc": "2.0", "id": "id 7",
          "result": {"content": [{"type": "text", "text": MESSAGE}], "isError": True}}
SANITIZED = os.environ.get("CUTOUT_SANITIZERS", "") != ""
WRITE_OUT = "%{http_code} %{content_type} %{size_download} %{scheme} %{url_effective}\n"


@pytest.fixture(params=["http", "https"])
def url(request, refused_port):
    return f"{request.param}://127.0.0.1:{refused_port}/where?what"


@pytest.fixture
def rules(refused_port):
    return RULES.format(port=refused_port)


@pytest.fixture
def opened(cutout, url, rules):
    """A state in which the breaker is open, for programs that begin with it."""
    path = Path(f"/dev/shm/cutout-{uuid.uuid4()}")
    assert cutout("curl", "-sS", url, rules=rules, state=path).returncode == 7
    yield path
    path.unlink()


@pytest.fixture
def curl(cutout, url, rules):
    """A first transfer fails; what is said of the second is returned, and how it went."""
    def run(*options, **kwargs):
        result = cutout("curl", "-sS", "-m", 20, url, "--next", "-sS", "-m", 20, *options, url,
                        rules=rules, **kwargs)
        assert len(result.calls()) == len(result.refusals(edge="curl")) == 1
        return result
    return run


def pages(result):
    return [json.loads(line) for line in result.lines if line.startswith("{")]


def test_the_answer_has_status_line_headers_and_body(curl):
    result = curl("-i", strace=True)
    assert result.stdout_bytes.decode().split("\r\n")[:7] == HEAD
    assert pages(result) == [PAGE]
    assert result.returncode == 0
    assert {text.split("(")[0].split()[-1] for text in result.network_while_refused()} <= {
        "socketpair"}


def test_nothing_of_the_answer_goes_over_a_network(curl, refused_port):
    result = curl("-x", f"http://127.0.0.1:{refused_port}", "-u", "me:secret", strace=True)
    assert pages(result) == [PAGE]
    assert len(result.connects()) == 1


def test_a_name_is_not_looked_up(cutout, refused_port, rules):
    name = "carrier.invalid"
    trip, refused = f"http://127.0.0.1:{refused_port}/", f"https://{name}/"
    rules = rules.replace("match", f"match = {name}:443\nmatch", 1)
    result = cutout("curl", "-sS", trip, refused, rules=rules, strace=True)
    assert pages(result) == [PAGE]
    assert len(result.connects()) == 1


def test_curl_writes_out_what_came(curl, url):
    result = curl("-o", "page", "-w", WRITE_OUT)
    assert result.stdout == f"424 application/json 269 {url.split(':')[0].upper()} {url}\n"


def test_a_head_has_no_body(curl):
    result = curl("-I")
    assert result.stdout_bytes.decode() == "\r\n".join([*HEAD, ""])


def test_a_client_that_fails_on_errors_shows_the_message(curl):
    result = curl("-f")
    assert result.returncode == 22
    assert result.stderr.splitlines()[-1] == f"curl: (22) {REASON}"
    assert result.stdout == ""


@pytest.mark.parametrize("options", [
    [], ["--http2"], ["--http2-prior-knowledge"], ["-6"], ["--proto", "=http,https"],
    ["--proto-redir", "=https"], ["-L"], ["--tcp-fastopen"], ["--interface", "127.0.0.1"],
    ["--anyauth", "-u", "me:secret"], ["--ntlm", "-u", "me:secret"], ["--ssl-reqd"],
    ["--socks5", "127.0.0.1:1"], ["--doh-url", "https://127.0.0.1:1/"],
    ["--connect-to", "::127.0.0.1:1"]], ids=" ".join)
def test_no_option_of_a_connection_matters(curl, options):
    assert pages(curl(*options)) == [PAGE]


def test_what_libcurl_turns_to_tls_is_refused_in_text(cutout, refused_port, tmp_path):
    hsts = tmp_path / "hsts"
    hsts.write_text('carrier.invalid "20991231 23:59:59"\n')
    rules = RULES.format(port=refused_port).replace("match", "match = carrier.invalid\nmatch", 1)
    result = cutout("curl", "-sS", "--hsts", hsts, f"http://127.0.0.1:{refused_port}/",
                    "http://carrier.invalid/", rules=rules)
    assert result.returncode == 7
    assert result.stderr.splitlines()[-1] == f"curl: (7) {MESSAGE}"
    assert len(result.refusals()) == 1


@pytest.mark.parametrize("options", [["-d"], ["-H", "Expect:", "-d"], ["-F"], ["-T"]],
                         ids=" ".join)
def test_a_large_upload_is_answered(curl, tmp_path, options):
    big = tmp_path / "big"
    big.write_bytes(b"x" * 3_000_000)
    *options, how = options
    words = {"-d": ["-d", f"@{big}"], "-F": ["-F", f"f=@{big}"], "-T": ["-T", big]}[how]
    assert pages(curl(*options, *words)) == [PAGE]


def test_json_rpc_gets_its_own_id_however_large_it_is(curl, tmp_path):
    big = tmp_path / "big"
    big.write_text(CALL % (',"params":{"text":"%s"}' % ("x" * 3_000_000)))
    result = curl("--json", f"@{big}", "-w", "\n" + WRITE_OUT)
    assert pages(result) == [RESULT]
    assert result.lines[-1].startswith("200 application/json ")


def test_an_answer_is_not_retried(curl):
    assert pages(curl("--retry", 3)) == [PAGE]


@pytest.mark.parametrize("options", [[], ["--parallel-immediate"], ["--json", CALL % ""]],
                         ids=lambda words: " ".join(words[:1]))
def test_transfers_at_the_same_time(cutout, url, rules, opened, options):
    many = [word for n in range(8) for word in ("-o", f"page{n}", url)]
    result = cutout("curl", "-sS", "-m", 20, "--parallel", *options, *many, "-w", WRITE_OUT,
                    rules=rules, state=opened)
    assert len(result.refusals(edge="curl")) == 8
    assert [line.split()[0] for line in result.lines] == ["200" if "--json" in options else
                                                          "424"] * 8


def test_git_tells_the_status(cutout, url, rules, opened):
    result = cutout("git", "ls-remote", url, rules=rules, state=opened)
    assert result.stderr.splitlines()[-1].endswith(": The requested URL returned error: 424")
    assert len(result.refusals(edge="curl")) == 1


PROGRAMS = {
    "pycurl by select": ["/usr/bin/python3", CLIENTS / "pycurl_multi.py", "select"],
    "pycurl by sockets": ["/usr/bin/python3", CLIENTS / "pycurl_multi.py", "sockets"],
    "php": ["php", CLIENTS / "php_multi.php", "read"],
    "php without messages": ["php", CLIENTS / "php_multi.php", "unread"],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_see_the_status(cutout, url, rules, program):
    if "php" in program and SANITIZED:
        pytest.skip("a sanitizer's run-time ends who gives RTLD_DEEPBIND")
    result = cutout(*PROGRAMS[program], url, url, url, rules=rules)
    assert [line.strip() for line in result.lines[1:]] == ["0 424"] * 2
    assert len(result.refusals(edge="curl")) == 2


@pytest.fixture
def run_case(cutout, compiled, server, url, rules):
    """What answer_cases.c says; the first line is of the transfer that failed."""
    def run(name, refusals, rules=rules, program="answer_cases"):
        program = compiled(program, "-lcurl")
        result = cutout(program, name, server.url(), url, rules=rules)
        assert result.returncode == 0
        assert len(result.refusals(edge="curl")) == refusals
        lines = result.stdout_bytes.decode().replace("\r", "").split("\n")
        assert lines[0] == "failed 7 0 "
        return [line.rstrip() for line in lines[1:-1]]
    return run


def ends(lines):
    """Without what came as JSON, and the end of the line that /ok is."""
    return [line.split(" {")[0].split(" [")[0] for line in lines if line]


def test_callbacks_are_the_programs_own(run_case):
    lines = run_case("callbacks", 4)
    assert lines[:2] == [f"header {STATUS_LINE}", "headers 7"]
    assert lines[2].startswith("answered 0 424 {")
    assert lines[3:10] == [f"with header 0 424 {HEAD[0]}", *HEAD[1:]]
    assert json.loads(lines[10]) == PAGE
    assert lines[11:18] == [f"header alone 0 424 {HEAD[0]}", *HEAD[1:]]
    assert lines[18:] == ["", *HEAD, "to stdout 0 424"]


def test_infos_are_those_of_the_answer(run_case, url):
    scheme = url.split(":")[0].upper()
    assert run_case("infos", 1)[1:] == [
        f"url {url}", f"scheme {scheme}", "type application/json", "address .",
        f"protocol {1 if scheme == 'HTTP' else 2}", "connects 1", "redirects 0", "size 269",
        "times told"]


def test_an_error_buffer_tells_status_and_message(run_case):
    assert run_case("fails_on_error", 1) == ["answered 22 424", REASON]


def test_options_are_as_they_were(run_case, url):
    told = ends(run_case("options", 1))
    # A server that does not know HTTP/2 closes, before all was sent or after.
    closed, disallowed = {f"{code} 0" for code in (52, 55, 56)}, {"1 0"}
    assert told[:2] == ["answered 0 424", "opened 0"]
    assert told[2].removeprefix("other protocol ") in (
        disallowed if url.startswith("https") else closed)
    assert told[3].removeprefix("other version ") in closed
    assert told[4:6] == ["well 0 200 ok", "again 0 200 ok"]
    assert told[6].startswith("opened ") and told[6] != "opened 0"
    assert told[7] == "url well"


def test_a_url_in_parts_is_as_it_was(run_case):
    assert ends(run_case("parsed_urls", 2)) == ["answered 0 424"] * 2 + ["url bad"]


def test_a_body_from_a_callback_is_read(run_case):
    lines = run_case("posts", 3)
    assert ends(lines) == ["chunks 0 200", "pieces 0 200", "big 0 200"]
    assert [json.loads(line.split(" 0 200 ")[1]) for line in lines] == [RESULT, RESULT, [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": MESSAGE}}]]


def test_a_jump_out_of_an_answer_leaves_nothing_behind(run_case):
    assert ends(run_case("jumps", 2)) == ["answered 0 424", "well 0 200 ok"]


def test_a_duplicate_made_inside_an_answer_is_whole(run_case):
    assert ends(run_case("nested", 2)) == ["inner 0 424", "inner 0 200 ok", "outer 0 424"]


def test_what_is_no_http_is_refused_in_text(run_case):
    assert ends(run_case("other_ends", 3)) == [
        "not wanted 23 424", "connect only 7 0", MESSAGE, "ftp 7 0", MESSAGE]


def test_libcurls_own_text_is_the_message_until_the_next_transfer(run_case, rules):
    assert ends(run_case("texts", 1, rules.replace("= http", "= text"))) == [
        "7 Couldn't connect to server", "refused 7 0", "6 Couldn't resolve host name",
        f"7 {MESSAGE}", "well 0 200 ok", "7 Couldn't connect to server"]


@pytest.mark.parametrize("way", ["sockets", "perform"])
def test_transfers_in_a_multi_handle(run_case, way):
    assert ends(run_case(way, 4, program="answer_multi_cases")) == [
        "1 answered 0 424", "1 paused 0 424", "1 well 0 200 ok", "1 limited 7 0"]
