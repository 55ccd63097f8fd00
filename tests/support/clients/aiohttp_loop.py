"""aiohttp_loop.py TIMEOUT WORD...   see loop.py; one aiohttp.ClientSession."""
import asyncio

import aiohttp

from loop import TIMEOUT_S, run_async


async def main():
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        async def ask(url):
            async with session.get(url) as answer:
                return answer.status, await answer.text()
        await run_async(ask)

asyncio.run(main())
