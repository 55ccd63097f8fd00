"""answer_cases.py CASE HOST PORT: one connect that fails, so that the breaker opens, and
then what CASE does with another; prints what came of it and how long it took."""
import http.client
import os
import select
import smtplib
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.request

CASE, HOST, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
GET = b"GET / HTTP/1.1\r\nHost: carrier\r\n\r\n"


def connect(**options):
    return socket.create_connection((HOST, PORT), **options)


def all_of(sock):
    got = b""
    while piece := sock.recv(65536):
        got += piece
    return got


def show(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    print(head.split(b"\r\n")[0].decode(), len(body))


def ask(method, body=None, **headers):
    client = http.client.HTTPConnection(HOST, PORT, timeout=10)
    client.request(method, "/", body, headers)
    answer = client.getresponse()
    print(answer.status, answer.reason, len(answer.read()))


def head():
    ask("HEAD")


def text():
    ask("GET", Accept="text/plain")


def big():
    """More than any buffer holds, by a socket that blocks."""
    with connect() as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n")
        sock.sendall(b"x" * 3000000)
        show(all_of(sock))


def chunked():
    ask("POST", iter([b"piece of the body"] * 1000))


def pieces():
    with connect() as sock:
        for byte in b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello":
            sock.send(bytes([byte]))
        show(all_of(sock))


def expect():
    """Of a body that may be JSON-RPC: it is asked for, and then answered."""
    body = b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}'
    with connect(timeout=10) as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nContent-Type: application/json\r\n"
                     b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        print(sock.recv(65536))
        sock.sendall(body)
        answer = all_of(sock)
        print(answer.split(b"\r\n")[0].decode(), b'"id":7' in answer)


