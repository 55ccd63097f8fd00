"""regions.py PORT STEP...   connects to hosts of api.REGION.cloud.example, one line a step:
`region:PORT` connects once and prints how it ended, `FIRST-LAST` to r FIRST to r LAST at
PORT and prints how many connected, a number with a dot sleeps so many seconds."""
import socket
import sys
import time


def connect(region, port):
    socket.create_connection((f"api.{region}.cloud.example", port)).close()


port, *steps = sys.argv[1:]
for step in steps:
    if "." in step:
        time.sleep(float(step))
    elif "-" in step:
        first, last = map(int, step.split("-"))
        done = 0
        for number in range(first, last + 1):
            connect(f"r{number}", int(port))
            done += 1
        print(done, "connected", flush=True)
    else:
        region, other = step.split(":")
        try:
            connect(region, int(other))
            print("connected", flush=True)
        except OSError as error:
            print(error, flush=True)
