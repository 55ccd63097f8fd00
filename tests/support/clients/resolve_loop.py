"""resolve_loop.py NAME PORT STEP...   one line for each step: `lookup` (with PORT),
`lookup-any` (without a port) or `connect`."""
import socket
import sys

name, port, *steps = sys.argv[1:]
for step in steps:
    try:
        if step == "connect":
            socket.create_connection((name, int(port))).close()
            print("connected")
        else:
            found = socket.getaddrinfo(name, port if step == "lookup" else None,
                                       type=socket.SOCK_STREAM)
            print(*sorted(address[0] for *_, address in found))
    except OSError as error:
        print(f"{type(error).__name__} {error}")