def sent_files():
    with connect() as sock, open(__file__, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        sock.sendall(b"PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size)
        print(sock.sendfile(file) == size, file.tell() == size)
        show(all_of(sock))


def by_messages():
    with connect() as sock:
        sock.sendmsg([b"GET / HT", b"", b"TP/1.1\r\n\r\n"])
        show(all_of(sock))


def batch():
    """The largest answer there is, to a program that reads late and little."""
    calls = ",".join('{"jsonrpc":"2.0","id":"%d","method":"tools/call"}' % i for i in range(64))
    body = f"[{calls}]".encode()
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    sock.connect((HOST, PORT))
    sock.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    got = b""
    while piece := sock.recv(100):
        got += piece
    print(got.split(b"\r\n")[0].decode(), got.count(b'"isError":true'))


def again():
    """A client that does not close what it was told is closed."""
    with connect() as sock:
        sock.sendall(GET)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += sock.recv(65536)
        sock.sendall(GET)
        print(all_of(sock)[-1:] in (b"", b"}"))


def names():
    with connect() as sock:
        print(sock.getpeername()[:2] == (HOST, PORT),
              sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR),
              sock.connect_ex((HOST, PORT)) != 0)
        sock.sendall(GET)
        show(all_of(sock))


def unseen():
    """By libc's own streams, whose writes no hook sees."""
    import ctypes
    libc = ctypes.CDLL(None)
    with connect() as sock:
        libc.dprintf(sock.fileno(), GET)
        show(all_of(sock))


def mapped():
    sock = socket.socket(socket.AF_INET6)
    sock.connect((f"::ffff:{HOST}", PORT))
    sock.sendall(GET)
    print(sock.getpeername()[0])
    show(all_of(sock))


def asks(sock):
    sock.sendall(GET)
    show(all_of(sock))
    sys.stdout.flush()


def forked(in_child, in_parent):
    with connect(timeout=10) as sock:
        child = os.fork()
        if child == 0:
            in_child(sock)
            os._exit(0)
        os.waitpid(child, 0)
        in_parent(sock)


def fork_child():
    forked(asks, lambda sock: None)


def fork_parent():
    """The child closes its copy, and nobody notices."""
    forked(lambda sock: sock.close(), asks)


def fork_reader():
    """One asks and the other reads."""
    forked(lambda sock: sock.sendall(GET), lambda sock: show(all_of(sock)))


def fork_daemon():
    """A child that lives on keeps nothing from its end."""
    with connect(timeout=10) as sock:
        ends = os.pipe()
        if os.fork() == 0:
            os.read(ends[0], 1)
            os._exit(0)
        asks(sock)
    os.write(ends[1], b"x")


def exec_asks():
    """What another program sends is not seen: it is reset, and nobody waits."""
    with connect(timeout=10) as sock:
        os.set_inheritable(sock.fileno(), True)
        if os.fork() == 0:
            os.execlp("sh", "sh", "-c", f"printf 'GET / HTTP/1.1\\r\\n\\r\\n' >&{sock.fileno()}")
        os.wait()
        try:
            print(all_of(sock))
        except OSError as error:
            print("error", error.errno)


def leaks():
    before = os.listdir("/proc/self/fd")
    for _ in range(1000):
        with connect() as sock:
            sock.sendall(GET)
            sock.recv(10)
    for _ in range(300):
        connect().close()
    print(os.listdir("/proc/self/fd") == before)


def many():
    """More at a time than there are places for."""
    socks, refused = [], 0
    for _ in range(300):
        try:
            socks.append(connect())
        except OSError:
            refused += 1
    for sock in socks:
        sock.sendall(GET)
    answers = sum(all_of(sock).startswith(b"HTTP/1.1 424") for sock in socks)
    print(answers == len(socks) > 50, refused > 0)


def threads():
    done = []

    def work():
        for _ in range(50):
            with connect() as sock:
                sock.sendall(GET)
                done.append(all_of(sock).startswith(b"HTTP/1.1 424"))
    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(len(done), all(done))


def closed_under():
    """The program closes whatever it finds; what it opens there is not written to."""
    pair = socket.socketpair()
    with connect() as sock:
        mine = {0, 1, 2, sock.fileno(), pair[0].fileno(), pair[1].fileno()}
        for fd in {int(name) for name in os.listdir("/proc/self/fd")} - mine:
            os.dup2(pair[0].fileno(), fd)
        fails(lambda: sock.sendall(GET))
    pair[1].setblocking(False)
    fails(lambda: pair[1].recv(100))


def begun():
    return time.monotonic()


def fails(action):
    since = begun()
    try:
        print("no error", action())
    except OSError as error:
        print(f"{type(error).__name__}: {error}")
    print("soon" if time.monotonic() - since < 0.7 else "late")


def reads():
    with connect() as sock:
        fails(lambda: sock.recv(100))


def reads_in_time():
    with connect(timeout=10) as sock:
        fails(lambda: sock.recv(100))


def selects():
    with connect() as sock:
        fails(lambda: (select.select([sock], [], [], 10), sock.recv(100)))


def epolls():
    """Here nothing tells who waits for what: a second is let pass."""
    with connect() as sock, select.epoll() as events:
        sock.setblocking(False)
        events.register(sock, select.EPOLLIN)
        since = begun()
        print(len(events.poll(20)))
        print("in time" if 0.5 < time.monotonic() - since < 10 else "late")
        try:
            sock.recv(100)
        except OSError as error:
            print(error.errno)


def polls_others():
    """The same for a wait for two."""
    with connect() as sock, connect() as other:
        poll = select.poll()
        for one in (sock, other):
            poll.register(one, select.POLLIN)
        print(len(poll.poll(20000)) > 0)


def loop_selects():
    with connect() as sock, connect() as other:
        print(len(select.select([sock, other], [], [], 20)[0]) > 0)


def slow():
    """A pause before the request is no wait for something else."""
    with connect() as sock:
        time.sleep(1.5)
        asks(sock)


def smtp():
    fails(lambda: smtplib.SMTP(HOST, PORT, timeout=10))


def tls():
    context = ssl.create_default_context()
    with connect(timeout=10) as sock:
        fails(lambda: context.wrap_socket(sock, server_hostname="carrier"))
    fails(connect)


def binary():
    with connect(timeout=10) as sock:
        fails(lambda: sock.sendall(struct.pack("!ii", 8, 80877103)))
        fails(lambda: sock.sendall(b"x"))


def connects():
    fails(connect)


def half():
    """No more comes of a request that is not whole."""
    with connect(timeout=10) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\n")
        sock.shutdown(socket.SHUT_WR)
        fails(lambda: sock.recv(10))


def lent():
    """A stream of libc's may write what no hook sees."""
    import ctypes
    with connect(timeout=10) as sock:
        ctypes.CDLL(None).fdopen(sock.fileno(), b"r+")
        fails(lambda: sock.sendall(GET))


try:
    connect()
except OSError:
    pass
globals()[CASE]()
