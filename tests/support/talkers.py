"""Servers that speak other things than HTTP, as much as a client needs to be content."""

import socket
import struct
import threading
import time


def message(kind, body=b""):
    """One of PostgreSQL's."""
    return kind + struct.pack("!I", 4 + len(body)) + body


def exactly(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise ConnectionError("the client has left")
        data += part
    return data


READY = message(b"Z", b"I")
ONE_COLUMN = struct.pack("!H", 1) + b"one\0" + struct.pack("!IhIhih", 0, 0, 23, 4, -1, 0)
WEBSOCKET_S = 0.4
ONE_ROW = struct.pack("!HI", 1, 1) + b"1"


def postgres(sock):
    exactly(sock, struct.unpack("!I", exactly(sock, 4))[0] - 4)
    sock.sendall(message(b"R", struct.pack("!I", 0)) + READY)
    while True:
        kind, size = struct.unpack("!cI", exactly(sock, 5))
        exactly(sock, size - 4)
        if kind == b"X":
            return
        sock.sendall(message(b"T", ONE_COLUMN) + message(b"D", ONE_ROW)
                     + message(b"C", b"SELECT 1\0") + READY)


def redis(sock):
    while sock.recv(4096):
        sock.sendall(b"+PONG\r\n")


def smtp(sock):
    lines = sock.makefile("rb")
    sock.sendall(b"220 tests\r\n")
    for line in lines:
        verb = line[:4].upper()
        sock.sendall({b"QUIT": b"221 bye\r\n", b"DATA": b"354 go on\r\n"}.get(verb, b"250 ok\r\n"))
        if verb == b"QUIT":
            return
        if verb == b"DATA":
            while next(lines) != b".\r\n":
                pass
            sock.sendall(b"250 ok\r\n")


def ssh(sock):
    """The banner alone: what follows needs a real one."""
    sock.sendall(b"SSH-2.0-tests\r\n")
    sock.recv(4096)


def websocket(sock):
    """Sends when it has something to tell, whatever the client says."""
    sock.recv(4096)
    sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 b"Connection: Upgrade\r\n\r\n")
    while True:
        time.sleep(WEBSOCKET_S)
        sock.sendall(b"\x81\x04news")


def telemetry(sock):
    """As MQTT: what is published (0) needs no answer, what is a ping (?) gets one."""
    while data := sock.recv(4096):
        if b"?" in data:
            sock.sendall(b"!")


def hang(sock):
    while sock.recv(4096):
        pass


class Talker:
    """One of the above on a loopback port, a thread for each connection."""

    def __init__(self, talk):
        self.talk = talk
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=[sock], daemon=True).start()

    def serve(self, sock):
        try:
            with sock:
                self.talk(sock)
        except OSError:
            pass

    def url(self):
        """As the loops that take a URL want it."""
        return f"tcp://127.0.0.1:{self.port}/"

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
