"""socket_forms.py FORM PORT PATH...   one request for each path over one connection, written and
read as FORM says; prints the status of each answer, or the error."""

import ctypes
import os
import select
import socket
import sys
import tempfile
import threading

form, port, *paths = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
SYS = {"read": 0, "write": 1, "sendto": 44, "recvfrom": 45}     # of x86_64


class Iovec(ctypes.Structure):
    _fields_ = [("at", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("name_size", ctypes.c_uint), ("parts", ctypes.c_void_p),
                ("count", ctypes.c_size_t), ("control", ctypes.c_void_p),
                ("control_size", ctypes.c_size_t), ("flags", ctypes.c_int),
                ("padding", ctypes.c_int), ("sent", ctypes.c_uint)]      # a struct mmsghdr


def messages(*texts):
    parts = [Iovec(text, len(text)) for text in texts]
    made = (Message * len(texts))()
    for message, part in zip(made, parts):
        message.parts, message.count = ctypes.addressof(part), 1
    return made, parts


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def by_file(s, text, send):
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.flush()
        send(s, file)


def spliced(s, text):
    out, into = os.pipe()
    os.write(into, text)
    os.splice(out, s.fileno(), len(text))
    os.close(out)
    os.close(into)


def read_spliced(s):
    out, into = os.pipe()
    count = os.splice(s.fileno(), into, 65536)
    data = os.read(out, count) if count else b""
    os.close(out)
    os.close(into)
    return data


def by_bytes(s, text):
    for byte in text:
        s.send(bytes([byte]))


def many(s, text):
    made, parts = messages(text[:9], text[9:])
    checked(libc.sendmmsg(s.fileno(), made, 2, 0))
    assert parts


def by_number(s, text):
    checked(libc.syscall(SYS["write"], s.fileno(), text, len(text)))


def sent_by_number(s, text):
    checked(libc.syscall(SYS["sendto"], s.fileno(), text, len(text), 0, None, 0))


def read_by_number(name):
    def read(s):
        buffer = ctypes.create_string_buffer(65536)
        more = (0, None, None) if name == "recvfrom" else ()
        count = checked(libc.syscall(SYS[name], s.fileno(), buffer, 65536, *more))
        return buffer.raw[:count]
    return read


def received_message(s):
    return s.recvmsg(65536)[0]


def read_vector(s):
    parts = [bytearray(5), bytearray(65536)]
    count = os.readv(s.fileno(), parts)
    return b"".join(map(bytes, parts))[:count]


def peeked(s):
    s.recv(65536, socket.MSG_PEEK)
    return s.recv(65536)


def by_single_bytes(s):
    return s.recv(1)


def after_epoll(s):
    waiter = select.epoll()
    waiter.register(s, select.EPOLLIN)
    waiter.poll()
    waiter.close()
    return s.recv(65536)


def after_select(s):
    select.select([s], [], [])
    return s.recv(65536)


def in_thread(s):
    found = []
    thread = threading.Thread(target=lambda: found.append(s.recv(65536)))
    thread.start()
    thread.join()
    return found[0]


def passed_on(s):
    """A duplicate reads, and its own descriptor is gone then."""
    copy = s.dup()
    data = copy.recv(65536)
    copy.close()
    return data


FORMS = {
    "send-recv": (socket.socket.sendall, lambda s: s.recv(65536)),
    "write-read": (lambda s, text: os.write(s.fileno(), text),
                   lambda s: os.read(s.fileno(), 65536)),
    "writev-readv": (lambda s, text: os.writev(s.fileno(), [text[:3], b"", text[3:]]), read_vector),
    "sendto-recvfrom": (lambda s, text: checked(libc.sendto(s.fileno(), text, len(text), 0, None,
                                                            0)),
                        lambda s: s.recvfrom(65536)[0]),
    "sendmsg-recvmsg": (lambda s, text: s.sendmsg([text[:7], text[7:]]), received_message),
    "sendmmsg": (many, lambda s: s.recv(65536)),
    "sendfile": (lambda s, text: by_file(s, text, lambda s, file: os.sendfile(
        s.fileno(), file.fileno(), 0, 65536)), lambda s: s.recv(65536)),
    "splice": (spliced, read_spliced),
    "bytes": (by_bytes, by_single_bytes),
    "syscall": (by_number, read_by_number("read")),
    "syscall-sendto": (sent_by_number, read_by_number("recvfrom")),
    "peek": (socket.socket.sendall, peeked),
    "epoll": (socket.socket.sendall, after_epoll),
    "select": (socket.socket.sendall, after_select),
    "thread": (socket.socket.sendall, in_thread),
    "dup": (lambda s, text: os.write(os.dup(s.fileno()), text), passed_on),
}
write, read = FORMS[form]


def answer(s):
    data = b""
    while b"\r\n\r\n" not in data:
        more = read(s)
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    size = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length"))
    while len(body) < size:
        body += read(s)
    return data


connection = socket.create_connection(("127.0.0.1", int(port)))
for path in paths:
    try:
        write(connection, f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        print(answer(connection).decode().split(" ")[1], flush=True)
    except OSError as error:
        print(error, flush=True)
connection.close()
