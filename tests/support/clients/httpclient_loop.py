"""httpclient_loop.py TIMEOUT WORD...   see loop.py; http.client, one connection for each server."""
import http.client
from urllib.parse import urlsplit

from loop import TIMEOUT_S, run

KINDS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
kept = {}


def ask(url):
    parts = urlsplit(url)
    server = parts.scheme, parts.netloc
    if server not in kept:
        kept[server] = KINDS[parts.scheme](parts.netloc, timeout=TIMEOUT_S)
    connection = kept[server]
    try:
        connection.request("GET", url.partition(parts.netloc)[2])
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except Exception:
        connection.close()
        raise


run(ask)
