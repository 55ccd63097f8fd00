#!/usr/bin/python3
"""One real HTTP server that can be well, slow, broken or dead, on request.

    server.py [--port N] [--tls CERT KEY] [--control PORT] [--bind ADDRESS]...

Prints `ready PORT CONTROLPORT` once it listens. Without --bind it is on
127.0.0.1 and, where there is one, on ::1 at the same port.

What a path does:

    /ok              200, "ok"
    /status/CODE     that status; its body is the code
    /slow/SECONDS    as /ok, but the first byte comes only then
    /drip/SECONDS    the head at once, the body only then
    /bytes/N         200 and a body of N bytes
    /echo            200 and the request as JSON: method, path, headers, body
    /partial         an answer that ends before its Content-Length
    /hang            reads the request and never answers
    /reset           reads the request and resets the connection
    /close           reads the request and closes
    /leave           as /ok, and closes the connection without having said so
    /git             what a git client asks for first: one reference

More may follow a path after a further slash (/status/404/info/refs). With ?close
the answer says `Connection: close`, and the connection ends.

A mode, while it is set, stands above every path: any of the above without its
first slash (`ok`, `slow/2`), a bare status (`500`), or one of

    hang-accept      accepts and never reads; no TLS handshake either
    refuse           does not listen: connects are refused
    auto             none, back to the paths (the start)

The control port speaks HTTP, so that curl can drive it:

    /mode            tells the mode        /mode/NAME    sets it
    /log             all events as a JSON array          /stop   ends the server
"""

import argparse
import json
import os
import socket
import struct
import sys
import threading
import time

BACKLOG = 128
MAX_HEAD = 1 << 16


class Log:
    """What happened, in order: connect, request and end of each connection."""

    def __init__(self):
        self.lock = threading.Lock()
        self.events = []
        self.connections = 0

    def connect(self):
        with self.lock:
            self.connections += 1
            number = self.connections
        self.add(number, "connect")
        return number

    def add(self, connection, event, **fields):
        entry = {"time": time.monotonic(), "connection": connection, "event": event, **fields}
        with self.lock:
            self.events.append(entry)

    def copy(self):
        with self.lock:
            return list(self.events)


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body

    def wants_close(self):
        return self.path.endswith("?close") or "close" in self.headers.get("connection", "").lower()


