"""httpx_async_loop.py TIMEOUT WORD...   see loop.py; one httpx.AsyncClient."""
import asyncio

import httpx

from loop import TIMEOUT_S, run_async


async def main():
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
        async def ask(url):
            answer = await client.get(url)
            return answer.status_code, answer.text
        await run_async(ask)

asyncio.run(main())
