"""How machines of libvirt are plugged into a lab.

Their cards come and go with their power, and those of the libvirt that this PC has anyway are in
the user's network namespace. So each card gets a bridge of its own where its libvirt runs: in the
lab's namespace with the lab's own libvirt, which is taken where no URI is given, else in the
user's. A link leads from it to the lab's bridge. That link has the card's name, as a UML host's
has, and is always there: a fault of a card finds it. A libvirt on another PC has bridges of its
own, which its owner connects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from ingot.lab.plan import HostPlan, LabPlan, NicPlan
from ingot.lab.words import DriverKind

__all__ = [
    "has_outlets",
    "inside_commands",
    "is_elsewhere",
    "links",
    "outlet_bridge",
    "outside_commands",
    "tap",
]


def is_elsewhere(host: HostPlan) -> bool:
    """Tell whether the libvirt of another PC runs a host."""
    return host.libvirt_uri is not None and bool(urlsplit(host.libvirt_uri).netloc)


def has_outlets(host: HostPlan) -> bool:
    """Tell whether the cards of a host are plugged in this way."""
    return host.driver is DriverKind.LIBVIRT and not is_elsewhere(host)


def outlet_bridge(port: str) -> str:
    """Return the bridge of a card."""
    return f"{port}b"


def tap(port: str) -> str:
    """Return what libvirt calls the card itself on that bridge."""
    return f"{port}t"


def outside_commands(plan: LabPlan, there: Iterable[str]) -> Iterator[str]:
    """Return the commands of `ip` that make the user's side of it."""
    known = set(there)
    for host in plan.hosts:
        if has_outlets(host) and host.libvirt_uri is not None:
            for nic in host.nics:
                yield from _bridge(nic, known, f"{nic.port} netns {plan.namespace}")


def inside_commands(plan: LabPlan, there: Iterable[str]) -> Iterator[str]:
    """Return the commands of `ip` that make the lab's side of it."""
    known = set(there)
    for host in plan.hosts:
        if not has_outlets(host):
            continue
        for nic in host.nics:
            if host.libvirt_uri is None:
                yield from _bridge(nic, known, nic.port)
            yield f"link set {nic.port} master {nic.bridge} up"


def _bridge(nic: NicPlan, known: set[str], peer: str) -> Iterator[str]:
    bridge, link = outlet_bridge(nic.port), f"{nic.port}o"
    if bridge not in known:
        yield f"link add {bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
    if link not in known:
        yield f"link add {link} type veth peer name {peer}"
    yield f"link set {link} master {bridge} up"
    yield f"link set {bridge} up"


def links(ports: Iterable[str]) -> Iterator[str]:
    """Return every link that may be in the user's namespace for some cards."""
    for port in ports:
        yield outlet_bridge(port)
        yield f"{port}o"
