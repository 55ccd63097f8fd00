"""urllib_loop.py TIMEOUT WORD...   see loop.py; a connection for each request."""
import urllib.request

from loop import TIMEOUT_S, run


def ask(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        return answer.status, answer.read().decode()


run(ask)
