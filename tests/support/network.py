"""Addresses that refuse, and addresses that never answer at all."""

import socket
import subprocess
import time

from support.run import clean_environment, need
from support.servers import dies_with_us

# A veth pair whose two ends stand in one new namespace. Every packet for outside
# is sent to a gateway with a fixed hardware address that nobody has: no answer, no
# ICMP, no failed neighbour look-up, so a connect neither succeeds nor fails.
SETUP = """
set -e
ip link set lo up
ip link add hole type veth peer name bottom
ip link set hole up
ip link set bottom up
ip addr add 192.0.2.1/24 dev hole
ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev hole nud permanent
ip route add default via 192.0.2.2
if [ -e /proc/sys/net/ipv6 ]; then
    ip addr add 2001:db8::1/64 dev hole nodad
    ip neigh add 2001:db8::2 lladdr 02:00:00:00:00:02 dev hole nud permanent
    ip route add default via 2001:db8::2
fi
echo ready
exec sleep infinity
"""


class Blackhole:
    """A network namespace of its own where only loopback works. It has no name:
    it is gone with the process that holds it."""

    address = "198.51.100.7"
    address6 = "2001:db8:ff::7"

    def __init__(self, tmp_path):
        need("ip")
        argv = dies_with_us([need("unshare"), "--net", "sh", "-c", SETUP])
        self.holder = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       env=clean_environment(tmp_path))
        if self.holder.stdout.readline() != b"ready\n":
            self.stop()
            raise AssertionError("the blackhole could not be set up; `ip` says why on stderr")
        self.inside = [need("nsenter"), f"--net=/proc/{self.holder.pid}/ns/net"]

    def url(self, path="/ok", port=80):
        return f"http://{self.address}:{port}{path}"

    def give_up_soon(self):
        """For programs that wait as long as the kernel does: let the kernel say
        ETIMEDOUT after about three seconds instead of two minutes."""
        subprocess.run([*self.inside, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/tcp_syn_retries"],
                       check=True)

    def stop(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class RefusedPort:
    """A loopback port that is taken, so that nobody else listens there, and on
    which nobody listens."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def stop(self):
        self.socket.close()


class FullBacklog:
    """A loopback listener whose queue is full: a blackhole without a namespace."""

    address = "127.0.0.1"

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind((self.address, 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.fillers = []
        while self.connects():
            assert len(self.fillers) < 20, "the listener's queue does not fill"

    def connects(self):
        filler = socket.socket()
        self.fillers.append(filler)
        filler.setblocking(False)
        filler.connect_ex((self.address, self.port))
        time.sleep(0.05)
        return filler.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) == b"\x01"

    def url(self, path="/ok"):
        return f"http://{self.address}:{self.port}{path}"

    def stop(self):
        for sock in [self.listener, *self.fillers]:
            sock.close()
