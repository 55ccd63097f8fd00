"""What the shim costs, as far as it can be counted: a busy machine changes nothing
here. What has to be timed is in bench/."""

import re
import socket
import subprocess
import threading

import pytest

from support.run import TIMEOUT_S, clean_environment, library, need

LOOP = "connect_loop"
FEW, MANY = 100, 300        # rounds: the difference is free of what a start costs

OPEN = ("[dead]\nmatch = 127.0.0.1\nconsecutive = 1\ncooldown = 1h\ncooldown_max = 1h\n"
        "probe = call\n")
ALLOWED = "[alive]\nmatch = 127.0.0.1\n"
LIMITED = ALLOWED + "p99 = 5s\n"
NO_SECTION = "[other]\nmatch = api.example.com:443\n"

# Instructions of one round of socket, connect and close, beside those without the shim:
# what was measured when this was written, and half as much again.
MOST_REFUSED = 1450
MOST_ALLOWED = 3100


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    source = f"{__file__.rsplit('/', 2)[0]}/support/clients/{LOOP}.c"
    program = tmp_path_factory.mktemp("costs") / LOOP
    subprocess.run([need("cc"), "-O2", "-o", str(program), source], check=True)
    return program


@pytest.fixture
def environment(tmp_path):
    def make(rules):
        env = clean_environment(tmp_path)
        if rules is not None:
            (tmp_path / "rules").write_text(rules)
            env |= {"LD_PRELOAD": library(), "CUTOUT_RULES": str(tmp_path / "rules")}
        return env
    return make


def accept_all(listener):
    while True:
        try:
            listener.accept()[0].close()
        except OSError:     # the test is over
            return


@pytest.fixture
def open_port():
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        thread = threading.Thread(target=accept_all, args=[listener], daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def system_calls(program, env, tmp_path, *args):
    """How often each was made."""
    table = tmp_path / "strace"
    words = [f"--env={name}={value}" for name, value in env.items()]
    subprocess.run([need("strace"), "-f", "-c", "-o", str(table), *words, str(program),
                    *map(str, args)], check=True, env=clean_environment(tmp_path),
                   timeout=TIMEOUT_S)
    rows = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", table.read_text(), re.M)
    return {name: int(count) for count, name in rows if name != "total"}


def instructions(program, env, tmp_path, *args):
    ran = subprocess.run([need("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          str(program), *map(str, args)], check=True, env=env,
                         timeout=TIMEOUT_S, stderr=subprocess.PIPE, text=True)
    return int(re.search(r"Collected : (\d+)", ran.stderr)[1])


def rounds(count, program, env, tmp_path, *args):
    """What MANY rounds take more than FEW: system calls by name, instructions of one round."""
    few = count(program, env, tmp_path, FEW, *args)
    many = count(program, env, tmp_path, MANY, *args)
    if isinstance(few, int):
        return (many - few) / (MANY - FEW)
    both = {name: many.get(name, 0) - few.get(name, 0) for name in many | few}
    return {name: number for name, number in both.items() if number != 0}


@pytest.mark.parametrize("rules", [ALLOWED, LIMITED, NO_SECTION],
                         ids=["allowed", "limited", "no-section"])
def test_an_allowed_connect_makes_the_same_system_calls(loop, environment, tmp_path, open_port,
                                                        rules):
    bare = rounds(system_calls, loop, environment(None), tmp_path, open_port)
    assert bare == {"socket": MANY - FEW, "connect": MANY - FEW, "close": MANY - FEW}
    assert rounds(system_calls, loop, environment(rules), tmp_path, open_port) == bare


def test_a_pipe_makes_the_same_system_calls(loop, environment, tmp_path):
    bare = rounds(system_calls, loop, environment(None), tmp_path)
    assert bare == {"read": MANY - FEW, "write": MANY - FEW}
    assert rounds(system_calls, loop, environment(ALLOWED), tmp_path) == bare


def test_a_refused_connect_makes_no_system_call(loop, environment, tmp_path, refused_port):
    made = rounds(system_calls, loop, environment(OPEN), tmp_path, refused_port)
    assert made == {"socket": MANY - FEW, "close": MANY - FEW}


def test_a_refused_connect_takes_few_instructions(loop, environment, tmp_path, refused_port):
    bare = rounds(instructions, loop, environment(None), tmp_path, refused_port)
    shim = rounds(instructions, loop, environment(OPEN), tmp_path, refused_port)
    print(f"{shim - bare} instructions a refusal")
    assert shim - bare <= MOST_REFUSED


@pytest.mark.parametrize("rules", [ALLOWED, LIMITED], ids=["allowed", "limited"])
def test_an_allowed_connect_takes_few_instructions(loop, environment, tmp_path, open_port, rules):
    bare = rounds(instructions, loop, environment(None), tmp_path, open_port)
    shim = rounds(instructions, loop, environment(rules), tmp_path, open_port)
    print(f"{shim - bare} instructions a call")
    assert shim - bare <= MOST_ALLOWED


def test_libcurl_is_not_loaded_where_the_program_does_not(environment):
    maps = subprocess.run([need("cat"), "/proc/self/maps"], check=True, env=environment(ALLOWED),
                          stdout=subprocess.PIPE, text=True).stdout
    assert "libcutout" in maps and "libcurl" not in maps
