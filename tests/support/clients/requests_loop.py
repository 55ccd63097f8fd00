"""requests_loop.py TIMEOUT URL...   the same with one requests.Session."""
import re
import sys
import time

import requests

failed = False
with requests.Session() as session:
    for url in sys.argv[2:]:
        if "/" not in url:
            time.sleep(float(url))
            continue
        try:
            answer = session.get(url, timeout=float(sys.argv[1]))
            print(answer.status_code, answer.text.strip(), flush=True)
            failed |= not answer.ok
        except requests.RequestException as error:
            text = re.sub(r" at 0x[0-9a-f]+", "", str(error))
            print(f"{type(error).__name__}: {text}", flush=True)
            failed = True
sys.exit(failed)
