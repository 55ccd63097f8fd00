"""What the user of a client reads while a breaker is open: the clients, how each is asked, and
the words for what it shows."""

from dataclasses import dataclass
from pathlib import Path

from support.matrix import WAITS_S
from support.programs import HERE, once, with_npm
from support.run import need

# Longer than any room that a client has for a text of the system, so that the cut shows.
MESSAGE = ("The carrier is away, and nobody can ask it. Proceed without the delivery date, and "
           "tell the customer that it follows by mail. Do not try this call again, and do not "
           "look for another way to the same carrier. Where the date decides the answer, hand "
           "over to a person of the shipping team, who sees this outage on the status board.")
RECORD = Path(__file__).parents[1] / "seen.json"
SHORT = 100         # bytes of it that are shown by every client that shows any

NODE_PACKAGES = ("axios@1.7.9 got@13.0.0 ky@1.7.5 openai@4.104.0 @anthropic-ai/sdk@0.39.0 "
                 "@modelcontextprotocol/sdk@1.20.2")


@dataclass(frozen=True)
class User:
    """Of a client. `by` names what starts it."""
    label: str
    by: str = "loop"
    schemes: tuple = ("http", "https")
    pools: str = "servers"      # for whom it keeps connections; "server": for one alone
    is_http: bool = True
    at_once: bool = False       # all that it asks on one connection is one line of output
    pause_s: float = 0          # so that a question of TLS is told from the one before


def single(label, **more):
    """One process for each call."""
    return User(label, "bash", pools="", **more)


def tool(label, pools="servers"):
    """That shows on one line what one process was told."""
    return User(label, "bash", pools=pools, at_once=True)


USERS = {
    "curl": tool("curl"),
    "curl_f": tool("curl -f"),
    "curl_retry": tool("curl --retry 3"),
    "curl_parallel": tool("curl --parallel"),
    "wget": tool("wget", "server"),
    "git": single("git"),
    "pycurl": User("Python pycurl"),
    "php_curl": User("PHP curl"),
    "php_streams": User("PHP streams", pools=""),
    "urllib": User("Python urllib", pools=""),
    "httpclient": User("Python http.client"),
    "urllib3": User("Python urllib3, Retry(3)", "python"),
    "requests": User("Python requests", "python"),
    "httpx": User("Python httpx", "python"),
    "httpx_async": User("Python httpx, async", "python"),
    "aiohttp": User("Python aiohttp", "python"),
    "java": User("Java HttpClient"),
    "java_url": User("Java HttpURLConnection"),
    "lwp": User("Perl LWP"),
    "http_tiny": User("Perl HTTP::Tiny", pools="server"),
    "net_http": User("Ruby net/http"),
    "rust_std": User("Rust std::net", schemes=("http",)),
    "rust_ureq": User("Rust ureq (rustls)"),
    "node_http": User("Node http", "node"),
    "fetch": User("Node fetch (undici)", "node"),
    "axios": User("Node axios", "node"),
    "got": User("Node got", "node"),
    "ky": User("Node ky", "node"),
    "openai": User("openai (npm)", "node"),
    "anthropic": User("@anthropic-ai/sdk", "node"),
    "mcp": User("@modelcontextprotocol/sdk", "node", pause_s=1.2),
    "bash": single("bash /dev/tcp", schemes=("http",)),
    "psql": single("psql", schemes=("http",), is_http=False),
    "redis": single("redis-cli", schemes=("http",), is_http=False),
}

SCHEMES, ANSWERS, KINDS = ("http", "https"), ("text", "http"), ("fresh", "pooled")
ASKS = 2            # while it is open, where one connection is not what it is about

# A cell: CLIENT, SCHEME, what the rules say, whether a connection stood when it opened.
ALL = [(name, scheme, answer, kind) for name, user in USERS.items() for scheme in user.schemes
       for answer in ANSWERS for kind in KINDS if kind == "fresh" or user.pools]

