"""The client programs: each makes one attempt for each URL, in one process."""

import fcntl
import subprocess
from pathlib import Path

from support.run import clean_environment, need

CLIENTS = ("urllib", "requests", "fetch", "java", "wget", "bash")
# /dev/tcp speaks no TLS.
TLS_CLIENTS = CLIENTS[:-1]
# What wget and curl tell of time and memory: no two runs of them agree on it.
VOLATILE = (rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|wall clock time: [\d.]+s|in [\d.]+s \([^)]*/s\)"
            rb"|after \d+ ms|0x[0-9a-f]{6,}")

HERE = Path(__file__).parent / "clients"
# A small heap and one compiler: half the start-up time.
JAVA = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"]


class Clients:
    """clients(NAME, TIMEOUT, URL...) gives the words of a command line. Prints
    `STATUS BODY` or the error's text for each URL (wget and bash in their own
    words); the exit code is not 0 when one failed."""

    def __init__(self, shared_directory):
        self.shared = shared_directory

    def __call__(self, name, timeout, *urls):
        words = [str(timeout), *map(str, urls)]
        if name == "urllib":
            return [need("/usr/bin/python3"), str(HERE / "urllib_loop.py"), *words]
        if name == "requests":
            return [need("/usr/bin/python3"), str(HERE / "requests_loop.py"), *words]
        if name == "fetch":
            return [need("node"), str(HERE / "fetch_loop.mjs"), *words]
        if name == "java":
            return [need("java"), *JAVA, "-cp", str(self.java_classes()), "HttpLoop", *words]
        if name == "wget":
            return [need("wget"), "-nv", "-O", "-", "--tries=1", f"--timeout={words[0]}",
                    *words[1:]]
        assert name == "bash", f"there is no client {name}"
        return [need("bash"), str(HERE / "tcp_loop.bash"), *words]

    def java_classes(self):
        """Compiled once, also when several workers ask at the same time."""
        classes = self.shared / "classes"
        with open(self.shared / "classes.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (classes / "HttpLoop.class").exists():
                subprocess.run([need("javac"), "-d", str(classes), str(HERE / "HttpLoop.java")],
                               check=True, env=clean_environment(self.shared))
        return classes
