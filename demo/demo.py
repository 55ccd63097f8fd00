"""Plays a carrier that is well, then accepts calls and never answers, then is back, and
shows what a shell that starts one program for each call makes of it: demo.py CUTOUT

The same shell meets the same outage without cutout at the same time, unseen, so that
the end can say how long that took."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVER = HERE.parent / "tests" / "support" / "server.py"
WELL, DOWN, AFTER = 4, 12, 3    # calls before the outage, in it, and after its end
REFUSALS = 1000

# What a call says of itself, on stderr: "call PROGRAM SECONDS ANSWER".
CURL = ("curl --disable --silent --output /dev/null "
        r"--write-out '%{stderr}call curl %{time_total} %{http_code} %{errormsg}\n'")
TREE = f"""
while :; do
    n=$((n + 1))
    if [ $((n % 4)) = 0 ]; then
        '{sys.executable}' '{HERE}/client.py' "$1"
    else
        {CURL} --max-time 1 "$1"
    fi
    sleep 0.3
done"""
MANY = CURL + ' --max-time 0.2 "$1?call=[1-' + str(REFUSALS + 3) + ']"'


class Carrier:
    """The project's own test server; its rules are those beside this file."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, SERVER, "--bind", "127.0.0.1"],
                                        stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        _, self.port, self.control = self.process.stdout.readline().split()
        self.rules = tempfile.NamedTemporaryFile("w", suffix=".rules")
        self.rules.write((HERE / "demo.rules").read_text().replace(":8080", f":{self.port}"))
        self.rules.flush()

    def ask(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.control}/{path}") as answer:
            return answer.read()

    def requests_around_probes(self):
        """(time, path) of the request before the first probe to the one after the last."""
        log = [(event["time"], event["path"]) for event in json.loads(self.ask("log"))
               if event["event"] == "request"]
        probes = [number for number, (_, path) in enumerate(log) if "probe" in path]
        return log[probes[0] - 1:probes[-1] + 2]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.rules.close()


class Scene:
    """A shell that makes calls, and a carrier that goes down and comes back meanwhile."""

    def __init__(self, script, cutout=None, log="off", out=None):
        self.carrier, self.out = Carrier(), out
        self.calls = []         # how long each took, as its program says
        self.closed_at = None   # the number of calls when the breaker closed
        self.last = None
        self.thread = None
        prefix = [cutout, "run", "--rules", self.carrier.rules.name, "--log", log, "--"]
        url = f"http://127.0.0.1:{self.carrier.port}/ok"
        self.process = subprocess.Popen(
            [*(prefix if cutout else []), "sh", "-c", script, "sh", url], text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def play_unseen(self):
        self.thread = threading.Thread(target=self.play)
        self.thread.start()

    def play(self):
        for line in self.process.stderr:
            line = line.rstrip()
            if line.startswith("call "):
                self.one_call(*line.split(" ", 3)[1:])
            elif " refuse " not in line:
                self.say("    " + re.sub(r"total=.*p99_ms=\d+ ", "", line))
                if "to=closed" in line:
                    self.closed_at = len(self.calls)
            if self.is_over():
                self.end()

    def is_over(self):
        since = WELL + DOWN if self.out is None else self.closed_at
        return since is not None and len(self.calls) >= since + AFTER

    def one_call(self, program, took, answer):
        self.calls.append(float(took))
        answer = answer.removeprefix("000 ")
        if (program, answer) != self.last or "unavailable" not in answer:
            self.say(f"{len(self.calls):3}  {program:7}  {duration(float(took)):>9}  {answer}")
        self.last = (program, answer)
        if len(self.calls) == WELL:
            self.carrier.ask("mode/hang")
            self.say(" --  the carrier does not answer any more")
        elif len(self.calls) == WELL + DOWN:
            self.carrier.ask("mode/auto")
            self.say(" --  the carrier is back")

    def say(self, text):
        if self.out:
            print(text, file=self.out, flush=True)

    def waited(self):
        return sum(self.calls[WELL:WELL + DOWN])

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        if self.process.poll() is None:
            self.end()
        if self.thread:
            self.thread.join()
        self.process.stderr.read()      # until the companion has ended as well
        self.process.wait()
        self.carrier.stop()


def time_of_refusals(cutout, started):
    """How long one curl takes for a thousand refusals, from the first to the last."""
    scene = Scene(MANY, cutout)
    started.append(scene)
    scene.carrier.ask("mode/hang")
    stamps = [time.perf_counter() for line in scene.process.stderr if "unavailable" in line]
    return (stamps[-1] - stamps[0]) / (len(stamps) - 1)


def duration(seconds):
    return f"{seconds:.3f} s" if seconds >= 0.001 else f"{seconds * 1e6:.0f} us"


def play(cutout, started):
    bare = Scene(TREE)
    started.append(bare)
    bare.play_unseen()
    print("One shell under cutout starts a program for each call: curl, at each fourth call\n"
          "python3. In the outage the carrier accepts connections and never answers.\n"
          "TOOK is what the programs say; for a refusal curl's clock does not start.\n"
          "Of refusals that repeat themselves the first is shown.\n\n"
          "CALL PROGRAM       TOOK  ANSWER", flush=True)
    shown = Scene(TREE, cutout, "info", sys.stdout)
    started.append(shown)
    shown.play()
    print("\nThe carrier's own log, from the last call before the first probe to the first\n"
          "call after the last:\n")
    requests = shown.carrier.requests_around_probes()
    for when, path in requests:
        print(f"  {when - requests[0][0]:6.1f} s  {path}")
    bare.thread.join()
    print(f"\nTime spent in the {DOWN} calls of the outage, as measured just now:\n\n"
          f"  without cutout  {bare.waited():5.1f} s\n  with cutout     {shown.waited():5.1f} s")
    print(f"\nOne refusal, of {REFUSALS} that one curl met and printed: "
          f"{duration(time_of_refusals(cutout, started))}")


def stop_at_signal(number, _):
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def main():
    started = []
    for name in [name for name in os.environ if name.startswith("CUTOUT_")]:
        del os.environ[name]
    os.environ.update({"LC_ALL": "C", "no_proxy": "*"})
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop_at_signal)
    try:
        play(sys.argv[1], started)
    except BrokenPipeError:     # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        for scene in started:
            scene.stop()


if __name__ == "__main__":
    main()
