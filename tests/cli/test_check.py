"""cutout check: what is wrong with a file, and which breaker a destination meets."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.run import TIMEOUT_S, clean_environment, need

FINE, ERRORS, USAGE = 0, 1, 2
EXIT_NOTHING_STARTED = 125
MATCH = "[a]\nmatch = a.example\n"
CARRIER = """\
[defaults]
p99      = 5s

[carrier]
match    = api.carrier.example:443
match    = *.track.carrier.example
message  = Tracking is away.
  Proceed without it.

[dynamo]
match    = dynamodb.{region}.amazonaws.com:443

[net]
match    = 10.0.0.0/8
match    = [2001:db8::/32]:443
region   = eu

[*]
"""


@pytest.fixture
def command():
    return os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")


@pytest.fixture
def cutout(command, tmp_path):
    """cutout(ARG..., input=, env=, before=) in tmp_path, with a clean environment."""
    def run(*args, input=b"", env=None):
        return subprocess.run([command, *map(str, args)], input=input, cwd=tmp_path,
                              env={**clean_environment(tmp_path), **(env or {})},
                              capture_output=True, timeout=TIMEOUT_S)
    return run


@pytest.fixture
def check(cutout, tmp_path):
    """check(TEXT, DESTINATION...): the text is the file "rules"."""
    def run(text, *destinations, **options):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "rules").write_bytes(data)
        return cutout("check", "rules", *destinations, **options)
    return run


def lines(data):
    return data.decode().splitlines()


def fine(result):
    assert (result.returncode, result.stderr) == (FINE, b"")
    return lines(result.stdout)


def key(text):
    return MATCH + text + "\n"


# Text of a file, and the errors that must be told, whole or in part, in this order.
MALFORMED = {
    "unknown key": (key("colldown = 3s"),
                    ["rules:3: unknown key 'colldown' (did you mean 'cooldown'?)"]),
    "no match": ("[a]\ncooldown = 3s\n", ["rules:1: section [a] has no match"]),
    "second section": (MATCH + MATCH,
                       ["rules:3: section [a] stands here again; it began on line 1"]),
    "second key": (key("ramp = 1s\nramp = 1s"), ["rules:4: 'ramp' is set a second time"]),
    "second percentile": (key("p50 = 1s\np99 = 2s"), ["rules:4: 'p99' is a second pNN"]),
    "before a section": ("ramp = 1s\n", ["rules:1: 'ramp' stands before the first [SECTION]"]),
    "no value": (key("ramp ="), ["rules:3: 'ramp' has no value"]),
    "no equals": (key("ramp 3s"), ["rules:3: 'ramp 3s' is neither KEY = VALUE"]),
    "no bracket": ("[a\n", ["rules:1: '[a' has no ']'"]),
    "behind the bracket": ("[a] b\nmatch = x\n", ["rules:1: 'b' follows the ']'"]),
    "section name": ("[a/b]\nmatch = x\n", ["rules:1: section name 'a/b' is not"]),
    "long section name": ("[" + "n" * 65 + "]\nmatch = x\n", ["rules:1: section name 'nnn"]),
    "region name": (key("region = a b"), ["rules:3: region = a b is not"]),
    "near value": (key("probe = cal"), ["rules:3: probe = cal is not", "did you mean 'call'?"]),
    "near mode": (key("mode = observ"), ["rules:3: mode = observ", "did you mean 'observe'?"]),
    "maximum": (key("cooldown = 2m\ncooldown_max = 1m"),
                ["rules:4: cooldown_max is below cooldown in section [a]"]),
    "placeholder": (key("message = {regon}"), ["rules:3: message: unknown {regon}"]),
    "loop": (MATCH + "fallback = b.example\n[b]\nmatch = b.example\nfallback = a.example\n",
             ["rules:1: section [a] falls back to itself by way of [b]"]),
    "block": ("[a]\nmatch = 10.1.0.0/8\n", ["rules:2: match: '10.1.0.0/8'", "10.0.0.0/8"]),
    "ports": ("[a]\nmatch = a:90-80\n", ["rules:2: match: port range 90-80 is reversed"]),
    "two regions": ("[a]\nmatch = {region}.{region}.x\n", ["rules:2: match: "]),
    "windows": (MATCH.replace("\n", "\r\n"), ["rules:1: the line ends in CR LF"]),
    "mark": ("\ufeff" + MATCH, ["rules:1: the file begins with a byte order mark"]),
    "utf-16": (MATCH.encode("utf-16"), ["rules: the file is UTF-16"]),
    "nul": (MATCH + "message = a\0b\n", ["rules:3: the line has a NUL byte"]),
    "latin-1": (MATCH.encode() + b"message = caf\xe9\n", ["rules:3: the line is not valid UTF-8"]),
    "control": (MATCH + "message = \x1b[31m\n", ["rules:3: the line has a control character"]),
    "long line": (MATCH + "message = " + "x" * 1000000 + "\n",
                  ["rules:3: a line of more than 4096 bytes"]),
    "large": ("#\n" * 524289, ["rules: the file is larger than 1 MiB"]),
    "junk": (bytes(range(256)) * 64, ["rules:1: ", "rules:2: "]),
    "elf": (b"\x7fELF\x02\x01\x01\0\0\0\n\0", ["rules:1: ", "rules:2: "]),
}

OUT_OF_BOUNDS = ["consecutive = -1", "consecutive = 1000001", "failure_rate = 100.1%",
                 "failure_rate = -1%", "p99 = 3601s", "p99 = -1s", "min_samples = 0",
                 "min_samples = 500001", "window = 99ms", "window = 25h", "cooldown = 0s",
                 "cooldown = 25h", "cooldown_max = 0s", "cooldown_max = 25h",
                 "cooldown_jitter = 101%", "probe_timeout = 61m", "probe_successes = 0",
                 "probe_successes = 1001", "probe_interval = 0s", "probe_interval = 61m",
                 "ramp = 25h", "probe_expect = 99", "probe_expect = 600", "fail_status = 99-100",
                 "fail_status = 599-600", "answer_status = 399", "answer_status = 600",
                 "window = 99999999999999999999s", "consecutive = 18446744073709551616"]


def assert_told(stderr, told):
    """Every piece is on stderr, in this order."""
    text, at = stderr.decode(), 0
    for piece in told:
        found = text.find(piece, at)
        assert found >= 0, f"{piece!r} is not told, or not in its place: {text[:2000]}"
        at = found


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_file_is_an_error(check, name):
    text, told = MALFORMED[name]
    result = check(text)
    assert (result.returncode, result.stdout) == (ERRORS, b"")
    assert_told(result.stderr, told)
    assert all(line.startswith("rules:") for line in lines(result.stderr))


@pytest.mark.parametrize("name", MALFORMED)
def test_run_starts_nothing_with_a_malformed_file(check, cutout, tmp_path, name):
    text, told = MALFORMED[name]
    expected = check(text)
    result = cutout("run", "--rules", "rules", "--", "touch", "started")
    assert (result.returncode, result.stdout) == (EXIT_NOTHING_STARTED, b"")
    assert_told(result.stderr, told)
    assert len(lines(result.stderr)) >= len(lines(expected.stderr))
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("text", OUT_OF_BOUNDS)
def test_number_out_of_bounds_is_an_error_that_states_them(check, text):
    result = check(key(text))
    assert result.returncode == ERRORS
    [line] = lines(result.stderr)
    assert line.startswith("rules:3: ") and " from " in line and " to " in line


def test_all_errors_are_told_in_the_order_of_the_lines(check):
    result = check("x = 1\n[a]\ncolldown = 1s\nwindow = 1\n[a]\nmatch = a:0\nmode = of\n")
    assert [line.split(": ")[0] for line in lines(result.stderr)] == [
        "rules:1", "rules:2", "rules:3", "rules:4", "rules:5", "rules:6", "rules:7"]


def test_file_may_have_another_name_and_place(cutout, tmp_path):
    (tmp_path / "some where").mkdir()
    path = tmp_path / "some where" / "my rules"
    path.write_text("[a]\n")
    result = cutout("check", path)
    assert (result.returncode, result.stderr.decode()) == (
        ERRORS, f"{path}:1: section [a] has no match\n")


def test_missing_file_is_an_error(cutout):
    result = cutout("check", "nothing")
    assert (result.returncode, result.stderr) == (
        ERRORS, b"nothing: cannot be opened: no such file\n")


def test_directory_is_an_error(cutout, tmp_path):
    (tmp_path / "rules").mkdir()
    result = cutout("check", "rules")
    assert (result.returncode, result.stderr) == (
        ERRORS, b"rules: is a directory, not a file\n")


def test_pipe_is_an_error_and_nobody_waits_for_a_writer(cutout, tmp_path):
    os.mkfifo(tmp_path / "rules")
    result = cutout("check", "rules")
    assert (result.returncode, result.stderr) == (ERRORS, b"rules: is a pipe, not a file\n")


def test_device_is_an_error(cutout):
    result = cutout("check", "/dev/zero")
    assert (result.returncode, result.stderr) == (
        ERRORS, b"/dev/zero: is not a regular file\n")


@pytest.fixture
def open_directory():
    """One that every user may enter; pytest's own are private."""
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        os.chmod(path, 0o755)
        yield Path(path)


