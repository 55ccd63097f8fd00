"""asyncio_loop.py NAME PORT COUNT [DELAY]   that many connections at the same time;
DELAY: happy eyeballs. Prints how many there were of each result."""
import asyncio
import collections
import sys

name, port, count, *delay = sys.argv[1:]
options = {"happy_eyeballs_delay": float(delay[0])} if delay else {}


async def connect():
    try:
        _, writer = await asyncio.open_connection(name, int(port), **options)
    except OSError as error:
        return str(error)
    writer.close()
    return "connected"


async def main():
    results = await asyncio.gather(*(connect() for _ in range(int(count))))
    for result, times in sorted(collections.Counter(results).items()):
        print(times, result)

asyncio.run(main())
