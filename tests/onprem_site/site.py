"""A site: nodes on a bridge, in namespaces that are all its own.

The bridge is in a namespace too, so nothing of a site is seen from this machine. Sites have names
of their own and may be there at the same time.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.e2e.site import call
from tests.onprem_site.clock import Clock
from tests.onprem_site.groups import Group
from tests.onprem_site.node import Node
from tests.onprem_site.plan import FAR_V4, FAR_V6, NETWORK_V4, NETWORK_V6, Plan, Role, Seat
from tests.onprem_site.process import Process, launched, own_program, when_ready
from tests.onprem_site.sweeping import site_name, swept

BRIDGE = "lan"

KEEP = """
set -e
name=$1 folder=$2
hostname "$name"
mount -t sysfs sysfs /sys
for where in all default; do
    echo 0 > /proc/sys/net/ipv6/conf/$where/accept_dad
    echo 0 > /proc/sys/net/ipv6/conf/$where/accept_ra
done
ip -batch "$folder/links"
mount --bind "$folder/resolv.conf" /etc/resolv.conf
mount --bind "$folder/run" /run
echo ready
exec sleep infinity
"""
"""Makes a node of new namespaces, and keeps them. Its bridge is there, so no address is in doubt
for a second, as one would be in a real network: that is not what is tested here."""

UNSHARE = ("unshare", "--mount", "--uts", "--propagation=private")

QUIET_BRIDGE = """
echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
for what in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e $what ] || echo 0 > $what; done
"""
"""A switch has no addresses, and does not look into packets."""

_numbers = count()


@dataclass(frozen=True)
class Site:
    """A site.

    Attributes:
        name: unlike all others on this machine; the namespace of its bridge is called so.
        folder: for its files.
        plan: what it started with.
        group: of the processes that are of the site and of no node.
        nodes: all that are there now, by name; client and observer too.
    """

    name: str
    folder: Path
    plan: Plan
    group: Group
    nodes: dict[str, Node] = field(default_factory=dict)
    _keepers: dict[str, Process] = field(default_factory=dict)
    _started: list[Process] = field(default_factory=list)

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    @property
    def client(self) -> Node:
        return self.nodes[self.plan.client.name]

    @property
    def observer(self) -> Node:
        return self.nodes[self.plan.observer.name]

    def of(self, cluster: str = "", *roles: Role) -> tuple[Node, ...]:
        """Return the nodes of a cluster, the first if it is not said; of all roles, or some."""
        cluster = cluster or self.plan.clusters[0]
        return tuple(
            node
            for node in self.nodes.values()
            if node.seat.cluster == cluster and (not roles or node.seat.role in roles)
        )

    def add(self, *seats: Seat) -> None:
        """Let nodes come to the site."""
        spaces = {seat: f"{self.name}-{seat.name}" for seat in seats}
        batch(f"netns add {space}" for space in spaces.values())
        self.switch(*(line for seat in seats for line in _plug(seat, spaces[seat])))
        for seat in seats:
            self._keepers[seat.name] = self._keep(seat, spaces[seat])
        for seat in seats:
            keeper = when_ready(self._keepers[seat.name])
            group = Group.made(self.name, seat.name)
            folder = self.folder / seat.name
            clock = Clock.made(self.folder, seat.name) if self.plan.clocks else None
            self.nodes[seat.name] = Node(seat, spaces[seat], folder, group, keeper.pid, clock)

    def remove(self, name: str) -> None:
        """Let a node go from the site, with all it runs."""
        node = self.nodes.pop(name)
        node.end()
        node.group.remove()
        self._keepers.pop(name).kill()
        self.switch(f"link delete dev {node.seat.port}")
        call("ip", "netns", "delete", node.namespace)

    def switch(self, *lines: str) -> None:
        """Tell `ip` something about the links on the bridge."""
        batch(lines, self.name)

    def start_own(self, module: str, *arguments: str, name: str = "") -> Process:
        """Start one of the bed's own programs beside the bridge; return it when it is ready."""
        command = ("nsenter", f"--net=/run/netns/{self.name}", *own_program(module, *arguments))
        log = self.folder / f"{name or module}.log"
        process = launched(command, self.group, log, talking=True)
        self._started.append(process)
        return when_ready(process)

    def end(self) -> None:
        """End every process; namespaces and groups are swept by whoever opened the site."""
        for node in self.nodes.values():
            node.end()
        self.group.end()
        for process in (*self._keepers.values(), *self._started):
            process.wait()

    def _keep(self, seat: Seat, space: str) -> Process:
        folder = self.folder / seat.name
        (folder / "run").mkdir(parents=True, exist_ok=True)
        (folder / "links").write_text("\n".join((*_links(seat, self.plan), "")))
        (folder / "resolv.conf").write_text(f"nameserver {self.plan.client.address}\n")
        making = ("nsenter", f"--net=/run/netns/{space}", *UNSHARE, "sh", "-c", KEEP)
        keeping = (*making, "sh", seat.name, str(folder))
        return launched(keeping, self.group, folder / "keeper.log", talking=True)


@contextmanager
def opened_site(folder: Path, plan: Plan | None = None) -> Iterator[Site]:
    """Make a site; nothing of it is left after the block, however that ends."""
    name = site_name(next(_numbers))
    with swept(name):
        batch([f"netns add {name}"])
        site = Site(name, folder, plan or Plan(), Group.made(name, "bed"))
        call("ip", "netns", "exec", name, "sh", "-c", QUIET_BRIDGE)
        site.switch(
            f"link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0",
            f"link set {BRIDGE} up",
        )
        try:
            site.add(*site.plan.seats)
            yield site
        finally:
            site.end()


def batch(lines: Iterable[str], namespace: str | None = None) -> None:
    """Tell `ip` several things at once."""
    words = ["ip", *(("-netns", namespace) if namespace else ()), "-batch", "-"]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        words, input=text, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{words}: {done.stderr}\n{text}"


def _plug(seat: Seat, space: str) -> Iterator[str]:
    yield f"link add {seat.port} type veth peer name eth0 netns {space} address {seat.mac}"
    yield f"link set {seat.port} master {BRIDGE} up"


def _links(seat: Seat, plan: Plan) -> Iterator[str]:
    yield "link set lo up"
    yield "link set eth0 up"
    for address in seat.addresses:
        is_v6 = address.version == 6
        length = (NETWORK_V6 if is_v6 else NETWORK_V4).prefixlen
        yield f"address add {address}/{length} dev eth0 {'nodad' if is_v6 else ''}"
    if seat.role is Role.CLIENT:
        far = [one for one in (FAR_V4, FAR_V6) if one.version in seat.families]
        yield from (f"address add {address} dev lo" for address in far)
    else:
        gateways = plan.client.addresses
        yield from (f"route add default via {one} dev eth0" for one in gateways)
