"""https_loop.py URL SECONDS   asks over TLS all the time; says where it is at each change.

Prints `RESULT THREADS` whenever one of them changes, and at the end which libraries
that the program did not load itself are in its memory.
"""
import os
import ssl
import sys
import time
import urllib.request

url, end = sys.argv[1], time.monotonic() + float(sys.argv[2])
context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
last = None
while time.monotonic() < end:
    try:
        with urllib.request.urlopen(url, timeout=5, context=context) as answer:
            result = answer.status
    except Exception as error:
        result = type(error).__name__
    state = (result, len(os.listdir("/proc/self/task")))
    if state != last:
        print(*state, flush=True)
    last = state
    time.sleep(0.01)
with open("/proc/self/maps") as maps:
    print("libcurl", "libcurl" in maps.read())
