"""shown.py NAME TIMEOUT WORD...   see loop.py; clients whose users see a status as an exception"""
import asyncio
import sys

NAME = sys.argv.pop(1)

from loop import TIMEOUT_S, run, run_async      # noqa: E402 (reads what is left)


def requests():
    import requests
    with requests.Session() as session:
        def ask(url):
            answer = session.get(url, timeout=TIMEOUT_S)
            answer.raise_for_status()
            return answer.status_code, answer.text
        run(ask)


def httpx():
    import httpx
    with httpx.Client(timeout=TIMEOUT_S) as client:
        def ask(url):
            answer = client.get(url).raise_for_status()
            return answer.status_code, answer.text
        run(ask)


async def httpx_async():
    import httpx
    async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
        async def ask(url):
            answer = (await client.get(url)).raise_for_status()
            return answer.status_code, answer.text
        await run_async(ask)


async def aiohttp():
    import aiohttp
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as session:
        async def ask(url):
            async with session.get(url) as answer:
                return answer.status, await answer.text()
        await run_async(ask)


def urllib3():
    import os

    import urllib3
    pool = urllib3.PoolManager(timeout=TIMEOUT_S, ca_certs=os.environ.get("SSL_CERT_FILE"),
                               retries=urllib3.Retry(3, respect_retry_after_header=True))

    def ask(url):
        answer = pool.request("GET", url)
        return answer.status, f"{answer.reason} {answer.data.decode()}"
    run(ask)


main = globals()[NAME]
if asyncio.iscoroutinefunction(main):
    asyncio.run(main())
else:
    main()
