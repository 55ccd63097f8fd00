"""urllib_loop.py TIMEOUT URL...   one line for each URL; a number is a pause."""
import sys
import time
import urllib.request

failed = False
for url in sys.argv[2:]:
    if "/" not in url:
        time.sleep(float(url))
        continue
    try:
        with urllib.request.urlopen(url, timeout=float(sys.argv[1])) as answer:
            print(answer.status, answer.read().decode().strip(), flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        failed = True
sys.exit(failed)
