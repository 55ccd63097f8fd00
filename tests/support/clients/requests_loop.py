"""requests_loop.py TIMEOUT WORD...   see loop.py; one requests.Session."""
import requests

from loop import TIMEOUT_S, run

with requests.Session() as session:
    def ask(url):
        answer = session.get(url, timeout=TIMEOUT_S)
        return answer.status_code, answer.text
    run(ask)
