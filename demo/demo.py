"""Plays a carrier that is well, then does not answer, then is back, and shows what two
ordinary programs make of it under cutout: demo.py CUTOUT

The same programs meet the same outages without cutout at the same time, unseen, so
that the end can say how long that took."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVER = HERE.parent / "tests" / "support" / "server.py"
WELL, DOWN, AFTER = 3, 9, 5     # calls before the outage, in it, and after it
CALLS = WELL + DOWN + AFTER
REFUSALS = 1000


class HangingCarrier:
    """The project's own test server: in an outage it accepts and never answers."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, SERVER, "--bind", "127.0.0.1"],
                                        stdout=subprocess.PIPE, text=True)
        _, self.port, self.control = self.process.stdout.readline().split()

    def set_down(self, down):
        mode = "hang" if down else "auto"
        urllib.request.urlopen(f"http://127.0.0.1:{self.control}/mode/{mode}").close()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class UnreachableCarrier:
    """In an outage nobody takes connections off its queue, so that connects hang."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.port = self.listener.getsockname()[1]
        self.is_well = threading.Event()
        self.is_well.set()
        self.queue = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.is_well.wait()
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                if self.is_well.is_set() and connection.recv(65536):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                                       b"Connection: close\r\n\r\nok\n")

    def set_down(self, down):
        if not down:
            for filler in self.queue:
                filler.close()
            self.queue = []
            self.is_well.set()
            return
        self.is_well.clear()
        for _ in range(5):      # one ends the accept that waits, the others stay
            self.queue.append(socket.socket())
            self.queue[-1].setblocking(False)
            self.queue[-1].connect_ex(("127.0.0.1", self.port))
            time.sleep(0.02)

    def stop(self):
        self.listener.close()
        for filler in self.queue:
            filler.close()


def curl(port, calls=CALLS, pace=("--rate", "2/s"), patience=2):
    """One curl that makes all the calls; it says on stderr how each went."""
    said = r"%{stderr}call %{time_total} %{http_code} %{errormsg}\n"
    return ["curl", "--disable", "--silent", "--max-time", str(patience), *pace,
            "--output", "/dev/null", "--write-out", said,
            f"http://127.0.0.1:{port}/ok?call=[1-{calls}]"]


def python(port):
    return [sys.executable, str(HERE / "client.py"), f"http://127.0.0.1:{port}/ok", str(CALLS)]


class Scene:
    """A program, and a carrier that goes down and comes back in the course of its calls."""

    def __init__(self, carrier, command, prefix=(), out=None):
        self.carrier, self.out, self.is_stopped = carrier, out, False
        self.calls = []         # how long each took, as the program says
        self.process = subprocess.Popen([*prefix, *command(carrier.port)], text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def play(self):
        try:
            for line in self.process.stderr:
                if line.startswith("call "):
                    self.one_call(line)
                else:
                    self.say(f"      {line.rstrip()}")
        except OSError:
            if not self.is_stopped:
                raise

    def one_call(self, line):
        _, took, answer = line.rstrip().split(" ", 2)
        self.calls.append(float(took))
        self.say(f"  {len(self.calls):2}  {duration(float(took)):>9}  "
                 f"{answer.removeprefix('000 ')}")
        if len(self.calls) == WELL:
            self.carrier.set_down(True)
            self.say("  --  the carrier does not answer any more")
        elif len(self.calls) == WELL + DOWN:
            self.carrier.set_down(False)
            self.say("  --  the carrier is back")

    def say(self, text):
        if self.out:
            print(text, file=self.out, flush=True)

    def waited(self):
        return sum(self.calls[WELL:WELL + DOWN])

    def stop(self):
        self.is_stopped = True
        self.process.kill()
        self.process.wait()
        self.carrier.stop()


def cutout_run(cutout, log):
    return [cutout, "run", "--rules", str(HERE / "demo.rules"), "--log", log, "--"]


def time_of_refusals(cutout, started):
    """How long one curl takes for a thousand refusals, from the first to the last."""
    carrier = HangingCarrier()
    carrier.set_down(True)
    scene = Scene(carrier, lambda port: curl(port, REFUSALS + 4, (), 0.2),
                  cutout_run(cutout, "off"))
    started.append(scene)
    stamps = [time.perf_counter() for line in scene.process.stderr if "unavailable" in line]
    return (stamps[-1] - stamps[0]) / (len(stamps) - 1)


def duration(seconds):
    return f"{seconds:.3f} s" if seconds >= 0.001 else f"{seconds * 1e6:.0f} us"


def play(cutout, started):
    clients = [("curl", HangingCarrier, curl, "accepts connections and never answers.\n"
                "TOOK is what curl says; for a refusal its clock does not start"),
               ("python3", UnreachableCarrier, python, "takes no connections")]
    bare, threads, shown = [], [], []

    for _, carrier, command, _ in clients:
        bare.append(Scene(carrier(), command))
        started.append(bare[-1])
        threads.append(threading.Thread(target=bare[-1].play, daemon=True))
        threads[-1].start()
    for name, carrier, command, how in clients:
        print(f"\nOne {name}, {CALLS} calls, under cutout. "
              f"In the outage the carrier {how}.\n\nCALL       TOOK  ANSWER", flush=True)
        shown.append(Scene(carrier(), command, cutout_run(cutout, "warn"), sys.stdout))
        started.append(shown[-1])
        shown[-1].play()
    for thread in threads:
        thread.join()
    print(f"\nTime spent in the {DOWN} calls of the outage, as measured just now:\n\n"
          "             without   with cutout")
    for (name, *_), with_it, without in zip(clients, shown, bare):
        print(f"  {name:7}  {without.waited():8.1f} s  {with_it.waited():10.1f} s")
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
