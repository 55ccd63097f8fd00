"""fallback_steps.py STEP...   one line for each; WHERE is HOST:PORT.
`connect=WHERE`, `poll=WHERE` (non-blocking, and again when it is writable), `mapped=WHERE`
(an IPv6 socket to the v4-mapped address), `six=WHERE` (an IPv6 socket, any address),
`same=WHERE` (the address of the latest look-up), `look=WHERE`, `open=WHERE` and `ask` (on one
connection that is kept), `own` (127.0.0.1), `child=STEP` and `thread=STEP` (in a forked
child, in a new thread), `0.5` sleeps."""
import errno
import os
import select
import socket
import sys
import threading
import time

looked_up = []
kept = []


def stream(family=socket.AF_INET):
    sock = socket.socket(family)
    sock.settimeout(20)
    return sock


def look(host, port, **hints):
    looked_up[:] = [a[4] for a in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, **hints)]
    return looked_up


def connect(host, port):
    with socket.create_connection((host, port), 20) as sock:
        return sock.getpeername()[0]


def poll(host, port):
    with stream() as sock:
        sock.setblocking(False)
        began = sock.connect_ex(look(host, port, family=socket.AF_INET)[0])
        poller = select.poll()
        poller.register(sock, select.POLLOUT)
        poller.poll(20_000)
        error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        again = sock.connect_ex(looked_up[0]) if error == 0 else error
        return " ".join(errno.errorcode.get(number, "0") for number in (began, error, again))


def six(host, port, **hints):
    with stream(socket.AF_INET6) as sock:
        sock.connect(look(host, port, family=socket.AF_INET6, **hints)[0])
        return sock.getpeername()[0]


def same(_host, port):
    with stream() as sock:
        sock.connect((looked_up[0][0], port))
        return sock.getpeername()[0]


def ask():
    kept[0].sendall(b"GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return kept[0].recv(4096).split(b"\r\n")[0].decode()


def begin(host, port):
    kept[:] = [socket.create_connection((host, port), 20)]
    return ask()


def own(_host, port):
    with stream() as sock:
        sock.connect(("127.0.0.1", port))
        return sock.getpeername()[0]


def thread(step):
    there = threading.Thread(target=take, args=[step])
    there.start()
    there.join()


def child(step):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        take(step)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)


def take(step):
    verb, _, where = step.partition("=")
    if verb == "child":
        return child(where)
    if verb == "thread":
        return thread(where)
    if verb[0].isdigit():
        return time.sleep(float(verb))
    host, _, port = where.rpartition(":")
    try:
        if verb == "ask":
            told = ask()
        elif verb == "look":
            told = " ".join(sorted(a[0] for a in look(host, int(port))))
        elif verb == "mapped":
            told = six(host, int(port), flags=socket.AI_V4MAPPED)
        else:
            told = {"connect": connect, "poll": poll, "six": six, "same": same, "own": own,
                    "open": begin}[verb](host, int(port))
        print(told, flush=True)
    except OSError as error:
        print(error, flush=True)


for word in sys.argv[1:]:
    take(word)
