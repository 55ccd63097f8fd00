"""What the clients in Python have in common: NAME_loop.py TIMEOUT WORD...

A word is a URL, N*URL for N requests at the same time, or a number of seconds to pause.
One line is printed for each request, and the exit code is 1 when one failed."""
import asyncio
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TIMEOUT_S = float(sys.argv[1])


def steps():
    """(how many, URL), or (0, seconds)."""
    for word in sys.argv[2:]:
        if "/" in word:
            count, _, url = word.rpartition("*")
            yield int(count or 1), url
        else:
            yield 0, float(word)


def show(line, failed):
    print(line, flush=True)
    return failed


def told(status, text):
    return show(f"{status} {text.strip()}", status >= 400)


def lost(error):
    text = re.sub(r" at 0x[0-9a-f]+", "", str(error)).replace("\n", " ")
    return show(f"{type(error).__name__}: {text}", True)


def run(ask):
    """ask(URL) gives status and text, or raises."""
    def one(url):
        try:
            return told(*ask(url))
        except Exception as error:
            return lost(error)
    failed = False
    for count, what in steps():
        if count > 1:
            with ThreadPoolExecutor(count) as pool:
                failed |= any(list(pool.map(one, [what] * count)))
        elif count:
            failed |= one(what)
        else:
            time.sleep(what)
    sys.exit(failed)


async def run_async(ask):
    """The same with a coroutine."""
    async def one(url):
        try:
            return told(*await ask(url))
        except Exception as error:
            return lost(error)
    failed = False
    for count, what in steps():
        if count:
            failed |= any(await asyncio.gather(*[one(what) for _ in range(count)]))
        else:
            await asyncio.sleep(what)
    sys.exit(failed)
