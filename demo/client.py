"""An ordinary client that knows nothing of cutout: client.py URL

Makes one call and prints how it went."""

import sys
import time
import urllib.request

begun = time.perf_counter()
try:
    with urllib.request.urlopen(sys.argv[1], timeout=1) as answer:
        answer.read()
        result = str(answer.status)
except OSError as error:
    result = str(getattr(error, "reason", error))
print(f"call python3 {time.perf_counter() - begun:.6f} {result}", file=sys.stderr)
