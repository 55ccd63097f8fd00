"""Who is in a tree: whatever the program starts, however it does so, and who cannot be
in it goes on alone."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from support.run import library, need, same
from support.tree import BEFORE, ask_again, command, lives, until

TRIP = 3
RULES = """
[carrier]
match = 127.0.0.1
consecutive = 3
cooldown = 1m
refuse_errno = EHOSTUNREACH
"""
TRIPPED = ["22"] * TRIP + ["7"]
FAIL = 'for i in 1 2 3 4; do curl -sf -o /dev/null "$0"; echo $?; done; '


@pytest.fixture
def failing(server):
    server.mode("500")
    return server


def after_the_trip(tree, server, script, *args, **options):
    """What the script said that ran when the tree's breaker was open; $1 and so on are args."""
    options = {"rules": RULES, **options}
    result = tree("sh", "-c", FAIL + script, server.url(), *args, **options).running.finish()
    assert result.lines[:TRIP + 1] == TRIPPED
    assert len(server.requests()) == TRIP
    return result


MEMBERS = {
    "a clean environment": 'env -i curl -sf "$0"; echo $?',
    "two of them": 'env -i env -i curl -sf "$0"; echo $?',
    "a tree of its own": '"$2" run --rules "$3" -- curl -sf "$0"; echo $?',
    "another session": 'setsid -w curl -sf "$0"; echo $?',
    "an interpreter": "/usr/bin/python3 -c 'import sys, urllib.request as u\n"
                      "try: u.urlopen(sys.argv[1])\n"
                      "except OSError as e: print(7 if e.reason.errno == 113 else e)' \"$0\"",
    "a static program": '"$1" curl -sf "$0"; echo $?',
}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_is_refused_what_the_others_found_dead(tree, failing, compiled, tmp_path, member):
    (tmp_path / "rules").write_text(RULES)
    result = after_the_trip(tree, failing, MEMBERS[member], compiled("start_static", "-static"),
                            command(), tmp_path / "rules")
    assert (result.lines[TRIP + 1:], result.stderr) == (["7"], "")


def test_a_run_inside_a_run_shares_the_outer_tree(tree):
    program = tree("sh", "-c", 'echo "$CUTOUT_STATE"; "$0" run -- sh -c '
                   "'echo \"$CUTOUT_STATE\"; read go'", command())
    outer = program.running.line()
    assert outer == f"/proc/{program.companion()}/fd/3"
    assert program.running.line() == outer
    assert program.companions() == [program.companion()]
    program.running.finish()


def test_a_tree_that_is_asked_for_is_a_new_one(tree, failing):
    result = after_the_trip(tree, failing, '"$1" run --state tree -- sh -c \''
                            'echo "$CUTOUT_STATE"\'; echo "$CUTOUT_STATE"', command())
    inner, outer = result.lines[-2:]
    assert inner != outer and inner.startswith("/proc/")


ASK = """
import os, socket, sys
def ask(host='127.0.0.1'):
    try:
        socket.create_connection((host, int(sys.argv[1])))
    except OSError as e:
        return e.errno
"""
FORK = ASK + """
for i in range(5):
    pid = os.fork()
    if pid == 0:
        print(ask(), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
print(ask())
"""
# The network's own answer, and the shim's.
REFUSED, UNREACHABLE = "111", "113"


def test_forked_children_share_the_breakers(tree, refused_port):
    result = tree("/usr/bin/python3", "-c", FORK, refused_port, rules=RULES).running.finish()
    assert result.lines == [REFUSED] * TRIP + [UNREACHABLE] * 3
    assert len(result.transitions()) == 1


OUTLIVE = """
sh -c 'echo child $$; read go; curl -sf "$0"; echo $?; curl -sf "$0"; echo $?; env -i curl -sf "$0";
       echo $?; echo done' "$0" <"$1" &
exec true
"""


def test_a_child_that_outlives_the_program_goes_on_without_a_word(tree, failing, tmp_path):
    os.mkfifo(tmp_path / "go")
    program = tree("sh", "-c", OUTLIVE, failing.url(), tmp_path / "go", rules=RULES, log=None)
    with open(tmp_path / "go", "w") as go:
        word, pid = program.running.line().split()
        assert word == "child"
        until(lambda: not lives(program.running.pid), "the program's end")
        program.ended()
        assert lives(int(pid))
        go.write("go\n")
    result = program.running.finish()
    assert (result.lines, result.stderr) == (["22", "22", "22", "done"], "")


def test_a_process_goes_on_with_what_it_has_mapped(tree, failing, compiled, tmp_path):
    """Its breaker stays open after the companion's end, and recovers by its own worker."""
    script = '"$0" "$1" 1 1 <"$2" & while :; do sleep 0.1; done'
    os.mkfifo(tmp_path / "go")
    rules = RULES.replace("1m", "500ms") + "ramp = 500ms\nprobe_interval = 100ms\n"
    program = tree("sh", "-c", script, compiled("crowd", "-lcurl"), failing.url("/real"),
                   tmp_path / "go", rules=rules)
    with open(tmp_path / "go", "w"):
        assert program.running.line() == "ready"
        until(lambda: program.running.events(), "the trip")
        os.kill(program.running.pid, signal.SIGKILL)
        program.ended()
        failing.mode("ok")
        asked = len(failing.requests())
        until(lambda: len(failing.requests()) > asked + 3, "calls that are admitted again")
    stdout = program.running.finish().stdout
    assert int(stdout.split()[3]) >= 3


# Who is another

def open_directory():
    """One that every user can look into."""
    directory = Path(tempfile.mkdtemp(prefix="cutout-"))
    directory.chmod(0o755)
    return directory


