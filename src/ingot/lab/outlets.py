"""How machines of this PC's own libvirt are plugged into a lab.

It runs in the user's network namespace, and its machines' cards are plugged in there. So each card
of such a host gets a bridge of its own there, and a link from it to the lab's bridge. In the lab's
namespace that link has the card's name, as a UML host's has: a fault of a card finds it. A libvirt
on another PC has bridges of its own, which its owner connects. The lab's own libvirt, which is
taken where no URI is given, is in the lab's namespace and needs none of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from ingot.lab.plan import HostPlan, LabPlan, NicPlan

__all__ = [
    "inside_commands",
    "is_elsewhere",
    "is_local_libvirt",
    "links",
    "outlet_bridge",
    "outlets",
    "outside_commands",
]


def is_local_libvirt(host: HostPlan) -> bool:
    """Tell whether the libvirt that this PC has anyway runs a host."""
    return host.libvirt_uri is not None and not urlsplit(host.libvirt_uri).netloc


def is_elsewhere(host: HostPlan) -> bool:
    """Tell whether the libvirt of another PC runs a host."""
    return host.libvirt_uri is not None and bool(urlsplit(host.libvirt_uri).netloc)


def outlets(plan: LabPlan) -> tuple[NicPlan, ...]:
    """Return the cards that need such a bridge."""
    return tuple(nic for host in plan.hosts if is_local_libvirt(host) for nic in host.nics)


def outlet_bridge(port: str) -> str:
    """Return the bridge of a card."""
    return f"{port}b"


def outside_commands(plan: LabPlan, there: Iterable[str]) -> Iterator[str]:
    """Return the commands of `ip` that make the user's side of it."""
    known = set(there)
    for nic in outlets(plan):
        bridge, link = outlet_bridge(nic.port), _link(nic)
        if bridge not in known:
            yield f"link add {bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
        if link not in known:
            yield f"link add {link} type veth peer name {nic.port} netns {plan.namespace}"
        yield f"link set {link} master {bridge} up"
        yield f"link set {bridge} up"


def inside_commands(plan: LabPlan) -> Iterator[str]:
    """Return the commands of `ip` that make the lab's side of it."""
    for nic in outlets(plan):
        yield f"link set {nic.port} master {nic.bridge} up"


def links(ports: Iterable[str]) -> Iterator[str]:
    """Return every link that may be in the user's namespace for some cards."""
    for port in ports:
        yield outlet_bridge(port)
        yield f"{port}o"


def _link(nic: NicPlan) -> str:
    return f"{nic.port}o"
