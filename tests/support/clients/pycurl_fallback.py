#!/usr/bin/python3
"""pycurl_fallback.py [--connect-to=ENTRY] WORD...: one handle for all of the URLs, numbers
are pauses; before `copy` the handle is replaced by its duplicate, before `fresh` by a new
one. Prints `CODE STATUS ADDRESS CONNECTS TEXT` for each URL."""
import os
import sys
import time

import pycurl

options, words = [], []
for word in sys.argv[1:]:
    (options if word.startswith("--") else words).append(word.removeprefix("--connect-to="))


def make():
    made = pycurl.Curl()
    made.setopt(pycurl.WRITEFUNCTION, lambda data: None)
    made.setopt(pycurl.FOLLOWLOCATION, 1)
    made.setopt(pycurl.CAINFO, os.environ.get("CURL_CA_BUNDLE", "/dev/null"))
    if options:
        made.setopt(pycurl.CONNECT_TO, options)
    return made


curl = make()
for word in words:
    if word[0].isdigit():
        time.sleep(float(word))
        continue
    if word in ("copy", "fresh"):
        curl = curl.duphandle() if word == "copy" else make()
        continue
    curl.setopt(pycurl.URL, word)
    code, text = 0, ""
    try:
        curl.perform()
    except pycurl.error as error:
        code, text = error.args
    print(code, curl.getinfo(pycurl.RESPONSE_CODE), curl.getinfo(pycurl.PRIMARY_IP) or "-",
          curl.getinfo(pycurl.NUM_CONNECTS), text, flush=True)