@pytest.fixture
def public(monkeypatch):
    """With a copy of what was built: that may lie where only its owner looks."""
    directory = open_directory()
    for built in command(), library():
        shutil.copy(built, directory)
    monkeypatch.setenv("CUTOUT_BUILDDIR", str(directory))
    yield directory
    shutil.rmtree(directory)


OTHERS = {
    "another user": "setpriv --reuid=65534 --clear-groups curl -sS -f \"$0\"",
    "another root": "/usr/bin/python3 -c 'import os, subprocess, sys, socket\n"
                    "os.chroot(sys.argv[1])\n"
                    "s = socket.create_connection((\"127.0.0.1\", int(sys.argv[2])))' / \"$2\"",
    "no proc": "unshare -m sh -c 'umount -l /proc && exec curl -sS -f \"$0\"' \"$0\"",
    "a user namespace": "unshare -Ur curl -sS -f \"$0\"",
    "a pid namespace": "unshare -pf --mount-proc curl -sS -f \"$0\"",
}


@pytest.mark.parametrize("other", OTHERS)
def test_who_cannot_see_the_tree_goes_on_without_a_word(bare, tree, server, public, other):
    (public / "rules").write_text(RULES)
    words = ["sh", "-c", f'{OTHERS[other]} >&2; echo $?', server.url(), "", server.port]
    alone = bare(*words)
    # Not every machine lets a program have a namespace.
    assert alone.stdout == "0\n" or "unshare failed" in alone.stderr
    same(alone, tree(*words, log=None, options=["--rules", public / "rules"]).running.finish())


def test_without_proc_a_program_is_run_all_the_same(bare, server):
    result = bare("sh", "-c", 'umount -l /proc; "$0" run -- curl -sS "$1"; '
                  '"$0" run --state tree -- echo no; echo $?', command(), server.url(),
                  inside=[need("unshare"), "-m"],
                  env={"LD_PRELOAD": ":".join(BEFORE)} if BEFORE else {})
    assert result.lines == ["ok", "125"]
    assert "the companion cannot be started" in result.stderr


def test_other_rules_for_a_name_are_told_once_and_kept_apart(tree, refused_port, tmp_path):
    (tmp_path / "other").write_text(RULES.replace("= 3", "= 5"))
    seven = ASK + "for i in range(7): print(ask(), flush=True)"
    both = 'python3 -c "$0" $1; CUTOUT_RULES=$2 python3 -c "$0" $1; python3 -c "$0" $1'
    result = tree("sh", "-c", both, seven, refused_port, tmp_path / "other",
                  rules=RULES).running.finish()
    assert result.lines == ([REFUSED] * TRIP + [UNREACHABLE] * (7 - TRIP)
                            + [REFUSED] * 5 + [UNREACHABLE] * 2 + [UNREACHABLE] * 7)
    (told,) = result.of("config")
    assert told["level"] == "error" and "carrier has other settings" in told["error"]
    assert len(result.transitions()) == 2


def test_a_breaker_that_the_companion_has_no_rules_for_is_probed(tree, server, tmp_path, compiled):
    """By a worker of who knows them."""
    (tmp_path / "other").write_text(RULES.replace("carrier", "other").replace("1m", "500ms"))
    server.mode("500")
    run = tree("sh", "-c", 'CUTOUT_RULES=$2 exec "$0" "$1" 1 1', compiled("crowd", "-lcurl"),
               server.url("/real"), tmp_path / "other", rules="[carrier]\nmatch = nobody\n").running
    assert run.line() == "ready"
    until(run.events, "the trip")
    server.mode("ok")
    asked = len(server.requests())
    until(lambda: len(server.requests()) > asked + 3, "calls that are admitted")
    assert {t["breaker"] for t in run.finish().transitions()} == {"other"}


NAMES = [f"n{i}.carrier.example" for i in range(1500)]
CROWDED = """
[carrier]
match = {region}.carrier.example
consecutive = 1
cooldown = 1h
refuse_errno = EHOSTUNREACH
"""


def test_a_full_memory_is_told_and_refuses_nothing_wrongly(tree, refused_port):
    """For what finds no room there the process has its own."""
    twice = ASK + "for i in 1, 2: print(*{ask(name) for name in sys.argv[2:]}, flush=True)"
    run = tree("/usr/bin/python3", "-c", twice, refused_port, *NAMES, rules=CROWDED,
               hosts="127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {n}\n" for n in NAMES))
    result = run.running.finish()
    # A name that the shim no longer remembers is refused as a look-up.
    assert result.lines[0] == REFUSED
    assert UNREACHABLE in result.lines[1].split() and REFUSED not in result.lines[1].split()
    told = [event["error"] for event in result.of("config")]
    assert len(told) == 1 and told[0].endswith("finds no room there, this process keeps its own")


# Marks of the killed

LATENCY = """
[carrier]
match = 127.0.0.1
consecutive = 0
failure_rate = 0
p50 = 300ms
min_samples = 4
cooldown = 1m
"""


def test_calls_of_killed_processes_do_not_stand_as_slow_for_long(tree, server):
    """Two that hang and are killed; what ends well after that is all there is."""
    server.mode("hang")
    script = ('for i in 1 2; do curl -s "$0" & done; read go; kill -9 $(jobs -p); wait; '
              'echo killed; read go; for i in 1 2 3 4 5 6; do curl -sf "$0"; done')
    run = tree("bash", "-c", script, server.url(), rules=LATENCY).running
    until(lambda: len(server.requests()) == 2, "two that hang")
    ask_again(run.process)
    assert run.line() == "killed"
    server.mode("ok")
    result = run.finish(b"go\n")
    assert result.lines == ["ok"] * 6