class Reader:
    """Reads HTTP/1.1 requests off a socket; None at its end."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = b""

    def more(self):
        data = self.sock.recv(65536)
        self.buffer += data
        return bool(data)

    def until(self, mark):
        while mark not in self.buffer:
            if len(self.buffer) > MAX_HEAD or not self.more():
                return None
        part, self.buffer = self.buffer.split(mark, 1)
        return part

    def exactly(self, size):
        while len(self.buffer) < size:
            if not self.more():
                return None
        part, self.buffer = self.buffer[:size], self.buffer[size:]
        return part

    def chunks(self):
        body = b""
        while True:
            line = self.until(b"\r\n")
            if line is None:
                return None
            size = int(line.split(b";")[0], 16)
            chunk = self.exactly(size)
            if chunk is None or self.until(b"\r\n") is None:
                return None
            if size == 0:
                return body
            body += chunk

    def request(self):
        head = self.until(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.split(":", 1) for line in lines)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        if headers.get("expect", "").lower() == "100-continue":
            self.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self.chunks()
        else:
            body = self.exactly(int(headers.get("content-length", 0)))
        return None if body is None else Request(method, path, headers, body)


def answer(request, status, body, length=None):
    """Head and body of an answer. No Date: two runs must give the same bytes."""
    head = (f"HTTP/1.1 {status} Status-{status}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body) if length is None else length}\r\n")
    if request.wants_close():
        head += "Connection: close\r\n"
    bodiless = request.method == "HEAD" or status in (204, 304)
    return (head + "\r\n").encode(), b"" if bodiless else body


def received(sock):
    """The bytes that came on a connection, as the kernel counts them; its end is one more."""
    if sock.fileno() < 0:
        return None
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
    return struct.unpack_from("Q", info, 128)[0]


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def wait_for_end(sock):
    """Never answer: hold the connection until the client is gone."""
    while sock.recv(65536):
        pass


def act(sock, request, action):
    """Do what `action` says with one request; False ends the connection."""
    verb, value, *_ = (action + "/").split("/")
    if verb.isdigit():
        verb, value = "status", verb
    status, body = 200, b"ok\n"
    if verb == "hang":
        wait_for_end(sock)
        return False
    if verb == "reset":
        reset(sock)
        return False
    if verb in ("close", "refuse"):
        return False
    if verb == "partial":
        sock.sendall(b"".join(answer(request, 200, b"half", length=8)))
        return False
    if verb == "slow":
        time.sleep(float(value))
    elif verb == "status":
        status, body = int(value), f"{value}\n".encode()
    elif verb == "bytes":
        body = b"x" * int(value)
    elif verb == "echo":
        body = json.dumps({"method": request.method, "path": request.path,
                           "headers": request.headers,
                           "body": request.body.decode("latin-1")}).encode()
    elif verb == "git":
        body = b"ref: refs/heads/main\n" if value == "HEAD" else b"%040d\trefs/heads/main\n" % 1
    elif verb not in ("ok", "drip", "leave"):
        status, body = 404, b"404\n"
    head, body = answer(request, status, body)
    if verb == "drip":
        sock.sendall(head)
        time.sleep(float(value))
        head = b""
    sock.sendall(head + body)
    return verb != "leave" and not request.wants_close()


class Server:
    def __init__(self, addresses, port, tls):
        self.mode = "auto"
        self.log = Log()
        self.addresses = addresses
        self.port = port
        self.listeners = []
        self.context = None
        if tls:
            import ssl
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        self.listen()

    def listen(self):
        for address in self.addresses:
            listener = bind(address, self.port)
            listener.listen(BACKLOG)
            self.port = listener.getsockname()[1]
            self.listeners.append(listener)
            start(self.accept_loop, listener)

    def set_mode(self, mode):
        if mode == "refuse":
            for listener in self.listeners:
                listener.shutdown(socket.SHUT_RDWR)
                listener.close()
            self.listeners = []
        elif not self.listeners:
            self.listen()
        self.mode = mode

    def accept_loop(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            start(self.serve, sock)

    def serve(self, sock):
        number = self.log.connect()
        if self.mode == "hang-accept":
            while True:
                time.sleep(3600)
        how = "closed"
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                sock = self.context.wrap_socket(sock, server_side=True)
            self.talk(sock, number)
        except (OSError, ValueError) as error:
            how = type(error).__name__
        self.log.add(number, "end", how=how, received=received(sock))
        sock.close()

    def talk(self, sock, number):
        reader = Reader(sock)
        while True:
            request = reader.request()
            if request is None:
                return
            self.log.add(number, "request", method=request.method, path=request.path,
                         agent=request.headers.get("user-agent", ""), received=received(sock))
            action = request.path.lstrip("/") if self.mode == "auto" else self.mode
            if not act(sock, request, action.split("?")[0]):
                return


def bind(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind((address, port))
    return sock


def start(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()


def has_ipv6():
    try:
        bind("::1", 0).close()
    except OSError:
        return False
    return True


def serve_on_one_port(addresses, port, tls):
    """Port 0 may be free on one address and taken on the other: try again."""
    for _ in range(20):
        try:
            return Server(addresses, port, tls)
        except OSError:
            if port:
                raise
    raise SystemExit("server.py: no port is free on all of " + " ".join(addresses))


def control_loop(listener, server):
    while True:
        sock, _ = listener.accept()
        with sock:
            request = Reader(sock).request()
            if request is None:
                continue
            verb, _, value = request.path.lstrip("/").partition("/")
            body = server.mode + "\n"
            if verb == "mode" and value:
                server.set_mode(value)
                body = value + "\n"
            elif verb == "log":
                body = json.dumps(server.log.copy()) + "\n"
            request.headers["connection"] = "close"
            sock.sendall(b"".join(answer(request, 200, body.encode())))
        if verb == "stop":
            return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--control", type=int, default=0)
    parser.add_argument("--bind", action="append")
    options = parser.parse_args()
    addresses = options.bind or ["127.0.0.1"] + (["::1"] if has_ipv6() else [])
    server = serve_on_one_port(addresses, options.port, options.tls)
    control = bind("127.0.0.1", options.control)
    control.listen(BACKLOG)
    print("ready", server.port, control.getsockname()[1], flush=True)
    try:
        control_loop(control, server)
    except KeyboardInterrupt:
        pass
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
