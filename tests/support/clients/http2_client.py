"""http2_client.py PORT PATH...   HTTP/2 by hand, over TLS, one stream after the other.

Prints `answered` for each that was ended by the server."""
import os
import socket
import ssl
import sys

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind, flags, stream, body=b""):
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


def literal(index, value):
    """A field whose name is in the static table (RFC 7541, appendix A)."""
    return bytes([index, len(value)]) + value.encode()


def exactly(sock, size):
    data = b""
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            sys.exit("the server is gone")
        data += piece
    return data


def read_until_end(sock, stream):
    while True:
        head = exactly(sock, 9)
        exactly(sock, int.from_bytes(head[:3], "big"))
        kind, flags = head[3], head[4]
        if kind == SETTINGS and not flags & ACK:
            sock.sendall(frame(SETTINGS, ACK, 0))
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            assert int.from_bytes(head[5:], "big") == stream
            return


context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
context.set_alpn_protocols(["h2"])
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20) as plain:
    with context.wrap_socket(plain, server_hostname="127.0.0.1") as sock:
        sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
        for number, path in enumerate(sys.argv[2:]):
            fields = b"\x82\x87" + literal(4, path) + literal(1, "localhost")
            sock.sendall(frame(HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, fields))
            read_until_end(sock, 2 * number + 1)
            print("answered")
