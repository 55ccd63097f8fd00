#!/usr/bin/python3
"""pycurl_jobs.py TIMEOUT [DELAY:URL]...: each in a thread of its own, DELAY seconds
after the start. Prints `NUMBER CODE STATUS`, in the order in which they end."""

import sys
import threading
import time

import pycurl


def transfer(number, delay, url, timeout):
    time.sleep(delay)
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.TIMEOUT_MS, int(timeout * 1000))
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.WRITEFUNCTION, lambda data: None)
    code = 0
    try:
        curl.perform()
    except pycurl.error as error:
        code = error.args[0]
    print(number, code, curl.getinfo(pycurl.RESPONSE_CODE), flush=True)


timeout, *jobs = sys.argv[1:]
for number, job in enumerate(jobs):
    delay, url = job.split(":", 1)
    threading.Thread(target=transfer, args=(number, float(delay), url, float(timeout))).start()
