"""The client programs: each makes one attempt for each URL, most of them in one process."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from support.run import clean_environment, need

CLIENTS = ("urllib", "requests", "fetch", "java", "wget", "bash")
# /dev/tcp speaks no TLS.
TLS_CLIENTS = CLIENTS[:-1]
NPM_CLIENTS = {"axios": "axios@1.7.9", "openai": "openai@4.104.0",
               "anthropic": "@anthropic-ai/sdk@0.39.0"}
# What wget and curl tell of time and memory: no two runs of them agree on it.
VOLATILE = (rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|wall clock time: [\d.]+s|in [\d.]+s \([^)]*/s\)"
            rb"|after \d+ ms|0x[0-9a-f]{6,}")

HERE = Path(__file__).parent / "clients"
# A small heap and one compiler: half the start-up time.
JAVA = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"]



def once(directory, name, make):
    """directory/name, which `make` fills: once, also when several workers ask at a time."""
    made = directory / name
    with open(directory / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            draft = directory / f"{name}.draft"
            draft.mkdir(exist_ok=True)
            make(draft)
            draft.rename(made)
    return made


def run_in(directory, *argv, **env):
    """Runs what builds or installs something there; its words are shown where it fails."""
    done = subprocess.run([need(argv[0]), *map(str, argv[1:])], cwd=directory, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                          env={**clean_environment(directory), **env})
    assert done.returncode == 0, f"{argv} failed in {directory}:\n{done.stdout[-2000:]}"


def with_npm(packages, *scripts):
    """A `make` for once(): a directory where the scripts find npm packages (words of a text)."""
    def make(directory):
        (directory / "package.json").write_text('{"private": true}')
        run_in(directory, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline",
               *packages.split(), **os.environ)
        for script in scripts:
            shutil.copy(HERE / script, directory)
    return make


def make_java(directory):
    run_in(directory, "javac", "-d", ".", *[HERE / f"{n}.java" for n in JAVA_CLIENTS.values()],
           HERE / "Loop.java")


def make_rust(directory):
    """With Debian's crates alone; what cargo builds of them stays in the build tree."""
    (directory / ".cargo").mkdir()
    (directory / ".cargo/config.toml").write_text(
        '[source.crates-io]\nreplace-with = "debian"\n'
        '[source.debian]\ndirectory = "/usr/share/cargo/registry"\n')
    shutil.copytree(HERE / "rust", directory, dirs_exist_ok=True)
    built = Path(os.environ["CUTOUT_BUILDDIR"], "clients.built")
    run_in(directory, "/usr/bin/cargo", "build", "--offline", "--quiet", RUSTC="/usr/bin/rustc",
           CARGO_TARGET_DIR=str(built))
    shutil.copy(built / "debug/loop", directory)


PYTHON_CLIENTS = ("urllib", "httpclient", "requests", "httpx", "httpx_async", "aiohttp", "pycurl")
NODE_CLIENTS = ("fetch", "node_http")
PERL_CLIENTS = ("lwp", "http_tiny")
JAVA_CLIENTS = {"java": "HttpLoop", "java_url": "UrlLoop"}
RUST_CLIENTS = {"rust_std": "std", "rust_ureq": "ureq"}
PHP_CLIENTS = {"php_curl": "curl", "php_streams": "streams"}
# A process for each URL.
EACH_CLIENTS = ("git", "psql", "redis", "ssh")


class Clients:
    """clients(NAME, TIMEOUT, WORD...) gives the words of a command line; a WORD is a
    URL, or the seconds of a pause (not for wget and curl). Prints `STATUS BODY` or the
    error's text for each URL (wget, bash and curl in their own words); the exit code is
    not 0 when one failed (PHP's always is)."""

    def __init__(self, shared_directory):
        self.shared = shared_directory

    def __call__(self, name, timeout, *urls):
        words = [str(timeout), *map(str, urls)]
        if name in PYTHON_CLIENTS:
            return [need("/usr/bin/python3"), str(HERE / f"{name}_loop.py"), *words]
        if name in NODE_CLIENTS:
            return [need("node"), str(HERE / f"{name}_loop.mjs"), *words]
        if name in NPM_CLIENTS:
            script = f"{name}_loop.mjs"
            made = once(self.shared, name, with_npm(NPM_CLIENTS[name], script, "loop.mjs"))
            return [need("node"), str(made / script), *words]
        if name in JAVA_CLIENTS:
            classes = str(once(self.shared, "classes", make_java))
            return [need("java"), *JAVA, "-cp", classes, JAVA_CLIENTS[name], *words]
        if name in PERL_CLIENTS:
            return [need("perl"), str(HERE / f"{name}_loop.pl"), *words]
        if name == "net_http":
            return [need("ruby"), str(HERE / "net_http_loop.rb"), *words]
        if name in RUST_CLIENTS:
            program = once(self.shared, "rust", make_rust) / "loop"
            return [str(program), RUST_CLIENTS[name], *words]
        return self.other(name, words)

    def other(self, name, words):
        if name in PHP_CLIENTS:
            return [need("php"), str(HERE / "php_loop.php"), PHP_CLIENTS[name], *words]
        if name == "wget":
            return [need("wget"), "-nv", "-O", "-", "--tries=1", f"--timeout={words[0]}",
                    *words[1:]]
        if name in ("curl", "curl_parallel"):
            parallel = ["--parallel", "--parallel-max", "1"] if name == "curl_parallel" else []
            return [need("curl"), "-sS", *parallel, "--max-time", *words]
        if name in EACH_CLIENTS:
            return [need("bash"), str(HERE / "each_loop.bash"), name, *words]
        assert name == "bash", f"there is no client {name}"
        return [need("bash"), str(HERE / "tcp_loop.bash"), *words]
