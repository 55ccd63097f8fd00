"""cutout simulate: every scenario, each with a false expectation, and scripts with errors."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "tests/scenarios", ROOT.parent / "shared/scenarios"]
SCENARIOS = sorted(path for folder in FOLDERS for path in folder.glob("*/*.sim"))
LINE = re.compile(r" *\d+\.\d{3} (admitted|refused|transition|probing|probe) +\S+"
                  r"( [a-z0-9_]+=\S+)*")

OTHER = {"closed": "open", "open": "half-open", "half-open": "closed",
         "admitted": "refused", "refused": "admitted"}

RULES = """\
[carrier]
match = api.carrier.example
consecutive = 3

[regional]
match = {region}.regional.example

[fixed]
match = fixed.example
region = eu
"""


def name_of(path):
    return "/".join(path.parts[-3:])


def simulate(rules, script):
    command = os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")
    return subprocess.run([command, "simulate", rules, script], text=True, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


@pytest.fixture
def run(tmp_path):
    """run(TEXT, rules=): the script TEXT under these rules."""
    def run(text, rules=RULES):
        (tmp_path / "rules").write_text(rules)
        (tmp_path / "script.sim").write_text(text)
        done = simulate(tmp_path / "rules", tmp_path / "script.sim")
        done.errors = done.stderr.replace(f"{tmp_path}/", "").splitlines()
        return done
    return run


def falsified(term):
    """The same term saying something else."""
    key, equals, value = term.partition("=")
    if not equals:
        return OTHER[term]
    if key == "reason":
        return "reason=manual" if value != "manual" else "reason=latency"
    if key == "class":
        return "class=healthy" if value != "healthy" else "class=degraded"
    if key == "score":
        return "score=0.123456"
    return f"{key}={int(value) + 1}"


def test_there_are_scenarios():
    assert len(SCENARIOS) > 40


@pytest.mark.parametrize("script", SCENARIOS, ids=name_of)
def test_scenario_holds(script):
    done = simulate(script.parent / "rules", script)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout
    for line in done.stdout.splitlines():
        assert LINE.fullmatch(line), line


@pytest.mark.parametrize("script", SCENARIOS, ids=name_of)
def test_scenario_with_one_false_expectation_names_its_line(script, tmp_path):
    lines = script.read_text().splitlines(keepends=True)
    changed = tmp_path / script.name
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[1:2] != ["expect"]:
            continue
        term = words[-1]
        at = line.rindex(term)
        false = line[:at] + falsified(term) + line[at + len(term):]
        changed.write_text("".join([*lines[:number - 1], false, *lines[number:]]))
        done = simulate(script.parent / "rules", changed)
        assert done.returncode == 1
        assert done.stderr == (f"{changed}:{number}: expected {words[2]} {falsified(term)}"
                               f" got {term}\n").replace("One.Example", "one.example")


def test_failure_is_told_and_the_run_goes_on(run):
    done = run("0 burst 3 carrier fail\n"
               "0 expect carrier closed total=4 failed=3\n"
               "0 expect carrier open\n"
               "1 call a carrier\n"
               "1 expect a admitted\n")
    assert done.returncode == 1
    assert done.errors == ["script.sim:2: expected carrier closed total=4 got open total=3",
                           "script.sim:5: expected a admitted got refused"]
    assert "1.000 refused    carrier call=a retry_in_ms=29000" in done.stdout


def test_output_tells_admissions_transitions_and_probes(run):
    done = run("0 probe carrier fail 250ms\n0 burst 3 carrier fail\n31 mark carrier\n")
    assert done.stdout.splitlines() == [
        "     0.000 admitted   carrier call=1/3",
        "     0.000 admitted   carrier call=2/3",
        "     0.000 admitted   carrier call=3/3",
        "     0.000 transition carrier from=closed to=open reason=consecutive total=3 failed=3"
        " slow=0 p50_ms=0 p99_ms=0 cooldown_ms=30000",
        "    30.000 transition carrier from=open to=half-open reason=consecutive total=3 failed=3"
        " slow=0 p50_ms=0 p99_ms=0 cooldown_ms=30000",
        "    30.000 probing    carrier lease_ms=5000",
        "    30.250 probe      carrier outcome=fail ms=250",
        "    30.250 transition carrier from=half-open to=open reason=probe-failed total=3 failed=3"
        " slow=0 p50_ms=0 p99_ms=0 cooldown_ms=60000",
    ]


def test_it_ends_with_the_last_statement(run):
    assert "probing" not in run("0 burst 3 carrier fail\n29.999 mark carrier\n").stdout


@pytest.mark.parametrize("statement, told", [
    ("call b carrier", "'call' is no time in seconds"),
    ("-1 mark carrier", "'-1' is no time in seconds"),
    ("1s mark carrier", "'1s' is no time in seconds"),
    ("1e3 mark carrier", "'1e3' is no time in seconds"),
    ("1.0000000001 mark carrier", "'1.0000000001' is no time in seconds"),
    ("1000000001 mark carrier", "'1000000001' is no time in seconds"),
    ("99999999999999999999999 mark carrier", "'99999999999999999999999' is no time in seconds"),
    ("0.5 mark carrier", "the time goes back to 0.5"),
    ("1", "nothing behind the time"),
    ("1 brust 3 carrier ok", "unknown statement 'brust' (did you mean 'burst'?)"),
    ("1 call b", "too few words for 'T call ID NAME'"),
    ("1 call b carrier now", "too many words for 'T call ID NAME'"),
    ("1 call b carier", "no section 'carier' in the rules (did you mean 'carrier'?)"),
    ("1 mark orders", "no section 'orders' in the rules"),
    ("1 mark api.carrier.example", "no section 'api.carrier.example' in the rules"),
    ("1 mark regional", "[regional] has a breaker for each region: name 'regional/REGION'"),
    ("1 mark fixed", "the breaker of [fixed] is 'fixed/eu'"),
    ("1 mark fixed/us", "[fixed] has no region 'us'"),
    ("1 mark carrier/eu", "[carrier] has no region 'eu'"),
    ("1 end b ok", "no call 'b' above this line"),
    ("1 end ended ok", "call 'ended' has ended on line 3"),
    ("1 end a okay", "unknown result 'okay'"),
    ("1 end a hang", "no 'hang' here: 'T end ID ok|fail|neutral'"),
    ("1 burst 0 carrier ok", "'0' is no number of calls from 1 to 1000000"),
    ("1 burst 1000001 carrier ok", "'1000001' is no number of calls from 1 to 1000000"),
    ("1 burst 1.5 carrier ok", "'1.5' is no number of calls from 1 to 1000000"),
    ("1 burst 3 carrier ok 5", "'5' is no duration such as 250ms, 5s, 2m or 1h"),
    ("1 burst 3 carrier ok 5d", "'5d' is no duration such as 250ms, 5s, 2m or 1h"),
    ("1 every 1s 3 carrier hang", "no 'hang' here: 'T every DUR N NAME ok|fail [DUR]'"),
    ("1 every x 3 carrier ok", "'x' is no duration such as 250ms, 5s, 2m or 1h"),
    ("1 probe carrier neutral", "no 'neutral' here: 'T probe NAME ok|fail|hang [DUR]'"),
    ("1 force carrier half-open", "unknown state 'half-open'"),
    ("1 force carrier opne", "unknown state 'opne' (did you mean 'open'?)"),
    ("1 expect carrier", "too few words for 'T expect NAME|ID STATE|FIELD=VALUE ...'"),
    ("1 expect carrier half_open", "unknown state 'half_open' (did you mean 'half-open'?)"),
    ("1 expect carrier totl=1", "unknown field 'totl' (did you mean 'total'?)"),
    ("1 expect carrier total=", "'' is no whole number"),
    ("1 expect carrier total=-1", "'-1' is no whole number"),
    ("1 expect carrier score=1.5", "'1.5' is no score such as 0.689999"),
    ("1 expect carrier reason=lease-expird",
     "unknown reason 'lease-expird' (did you mean 'lease-expired'?)"),
    ("1 expect carrier class=sick", "unknown class 'sick'"),
    ("1 expect b admitted", "no call 'b' above this line"),
    ("1 expect a admitted total=1", "'admitted' and 'refused' stand alone"),
    ("1 mark c\u00e4rrier", "a byte that is not printable ASCII"),
    ("1 mark \x1b[31m", "a byte that is not printable ASCII"),
    ("1 expect carrier " + "total=1 " * 70, "more than 64 words"),
])
def test_error_in_a_script_names_its_line(run, statement, told):
    done = run("0 call a carrier  # a comment\n0 call ended carrier\n1 end ended ok\n\n"
               f"{statement}\n1 mark carrier\n")
    assert done.returncode == 2
    assert done.errors == [f"script.sim:5: {told}"]
    assert done.stdout == ""


def test_all_errors_are_named(run):
    done = run("0 mark nobody\n0 mark carrier\n0 jump\n")
    assert done.returncode == 2
    assert [error.split(": ")[0] for error in done.errors] == ["script.sim:1", "script.sim:3"]


def test_id_of_a_call_that_is_out_cannot_be_used_again(run):
    done = run("0 call a carrier\n1 call a carrier\n")
    assert (done.returncode, done.errors) == (2, ["script.sim:2: call 'a' has not ended yet"])


def test_hosts_stand_for_the_rest(run):
    rules = RULES + "[*]\n"
    assert run("0 burst 3 other.example fail\n0 expect other.example failed=3\n",
               rules).returncode == 0
    for name, told in [
            ("api.carrier.example", "the breaker of 'api.carrier.example' is 'carrier'"),
            ("us.regional.example", "the breaker of 'us.regional.example' is 'regional/us'"),
            ("127.0.0.1", "no section and no host that [*] covers: '127.0.0.1'"),
            ("carier", "no section 'carier' in the rules (did you mean 'carrier'?)"),
            ("*", "[*] has a breaker for each host: name the host")]:
        assert run(f"0 mark {name}\n", rules).errors == [f"script.sim:1: {told}"]


def test_errors_in_the_rules_are_named_before_anything_runs(run):
    done = run("0 mark carrier\n", "[carrier]\nmatch = a.example\ncooldwn = 5s\n[empty]\n")
    assert done.returncode == 2
    assert [error.split(": ")[0] for error in done.errors] == ["rules:3", "rules:4"]
    assert done.stdout == ""


def test_file_that_is_not_there_is_an_error(run, tmp_path):
    run("0 mark carrier\n")
    for rules, script in [("none", "script.sim"), ("rules", "none"), ("rules", ".")]:
        done = simulate(tmp_path / rules, tmp_path / script)
        assert done.returncode == 2
        assert done.stderr


@pytest.mark.parametrize("arguments", [[], ["rules"], ["rules", "script", "more"], ["--fast", "x"]])
def test_wrong_arguments_tell_the_usage(arguments):
    command = os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")
    done = subprocess.run([command, "simulate", *arguments], text=True, timeout=60,
                          capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: cutout simulate FILE SCRIPT")


def test_script_of_any_bytes_is_no_crash(run, tmp_path):
    run("0 mark carrier\n")
    for text in [b"\0", b"\xff\xfe 1 2", b"0 mark carrier", b"0\tmark\tcarrier\r\n", b"", b"#",
                 b"0 mark " + b"x" * 100000]:
        (tmp_path / "script.sim").write_bytes(text)
        assert simulate(tmp_path / "rules", tmp_path / "script.sim").returncode in (0, 2)


def test_many_calls_are_no_matter(run):
    done = run("0 burst 200000 carrier ok\n0 expect carrier total=200000\n"
               "1 every 1ms 2000 carrier ok 1h\n3 expect carrier admitted=202000\n")
    assert (done.returncode, done.errors) == (0, [])
