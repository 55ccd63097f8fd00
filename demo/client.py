"""An ordinary client that knows nothing of cutout: client.py URL CALLS

Makes one call every half second and prints how each went."""

import sys
import time
import urllib.request

url, calls = sys.argv[1], int(sys.argv[2])
for number in range(calls):
    begun = time.perf_counter()
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            answer.read()
            result = str(answer.status)
    except OSError as error:
        result = str(getattr(error, "reason", error))
    took = time.perf_counter() - begun
    print(f"call {took:.6f} {result}", file=sys.stderr)
    time.sleep(max(0, 0.5 - took))