# One or two of each family: what "make check" has the time for, and what a sanitizer's run-time
# lets end, as it does not PHP.
QUICK = [("curl", "https", "text", "fresh"), ("curl", "http", "text", "pooled"),
         ("curl_f", "https", "http", "fresh"), ("curl_retry", "http", "text", "fresh"),
         ("curl_retry", "http", "http", "fresh"), ("wget", "http", "text", "fresh"),
         ("wget", "http", "http", "fresh"), ("git", "https", "text", "fresh"),
         ("requests", "https", "text", "fresh"), ("requests", "http", "http", "fresh"),
         ("urllib", "http", "text", "fresh"), ("urllib3", "http", "text", "fresh"),
         ("urllib3", "http", "http", "fresh"), ("aiohttp", "https", "text", "pooled"),
         ("java", "https", "text", "fresh"), ("lwp", "http", "text", "pooled"),
         ("net_http", "http", "http", "pooled"), ("rust_ureq", "https", "text", "fresh"),
         ("fetch", "http", "text", "fresh"), ("axios", "http", "http", "fresh"),
         ("got", "http", "http", "fresh"), ("ky", "http", "http", "fresh"),
         ("openai", "http", "http", "fresh"), ("anthropic", "http", "http", "fresh"),
         ("mcp", "http", "http", "fresh"), ("redis", "http", "text", "fresh")]

# These ask the system for an error's text, so each shows the message of a refused connect.
ASK_THE_SYSTEM = {
    "wget", "php_streams", "urllib", "httpclient", "urllib3", "requests", "httpx", "aiohttp",
    "java", "java_url", "lwp", "http_tiny", "net_http", "rust_std", "rust_ureq", "bash", "psql",
    "redis"}
BY_LIBCURL = {"curl", "curl_f", "curl_retry", "curl_parallel", "git", "pycurl", "php_curl"}
# These show neither the body nor the reason of an answer.
STATUS_ALONE = {"git", "axios"}

# What a client says of its own accord where it shows nothing of the message.
OWN = ("fetch failed", "Connection error.", "All connection attempts failed",
       "connect ECONNREFUSED", "ECONNRESET", "EOF occurred in violation of protocol",
       "ReadError:", "ConnectError:", "SSL connect attempt failed", "SSL write error",
       "operation failed", "Remote host terminated the handshake",
       "TLS connection was non-properly terminated", "server closed the connection unexpectedly")


def node_packages(directory):
    return once(directory, "seen", with_npm(NODE_PACKAGES, "shown.mjs", "mcp_http_server.mjs"))


def command(name, clients, directory, words):
    """Of a client that asks for each word and says one line of it."""
    by = USERS[name].by
    if by == "bash":
        return [need("bash"), HERE / "shown.bash", name, *words]
    if by == "python":
        return [need("/usr/bin/python3"), HERE / "shown.py", name, WAITS_S, *words]
    if by == "node":
        return [need("node"), node_packages(directory) / "shown.mjs", name, *words]
    return clients(name, WAITS_S, *words)


def words(name, kind, url, trip):
    """What the client is asked for, and how many of the last lines tell of refusals."""
    user = USERS[name]
    if kind == "fresh":
        return [trip, *[url] * ASKS], ASKS
    if user.at_once:
        return [" ".join([url, trip, url])], 1
    pause = [str(user.pause_s)] if user.pause_s else []
    return [url, trip, *pause, url], 1


def shown(line):
    """How much of the message: `whole`, `N bytes`, or what is said instead of it."""
    if MESSAGE in line:
        return "whole"
    size = next(size for size in range(len(MESSAGE), -1, -1) if MESSAGE[:size] in line)
    if size >= SHORT:
        return f"{size} bytes"
    if "424" in line:
        return "status 424"
    return next(f"“{text}”" for text in OWN if text in line)


def can_show(name, scheme, answer, kind):
    """Whether a call that is refused has to show the message, or its beginning."""
    if name in BY_LIBCURL or (answer == "http" and scheme == "http" and kind == "fresh"):
        return USERS[name].is_http and not (answer == "http" and name in STATUS_ALONE)
    return name in ASK_THE_SYSTEM and kind == "fresh"
