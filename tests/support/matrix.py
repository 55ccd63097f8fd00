"""Every client, every way in which a server can behave, and what must be seen of it."""

from dataclasses import dataclass, field

HOST = "api.carrier.example"
HOSTS = f"127.0.0.1 {HOST} localhost\n"
NO_NAME = "nosuch.example"      # an address file without it, and no name server
TRIP = 3                        # bad calls in a row
ATTEMPTS = TRIP + 2
GIVES_UP_S = 2                  # a client's own time-out: under a second would be neutral
KILLED_S = 4                    # for a program to start, and then to wait for so long
WAITS_S = 30                    # a time-out that is not met
LIMIT_S = 0.2                   # p99, where slowness matters
SLOW_S = 0.5

# Who reads the answers, so that a status is seen: the sockets, libcurl, or a TLS library.
# UNREAD: the program has a TLS of its own, of which only records pass by.
SOCKET, CURL, OPENSSL, GNUTLS, UNREAD = "connect", "curl", "openssl", "gnutls", "unread"


@dataclass(frozen=True)
class Client:
    label: str
    tls: str = OPENSSL          # None: it speaks none
    http: str = SOCKET
    keeps: bool = True          # a connection for the next request
    pools: bool = True          # ... while it asks other servers
    each: bool = False          # a process for each request, so under `cutout run`
    is_killed: bool = False     # never gives up by itself
    pause_s: float = 0          # until it has ended what it gave up
    gives_up_s: float = GIVES_UP_S
    is_stuck: bool = False      # a ticket of TLS lets it wait for ever, with a time-out too


CLIENTS = {
    "curl": Client("curl", CURL, CURL),
    "curl_parallel": Client("curl --parallel", CURL, CURL),
    "git": Client("git", CURL, CURL, pools=False, each=True, is_killed=True,
                  gives_up_s=KILLED_S),
    "pycurl": Client("Python pycurl", CURL, CURL),
    "php_curl": Client("PHP curl", CURL, CURL),
    "php_streams": Client("PHP streams", keeps=False),
    "wget": Client("wget", GNUTLS, pools=False),
    "urllib": Client("Python urllib", keeps=False),
    "httpclient": Client("Python http.client"),
    "requests": Client("Python requests"),
    "httpx": Client("Python httpx"),
    "httpx_async": Client("Python httpx, async"),
    "aiohttp": Client("Python aiohttp"),
    "node_http": Client("Node http", UNREAD),
    "fetch": Client("Node fetch (undici)", UNREAD),
    "axios": Client("Node axios", UNREAD, pause_s=0.3),
    "java": Client("Java HttpClient", UNREAD, pause_s=0.7, gives_up_s=5),
    "java_url": Client("Java HttpURLConnection", UNREAD, gives_up_s=5),
    "lwp": Client("Perl LWP"),
    "http_tiny": Client("Perl HTTP::Tiny", pools=False, is_stuck=True),
    "net_http": Client("Ruby net/http"),
    "rust_std": Client("Rust std::net", None),
    "rust_ureq": Client("Rust ureq (rustls)", UNREAD),
}


@dataclass(frozen=True)
class Case:
    """Asked are the paths of `first` once and then `path` so often that it trips. What
    must be seen of each of both: an outcome and a detail of the sockets."""
    path: str
    outcome: str = "fail"
    detail: str = None
    curl: str = None            # libcurl's detail, where it is not the same
    first: tuple = ()
    keeps: bool = False         # is about the second request of a connection
    waits: bool = False         # until the client gives up
    rules: str = ""
    elsewhere: str = None       # where `path` is asked for, if not of the server
    attempts: int = ATTEMPTS
    trips: bool = True
    reads_tls: tuple = field(default=())    # outcomes that are right as well where UNREAD


NEUTRAL = ("neutral",)
CASES = {
    "fast": Case("/ok?close", "ok", "200", trips=False),
    "500": Case("/500?close", "fail", "500", reads_tls=("ok", "neutral")),
    "hang": Case("/hang", "fail", "gave-up", "curl-28", first=("/slow/0.05?close",) * 4,
                 waits=True, reads_tls=NEUTRAL),
    "slow": Case(f"/slow/{SLOW_S}?close", "ok", "200", rules=f"p99 = {LIMIT_S * 1000:.0f}ms\n",
                 reads_tls=NEUTRAL),
    "reset": Case("/reset", "fail", "ECONNRESET", "curl-56", reads_tls=NEUTRAL),
    "end": Case("/close", "fail", "eof", "curl-52", reads_tls=NEUTRAL),
    "refused": Case("/ok", "fail", "ECONNREFUSED", "curl-7", elsewhere="refused"),
    "blackhole": Case("/ok", "fail", "gave-up", "curl-28", elsewhere="blackhole", waits=True),
    "no name": Case("/ok", "neutral", None, elsewhere="no name", trips=False),
    "kept": Case("/ok", "ok", "200", keeps=True, trips=False),
    "kept 500": Case("/500", "fail", "500", first=("/ok",), keeps=True,
                     reads_tls=("ok", "neutral")),
    # Where only records pass by, questions of one size are compared that are not one burst.
    "kept hang": Case("/hang?1234", "fail", "gave-up", "curl-28", first=("/slow/0.01",) * 3,
                      keeps=True, waits=True, reads_tls=NEUTRAL),
    "kept reset": Case("/reset", first=("/ok",), keeps=True, attempts=1, trips=False),
    "pooled": Case("/ok", "fail", "ECONNREFUSED", "curl-7", first=("/ok",), keeps=True,
                   elsewhere="refused", attempts=TRIP),
}


def reader(name, scheme):
    """Who reads the answers of a client."""
    client = CLIENTS[name]
    return client.http if scheme == "http" else client.tls


def applies(name, scheme, case):
    client = CLIENTS[name]
    if reader(name, scheme) is None:
        return False
    if client.is_stuck and scheme == "https" and CASES[case].path.startswith("/hang"):
        return False
    if case == "pooled":
        return client.keeps and client.pools
    if client.each and case.startswith("kept "):
        return False        # a process asks one question after the other of its own choice
    return client.keeps or not CASES[case].keeps


ALL = [(name, scheme, case) for name in CLIENTS for scheme in ("http", "https") for case in CASES
       if applies(name, scheme, case)]
