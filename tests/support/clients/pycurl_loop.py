"""pycurl_loop.py TIMEOUT WORD...   see loop.py; one handle."""
import os
from io import BytesIO

import pycurl

from loop import TIMEOUT_S, run

curl = pycurl.Curl()
curl.setopt(pycurl.TIMEOUT_MS, int(TIMEOUT_S * 1000))
curl.setopt(pycurl.CAINFO, os.environ.get("CURL_CA_BUNDLE", "/etc/ssl/certs/ca-certificates.crt"))


def ask(url):
    body = BytesIO()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.WRITEFUNCTION, body.write)
    curl.perform()
    return curl.getinfo(pycurl.RESPONSE_CODE), body.getvalue().decode()


run(ask)
