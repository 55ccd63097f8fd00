#!/usr/bin/python3
"""pycurl_reuse.py URL...: one handle for all of them. Prints for each
`CODE STATUS BYTES CONNECTS TYPE ERRNO EFFECTIVE-URL TEXT`."""

import sys

import pycurl

curl = pycurl.Curl()
curl.setopt(pycurl.WRITEFUNCTION, lambda data: None)
for url in sys.argv[1:]:
    curl.setopt(pycurl.URL, url)
    code, text = 0, ""
    try:
        curl.perform()
    except pycurl.error as error:
        code, text = error.args
    assert text == curl.errstr()
    print(code, curl.getinfo(pycurl.RESPONSE_CODE), int(curl.getinfo(pycurl.SIZE_DOWNLOAD)),
          curl.getinfo(pycurl.NUM_CONNECTS), curl.getinfo(pycurl.CONTENT_TYPE),
          curl.getinfo(pycurl.OS_ERRNO), curl.getinfo(pycurl.EFFECTIVE_URL), text, flush=True)
