"""cutout doctor: what it says of real programs, and of files that are none."""

import fcntl
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.run import TIMEOUT_S, clean_environment, need

FULLY, IN_PART, NOT, CANNOT_TELL, NOT_EXECUTABLE, NOT_FOUND = 0, 1, 2, 125, 126, 127
WORDS = {FULLY: "seen fully", IN_PART: "seen in part", NOT: "not seen"}
BEFORE = [path for path in os.environ.get("CUTOUT_TEST_PRELOAD", "").split(":") if path]
NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"]
HELLO = '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n'
EM_386, EM_X86_64, EM_AARCH64, EM_S390 = 3, 62, 183, 22
NATIVE = {"x86_64": EM_X86_64, "aarch64": EM_AARCH64}[os.uname().machine]
PT_LOAD, PT_INTERP, PT_NOTE = 1, 3, 4


@pytest.fixture
def command():
    return os.path.join(os.environ["CUTOUT_BUILDDIR"], "cutout")


@pytest.fixture
def cutout(command, tmp_path):
    """cutout(ARG..., before=(), env=): the command, with a clean environment."""
    def run(*args, before=(), env=None, command=command):
        preload = {"LD_PRELOAD": ":".join(BEFORE)} if BEFORE else {}
        return subprocess.run([*before, command, *map(str, args)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, cwd=tmp_path, timeout=TIMEOUT_S,
                              env={**clean_environment(tmp_path), **preload, **(env or {})})
    return run


@pytest.fixture
def doctor(cutout):
    """The verdict's words are those of its exit code, and every word is in the output."""
    def doctor(status, *args, words=(), **options):
        result = cutout("doctor", *args, **options)
        said = result.stdout + result.stderr
        assert result.returncode == status, said
        if status in WORDS:
            assert result.stderr == ""
            assert result.stdout.startswith(f"{args[0]}: {WORDS[status]}: ")
        else:
            assert result.stdout == ""
            assert result.stderr.startswith("cutout doctor: ")
        for word in words:
            assert word in said
        return result
    return doctor


@pytest.fixture
def file(tmp_path):
    """file(NAME, TEXT or BYTES): an executable file of the test's own."""
    def make(name, content, mode=0o755):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path
    return make


@pytest.fixture
def compiled(tmp_path, shared_directory):
    """compiled(NAME, OPTION..., compiler=, source=): a copy of the test's own."""
    def compile(path, options, compiler, source):
        subprocess.run([need(compiler), "-x", "c", "-", "-x", "none", "-o", path, *options],
                       check=True, text=True, input=source, env=clean_environment(tmp_path))

    def compiled(name, *options, compiler="gcc", source=HELLO):
        path = tmp_path / name
        if source != HELLO or any(str(tmp_path) in option for option in options):
            compile(path, options, compiler, source)
            return path
        kept = shared_directory / f"doctor-{name}"
        with open(f"{kept}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                compile(kept, options, compiler, source)
        return Path(shutil.copy(kept, path))
    return compiled


def elf(bits=64, order="<", machine=NATIVE, kind=2, segments=()):
    """A header, program headers of (type, content), and their contents."""
    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    word = "Q" if bits == 64 else "I"
    size = 64 if bits == 64 else 52
    head = struct.pack(f"{order}HHI{word}{word}{word}IHHHHHH", kind, machine, 1, 0, size, 0, 0,
                       size, 56 if bits == 64 else 32, len(segments), 0, 0, 0)
    at = size + 56 * len(segments)
    headers, contents = b"", b""
    for what, content in segments:
        headers += struct.pack("<IIQQQQQQ", what, 4, at + len(contents), 0, 0, len(content),
                               len(content), 1)
        contents += content
    return ident + head + headers + contents


GO_NOTE = struct.pack("<III", 4, 8, 4) + b"Go\0\0" + b"build-id"


# Programs of Debian

@pytest.mark.parametrize("program, status, words", [
    ("curl", FULLY, ["libcurl.so.4", "/curl"]),
    ("/usr/bin/python3", FULLY, ["its module ssl loads libssl", "/usr/bin/python3."]),
    ("git", FULLY, ["no TLS is in it"]),
    ("php", FULLY, ["RTLD_DEEPBIND"]),
    ("perl", FULLY, ["libssl"]),
    ("wget", FULLY, ["libgnutls.so"]),
    ("java", IN_PART, ["JSSE", "the status of an https answer is not"]),
    ("fzf", IN_PART, ["Go", "look-ups"]),
    ("bash", FULLY, ["shell: what it starts"]),
    ("/usr/bin/busybox", NOT, ["static", "What it starts"]),
])
def test_programs_of_debian_are_known(doctor, program, status, words):
    doctor(status, need(program), words=words)


def test_the_tls_of_node_is_its_own_unless_it_is_linked(doctor):
    libraries = subprocess.run(["ldd", need("node")], capture_output=True, text=True).stdout
    status, word = (FULLY, "libssl.so") if "libssl.so" in libraries else (IN_PART, "OpenSSL")
    doctor(status, "node", "script.js", words=[word, "texts of its own"])


def test_a_program_of_git_is_seen_by_its_libcurl(doctor):
    where = subprocess.check_output([need("git"), "--exec-path"], text=True).strip()
    doctor(FULLY, f"{where}/git-remote-https", words=["libcurl-gnutls.so.4", "git-remote-http."])


# How a program is found

def test_the_program_is_looked_for_in_the_path(doctor, file, tmp_path):
    file("early/tool", "not to be executed", mode=0o644)
    shutil.copy(need("true"), file("late/tool", ""))
    doctor(FULLY, "tool", words=[f"What runs is {tmp_path}/late/tool."],
           env={"PATH": f"{tmp_path}/none:{tmp_path}/early:{tmp_path}/late"})


def test_symbolic_links_are_followed(doctor, tmp_path):
    (tmp_path / "link").symlink_to(need("busybox"))
    doctor(NOT, "./link", words=["busybox"])


@pytest.mark.parametrize("line", [
    "#!{busybox} sh", "#! {busybox}\tsh  ", "#!/usr/bin/env busybox",
    "#!/usr/bin/env -S busybox sh", "#!/usr/bin/env -S -i --unset=C -u D -- A=b busybox sh",
    "#!/usr/bin/env -vS'busybox' sh", "#!/bin/sh\nexec busybox sh",
    "#!/bin/bash -e\nif :; then\n  exec env A=b 'busybox' \"$@\"\nfi\n",
    "#!/bin/sh\nexec \\\n  -a other busybox # the end\n", "exec busybox",
])
def test_scripts_are_followed_to_what_executes_them(doctor, file, line):
    file("script", line.format(busybox=need("busybox")) + "\n")
    doctor(NOT, "./script", "x", words=["static", f"What runs is {need('busybox')}."])


@pytest.mark.parametrize("script", [
    "#!/bin/sh\ncurl https://api.example\n", "#!/bin/sh\nexec \"$PROGRAM\" \"$@\"\n",
    "#!/bin/sh\nexec 3>&1\n", "#!/bin/sh\nexec >log\n",
    "#!/bin/sh\nexec busybox\necho more\n", "#!/bin/sh", "echo without a line\n",
])
def test_a_shell_script_is_seen_as_its_shell(doctor, file, script):
    file("script", script)
    doctor(FULLY, "./script", words=["That is a shell"])


def test_an_interpreter_is_looked_for_where_the_program_starts(doctor, file, tmp_path):
    (tmp_path / "interpreter").symlink_to(need("curl"))
    doctor(FULLY, file("script", "#!interpreter -s\n"), words=["libcurl.so.4"])


def test_scripts_of_scripts_are_followed(doctor, file, tmp_path):
    file("one", f"#!{tmp_path}/two\n")
    file("two", f"#!{tmp_path}/three with words\n")
    file("three", f"#!{need('busybox')}\n")
    doctor(NOT, "./one", words=["busybox"])


def test_scripts_that_lead_to_themselves_are_no_program(doctor, file, tmp_path):
    file("one", f"#!{tmp_path}/two\n")
    file("two", f"#!{tmp_path}/one\n")
    doctor(NOT_EXECUTABLE, "./one", words=["levels of symbolic links"])


def test_an_env_on_the_command_line_is_followed(doctor):
    doctor(NOT, "env", "-i", "A=b", "busybox", words=["busybox"])
    doctor(FULLY, "env", "A=b")


@pytest.mark.parametrize("words", [
    ["timeout", "5"], ["timeout", "-k", "3", "--signal", "KILL", "5"], ["nice", "-n", "5"],
    ["nice", "-5"], ["nohup", "--"], ["setsid", "-w"], ["stdbuf", "-oL", "--error", "0"],
    ["env", "A=b", "timeout", "5", "nice"],
])
def test_what_only_starts_another_program_is_followed(doctor, compiled, words):
    static = compiled("static", "-static")
    doctor(NOT, *words, static, words=["static", f"What runs is {static}"])
    doctor(FULLY, *words, "curl", words=["libcurl.so.4"])


def test_what_starts_nothing_is_itself(doctor):
    for words in (["timeout", "5"], ["nice"], ["nohup", "--"]):
        doctor(FULLY, *words, words=[f"What runs is {need(words[0])}"])


def test_a_program_that_is_given_to_its_loader_is_followed(doctor, cutout, hello):
    loader = next(Path(p) for p in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
                  if Path(p).exists())
    doctor(FULLY, loader, "--argv0", "busybox", hello, words=[f"What runs is {hello}"])
    assert cutout("run", "--", loader, hello).stderr == ""


# Programs whose loader does not add the library

def test_static_programs_are_not_seen(doctor, compiled):
    doctor(NOT, compiled("static", "-static"), words=["static program, "])
    doctor(NOT, compiled("static-pie", "-static-pie"), words=["static program, "])


def test_static_programs_of_go_are_not_seen(doctor, file):
    note = struct.pack("<III", 4, 4, 1) + b"GNU\0" + b"1234"
    doctor(NOT, file("go", elf(segments=[(PT_NOTE, note + GO_NOTE)])), words=["of Go"])


def test_programs_of_musl_are_not_seen(doctor, compiled):
    doctor(NOT, compiled("musl", compiler="musl-gcc"), words=["musl"])


@pytest.mark.parametrize("image, words", [
    (elf(bits=32, machine=EM_386), "32 bit, x86"), (elf(bits=32), "32 bit"),
    (elf(order=">", machine=EM_S390), "s390"), (elf(machine=0x4242), "unknown"),
    (elf(machine=EM_AARCH64 + EM_X86_64 - NATIVE), "64 bit"),
])
def test_programs_for_other_machines_are_not_seen(doctor, file, image, words):
    doctor(NOT, file("foreign", image), words=["another machine", words])


def test_programs_with_another_loader_are_not_seen(doctor, file):
    loader = file("linker64", "")
    doctor(NOT, file("other", elf(segments=[(PT_INTERP, bytes(loader) + b"\0")])),
           words=["is not that of glibc"])


@pytest.fixture
def public(command):
    """A directory that everybody may look into, with the command."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        shutil.copy(command, name)
        yield Path(name)


@pytest.fixture
def as_nobody(doctor, public):
    """doctor as a user to whom none of the test's files belong."""
    def run(*args, **options):
        return doctor(*args, before=[need("setpriv"), *NOBODY], command=public / "cutout",
                      **options)
    return run


@pytest.fixture
def hello(compiled, public):
    return shutil.copy(compiled("hello"), public)


@pytest.mark.parametrize("mode, words", [(0o4755, "set-uid"), (0o2755, "set-gid")])
def test_programs_that_gain_privileges_are_not_seen(doctor, as_nobody, hello, mode, words):
    os.chmod(hello, mode)
    as_nobody(NOT, hello, words=[words])
    doctor(FULLY, hello)
    os.chmod(hello, 0o755)
    as_nobody(FULLY, hello)


def test_sudo_is_not_seen(as_nobody):
    as_nobody(NOT, need("sudo"), words=["set-uid"])


def test_programs_with_capabilities_are_not_seen(doctor, as_nobody, hello):
    subprocess.run([need("setcap"), "cap_net_raw+ep", hello], check=True)
    as_nobody(NOT, hello, words=["file capabilities"])
    doctor(FULLY, hello)


# Wrappers

def test_snaps_are_not_seen(doctor, file, tmp_path):
    shutil.copy(need("true"), file("usr/snap", ""))
    (tmp_path / "tool").symlink_to("usr/snap")
    doctor(NOT, "./tool", words=["snap"])
    file("chromium", f"#!/bin/sh\nif [ -x x ]; then\n  exit 1\nfi\nexec {tmp_path}/tool \"$@\"\n")
    doctor(NOT, "./chromium", words=["snap"])


def test_programs_of_flatpak_are_not_seen(doctor, file, tmp_path):
    shutil.copy(need("true"), file("flatpak", ""))
    file("org.example.Tool", f"#!/bin/sh\nexec {tmp_path}/flatpak run --branch=stable x \"$@\"\n")
    doctor(NOT, "./org.example.Tool", words=["flatpak"])
    doctor(NOT, "./flatpak", "run", "org.example.Tool", words=["sandbox"])
    doctor(FULLY, "./flatpak", "list")


def test_what_runs_in_a_container_is_not_seen(doctor, file, tmp_path):
    shutil.copy(need("true"), file("podman", ""))
    file("docker", f"#!/bin/sh\nexec {tmp_path}/podman \"$@\"\n")
    doctor(NOT, "./docker", "run", "-i", "image", words=["container"])
    doctor(FULLY, "./docker", "ps")


# TLS and sanitizers

@pytest.mark.parametrize("text, status, words", [
    ("OpenSSL 3.0.2 15 Mar 2022", IN_PART, "(OpenSSL)"),
    ("third_party/BoringSSL", IN_PART, "BoringSSL"),
    ("rustls-0.23.4/src/conn.rs", IN_PART, "rustls"), ("libssl.so.3", IN_PART, "dlsym"),
    ("just a word", FULLY, "no TLS")])
def test_the_tls_of_a_program_is_known_by_its_texts(doctor, compiled, text, status, words):
    source = f'#include <stdio.h>\nint main(void) {{ return puts("{text}") < 0; }}\n'
    doctor(status, compiled("texts", source=source), words=[words])


def test_a_text_is_found_wherever_it_lies(doctor, compiled):
    program = compiled("hello")
    size = program.stat().st_size
    for end in range((1 << 18) - 3, (1 << 18) + 12, 4):
        image = program.read_bytes()[:size]
        program.write_bytes(image + bytes(end - size - 4) + b"BoringSSL" + bytes(1 << 18))
        doctor(IN_PART, program, words=["BoringSSL"])


def test_libraries_of_libraries_are_looked_at(doctor, compiled, tmp_path):
    compiled("libinner.so", "-shared", "-fPIC", "-Wl,--no-as-needed", "-l:libcurl.so.4",
             source="int inner;")
    program = compiled("linked", "-Wl,--no-as-needed", f"-L{tmp_path}", "-linner",
                       f"-Wl,-rpath,{tmp_path}", f"-Wl,-rpath-link,{tmp_path}")
    doctor(FULLY, program, words=["libcurl.so.4"])
    (tmp_path / "libinner.so").unlink()
    doctor(NOT_FOUND, program, words=["needs libinner.so"])


def test_tls_in_a_library_that_comes_with_the_program_is_found(doctor, compiled, tmp_path):
    compiled("libinner.so", "-shared", "-fPIC", source='const char *name = "BoringSSL";')
    program = compiled("linked", "-Wl,--no-as-needed", f"-L{tmp_path}", "-linner",
                       "-Wl,-rpath,$ORIGIN")
    doctor(IN_PART, program, words=["BoringSSL"])


def test_a_sanitizer_build_says_what_to_preload(doctor, cutout, compiled):
    program = compiled("asan", "-fsanitize=address")
    said = doctor(IN_PART, program, words=["sanitizer"]).stdout
    runtime = re.search(r"LD_PRELOAD=(\S+libasan\.so\.\d+)", said)[1]
    result = cutout("run", program, env={"LD_PRELOAD": runtime})
    assert (result.returncode, result.stdout) == (0, "hello\n")


def test_nothing_of_the_program_is_run(doctor, compiled, tmp_path):
    source = ("#include <fcntl.h>\n__attribute__((constructor)) static void f(void)"
              f'{{ creat("{tmp_path}/ran", 0600); }}\n')
    compiled("libran.so", "-shared", "-fPIC", source=source)
    program = compiled("runs", "-Wl,--no-as-needed", f"-L{tmp_path}", "-lran",
                       f"-Wl,-rpath,{tmp_path}")
    doctor(FULLY, program)
    assert not (tmp_path / "ran").exists()


# Files that are no programs

def test_what_is_not_there_is_127(doctor):
    doctor(NOT_FOUND, "no-such-program", words=["no-such-program", "No such file"])
    doctor(NOT_FOUND, "./no-such-program")
    doctor(NOT_FOUND, "")


def test_an_interpreter_or_a_loader_that_is_not_there_is_127(doctor, file):
    doctor(NOT_FOUND, file("script", "#!/no/such/interpreter\n"), words=["/no/such/interpreter"])
    doctor(NOT_FOUND, file("program", elf(segments=[(PT_INTERP, b"/no/such/ld-linux.so\0")])),
           words=["/no/such/ld-linux.so"])


def test_what_cannot_be_executed_is_126(doctor, file, tmp_path):
    os.mkfifo(tmp_path / "fifo", 0o755)
    for path in (tmp_path, tmp_path / "fifo", "/dev/null", file("plain", "echo", mode=0o644)):
        doctor(NOT_EXECUTABLE, path, words=[str(path), "Permission denied"])


@pytest.mark.parametrize("image", [
    b"\x7fELF", b"\x7fELF" + bytes(60), elf()[:40], elf(), elf(kind=1), elf(kind=4),
    elf(segments=[(PT_INTERP, b"x")])[:100], elf(segments=[(PT_INTERP, b"/no/end")]),
    elf(segments=[(PT_INTERP, b"/cut/short\0" * 2)])[:-1], elf(segments=[(PT_INTERP, b"\0")]),
    elf(segments=[(PT_LOAD, bytes(100))])[:-1],
    b"\x7fELF" + bytes([2, 3]) + bytes(100), b"\0\1\2\3",
])
def test_what_is_no_whole_program_is_126(doctor, file, image):
    doctor(NOT_EXECUTABLE, file("broken", image), words=["broken"])


def test_what_cannot_be_read_cannot_be_told(as_nobody, hello):
    os.chmod(hello, 0o711)
    as_nobody(CANNOT_TELL, hello, words=["Permission denied"])


@pytest.mark.parametrize("args", [[], ["--"], ["--bogus", "curl"]])
def test_a_mistake_on_the_command_line_is_125(cutout, args):
    result = cutout("doctor", *args)
    assert (result.returncode, result.stdout) == (CANNOT_TELL, "")
    assert "usage: cutout doctor" in result.stderr


# What cutout run says of it

def test_run_warns_of_what_is_not_seen_and_runs_it(cutout, compiled):
    program = compiled("static", "-static")
    result = cutout("run", "--state", "process", program)
    assert (result.returncode, result.stdout) == (0, "hello\n")
    assert result.stderr == (f"cutout run: '{program}' is not seen: it is a static program, "
                             "and no loader adds the library to it\n")


def test_run_leaves_a_program_of_musl_as_it_is(cutout, compiled):
    result = cutout("run", compiled("musl", compiler="musl-gcc"))
    assert (result.returncode, result.stdout) == (0, "hello\n")
    assert "musl" in result.stderr and result.stderr.count("\n") == 1


def test_run_warns_of_a_script_whose_interpreter_is_not_seen(cutout, file):
    file("script", "#!/usr/bin/env -S busybox sh\necho hello\n")
    result = cutout("run", "./script")
    assert (result.returncode, result.stdout) == (0, "hello\n")
    assert result.stderr.startswith("cutout run: './script' is not seen: ")
    assert result.stderr.count("\n") == 1


def test_run_says_nothing_where_the_user_switched_the_library_off(cutout, compiled):
    result = cutout("run", compiled("static", "-static"), env={"CUTOUT_OFF": "1"})
    assert (result.returncode, result.stdout, result.stderr) == (0, "hello\n", "")


@pytest.mark.parametrize("program", ["true", "node", "java", "fzf"])
def test_run_says_nothing_of_what_is_seen_at_least_in_part(cutout, program):
    result = cutout("run", need(program), "--version")
    assert (result.returncode, "cutout" in result.stderr) == (0, False)
