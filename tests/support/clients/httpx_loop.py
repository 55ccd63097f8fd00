"""httpx_loop.py TIMEOUT WORD...   see loop.py; one httpx.Client."""
import httpx

from loop import TIMEOUT_S, run

with httpx.Client(timeout=TIMEOUT_S) as client:
    def ask(url):
        answer = client.get(url)
        return answer.status_code, answer.text
    run(ask)
