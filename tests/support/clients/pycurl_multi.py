#!/usr/bin/python3
"""pycurl_multi.py select|sockets|once URL...: in one multi handle, each when the one before
it has ended, or all at once. Prints `CODE STATUS TEXT` for each in the order of their end."""

import selectors
import sys
import time

import pycurl

how, *urls = sys.argv[1:]
multi = pycurl.CurlMulti()
selector = selectors.DefaultSelector()
due = None


def on_timer(timeout_ms):
    global due
    due = None if timeout_ms < 0 else time.monotonic() + timeout_ms / 1000


def on_socket(what, fd, multi, data):
    if fd in selector.get_map():
        selector.unregister(fd)
    events = ((selectors.EVENT_READ if what & pycurl.POLL_IN and what != pycurl.POLL_REMOVE else 0)
              | (selectors.EVENT_WRITE if what & pycurl.POLL_OUT and what != pycurl.POLL_REMOVE
                 else 0))
    if events:
        selector.register(fd, events)


def step():
    """Goes by what libcurl's callbacks said alone, so a timer that is missing is a hang."""
    if how != "sockets":
        multi.select(1.0)
        multi.perform()
        return
    wait = None if due is None else max(0, due - time.monotonic())
    ready = selector.select(wait)
    for key, events in ready:
        multi.socket_action(key.fd, (pycurl.CSELECT_IN if events & selectors.EVENT_READ else 0)
                            | (pycurl.CSELECT_OUT if events & selectors.EVENT_WRITE else 0))
    if not ready:
        multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)


def add(url):
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.TIMEOUT, 2)
    curl.setopt(pycurl.WRITEFUNCTION, lambda data: None)
    multi.add_handle(curl)
    return curl


def tell_ended():
    count, (_, good, bad) = 0, multi.info_read()
    ended = [(curl, 0, "") for curl in good] + bad
    for curl, code, text in ended:
        print(code, curl.getinfo(pycurl.RESPONSE_CODE), text, flush=True)
        multi.remove_handle(curl)
        count += 1
    return count


if how == "sockets":
    multi.setopt(pycurl.M_TIMERFUNCTION, on_timer)
    multi.setopt(pycurl.M_SOCKETFUNCTION, on_socket)
for batch in [urls] if how == "once" else [[url] for url in urls]:
    curls, left = [add(url) for url in batch], len(batch)
    while left > 0:
        step()
        left -= tell_ended()