def test_file_without_permission_is_an_error(command, open_directory):
    rules = open_directory / "rules"
    rules.write_text(MATCH)
    rules.chmod(0)
    program = open_directory / "cutout"
    shutil.copy(command, program)
    program.chmod(0o755)
    before = []
    if os.geteuid() == 0:   # root reads everything
        before = [need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
    result = subprocess.run([*before, program, "check", "rules"], cwd=open_directory,
                            env=clean_environment(open_directory), capture_output=True,
                            timeout=TIMEOUT_S)
    assert (result.returncode, result.stderr) == (
        ERRORS, b"rules: cannot be opened: permission denied\n")


def test_standard_input_is_a_dash(cutout):
    assert fine(cutout("check", "-", input=MATCH.encode()))[0] == "<stdin>: no errors, 1 section"
    result = cutout("check", "-", input=b"[a]\n")
    assert (result.returncode, result.stderr) == (
        ERRORS, b"<stdin>:1: section [a] has no match\n")


def test_summary_names_the_breakers(check):
    assert fine(check(CARRIER)) == [
        "rules: no errors, 4 sections",
        "rules:4: [carrier] breaker carrier",
        "rules:10: [dynamo] breakers dynamo/{region}",
        "rules:13: [net] breaker net/eu",
        "rules:18: [*] one breaker per host"]


def test_empty_file_is_fine(check):
    assert fine(check("")) == ["rules: no errors, 0 sections"]


@pytest.mark.parametrize("destination, breaker, why", [
    ("api.carrier.example:443", "carrier", "rules:5: match = api.carrier.example:443"),
    ("https://api.carrier.example/v1?x", "carrier", "rules:5: match = api.carrier.example:443"),
    ("https://me:word@API.carrier.example:443/", "carrier",
     "rules:5: match = api.carrier.example:443"),
    ("http://api.carrier.example/", "api.carrier.example", "rules:18: [*]"),
    ("a.b.track.carrier.example", "carrier", "rules:6: match = *.track.carrier.example"),
    ("dynamodb.us-east-1.amazonaws.com:443", "dynamo/us-east-1",
     "rules:11: match = dynamodb.{region}.amazonaws.com:443"),
    ("10.255.0.1", "net/eu", "rules:14: match = 10.0.0.0/8"),
    ("[::ffff:10.0.0.1]:80", "net/eu", "rules:14: match = 10.0.0.0/8"),
    ("[2001:db8::1]:443", "net/eu", "rules:15: match = [2001:db8::/32]:443"),
    ("https://[2001:db8::1]/", "net/eu", "rules:15: match = [2001:db8::/32]:443"),
    ("[2001:db9::1]:443", "2001:db9::1", "rules:18: [*]"),
])
def test_destination_meets_a_breaker_for_a_reason(check, destination, breaker, why):
    output = fine(check(CARRIER, destination))
    assert output[:2] == [f"# {destination} meets breaker {breaker}", f"# {why}"]


@pytest.mark.parametrize("destination, why", [
    ("localhost:80", "[*] leaves out loopback"),
    ("127.0.0.1", "[*] leaves out loopback"),
    ("192.0.2.1:53", "[*] leaves out port 53"),
    ("proxy.example:3128", "[*] leaves out the proxies of the environment"),
    ("192.0.2.9:1080", "[*] leaves out the proxies of the environment"),
])
def test_destination_that_the_rest_leaves_out_meets_none(check, destination, why):
    env = {"https_proxy": "http://me:word@proxy.example:3128/", "ALL_PROXY": "socks5://192.0.2.9"}
    assert fine(check(CARRIER, destination, env=env)) == [
        f"# {destination} meets no breaker: {why}"]


def test_destination_that_no_section_fits_meets_none(check):
    assert fine(check(MATCH, "b.example")) == ["# b.example meets no breaker: no section fits"]


def test_destination_without_port_may_meet_several(check):
    output = fine(check(CARRIER, "api.carrier.example"))
    assert [line for line in output if "meets" in line] == [
        "# api.carrier.example meets breaker carrier on the ports of this match",
        "# api.carrier.example meets breaker api.carrier.example"]


def test_answer_is_a_rules_file_that_gives_the_same_answer(check, cutout):
    destinations = ["api.carrier.example:443", "x.track.carrier.example", "10.0.0.1",
                    "dynamodb.eu.amazonaws.com:443", "b.example"]
    output = fine(check(CARRIER, *destinations))
    assert "message         = Tracking is away. Proceed without it." in output
    assert "p99             = 5s" in output
    assert len([line for line in output if line.startswith("[carrier]")]) == 1
    again = cutout("check", "-", *destinations, input="\n".join(output).encode() + b"\n")

    def settings(text):
        return [line for line in text if not line.startswith("# ")]
    assert settings(fine(again)) == settings(output)


def test_every_key_is_shown_with_its_value(check):
    output = fine(check(MATCH, "a.example"))
    shown = [line.split("=")[0].strip() for line in output if "=" in line and line[0] != "#"]
    assert shown == ["match", "region", "consecutive", "failure_rate", "p99", "min_samples",
                     "window", "cooldown", "cooldown_max", "cooldown_jitter", "probe",
                     "probe_expect", "probe_timeout", "probe_successes", "probe_interval", "ramp",
                     "fail_status", "late_failure", "refuse_errno", "answer", "answer_status",
                     "message", "fallback", "alert", "mode"]


@pytest.mark.parametrize("destination", ["a b", ":80", "a:0", "a:65536", "[::1", "", "http://",
                                         "a/b"])
def test_malformed_destination_is_wrong_usage(check, destination):
    result = check(MATCH, "a.example", destination)
    assert (result.returncode, result.stdout) == (USAGE, b"")
    assert f"'{destination}'".encode() in result.stderr


@pytest.mark.parametrize("args", [(), ("--all", "rules"), ("-x",), ("--",)])
def test_wrong_usage_is_told(cutout, args):
    result = cutout("check", *args)
    assert (result.returncode, result.stdout) == (USAGE, b"")
    assert result.stderr.startswith(b"usage: cutout check FILE [DESTINATION...]\n")


def test_help_goes_to_stdout(cutout):
    result = cutout("check", "--help")
    assert (result.returncode, result.stderr) == (FINE, b"")
    assert result.stdout.startswith(b"usage: cutout check FILE")


def test_full_disk_is_noticed(command, tmp_path):
    (tmp_path / "rules").write_text(MATCH)
    with open("/dev/full", "w") as full:
        result = subprocess.run([command, "check", "rules"], cwd=tmp_path, stdout=full,
                                stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                                env=clean_environment(tmp_path))
    assert result.returncode == USAGE
    assert b"standard output" in result.stderr


def test_commands_are_listed_and_near_ones_suggested(cutout):
    assert b"  check " in cutout("--help").stdout
    result = cutout("chekc")
    assert (result.returncode, result.stderr) == (
        USAGE, b"cutout: unknown command 'chekc' (did you mean 'check'?)\n")
    assert cutout("frobnicate").returncode == USAGE
    assert cutout().returncode == USAGE
    assert cutout("--version").stdout.startswith(b"cutout ")
