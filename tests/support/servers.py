"""Starts and steers support/server.py."""

import http.client
import json
import subprocess
from pathlib import Path

from support.run import clean_environment, need

SERVER = Path(__file__).with_name("server.py")


def dies_with_us(argv):
    """So that a killed test run leaves nothing behind."""
    return [need("setpriv"), "--pdeathsig", "KILL", *argv]


class Server:
    """A running server.py. `certs` (support.certs) makes it an https one; `env`
    is what a program needs to trust it; `inside` is a namespace's prefix."""

    def __init__(self, tmp_path, certs=None, inside=(), bind=(), port=0):
        self.inside = list(inside)
        self.scheme = "https" if certs else "http"
        self.env = certs.env if certs else {}
        self.ca = certs.ca if certs else None
        argv = ["/usr/bin/python3", "-I", SERVER, "--port", port]
        argv += ["--tls", certs.cert, certs.key] if certs else []
        for address in bind:
            argv += ["--bind", address]
        argv = [*self.inside, *dies_with_us(argv)]
        self.process = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, env=clean_environment(tmp_path))
        word, *ports = self.process.stdout.readline().decode().split() or [""]
        assert word == "ready", "support/server.py did not start; its stderr says why"
        self.port, self.control_port = map(int, ports)

    def url(self, path="/ok", host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.port}{path}"

    def control(self, path):
        if self.inside:
            url = f"http://127.0.0.1:{self.control_port}{path}"
            return subprocess.check_output([*self.inside, need("curl"), "-s", url],
                                           env={}, text=True).strip()
        connection = http.client.HTTPConnection("127.0.0.1", self.control_port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode().strip()
        finally:
            connection.close()

    def mode(self, name=None):
        """Set the mode (`ok`, `500`, `hang`, ... or `auto`), or tell it."""
        return self.control(f"/mode/{name}" if name else "/mode")

    def log(self, event=None):
        """What it saw, as dicts: time, connection, event (`connect`, `request`
        or `end`), the bytes received so far, and of a request method, path and agent."""
        return [e for e in json.loads(self.control("/log")) if event in (None, e["event"])]

    def requests(self):
        return self.log("request")

    def connections(self):
        return len(self.log("connect"))

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
