"""The lab's wires: a network namespace with a bridge for each network, and a link to the user's.

Everything the lab needs is in that namespace: its forwarding, its bridges, its addresses. In the
user's own one there is a single link, the uplink, and the routes through it to the external and the
out-of-band network. No setting, firewall rule or name server of the user is touched. There is no
way from the lab to the world: what a host asks of an address outside is refused at once.

What should be there is compared with what is, so the same function makes a lab's networks, mends
them, and finds nothing to do.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Network
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.lab import outlets
from ingot.lab.plan import LabPlan, NetworkPlan
from ingot.lab.words import ProvisioningMode
from ingot.machine import namespaces
from ingot.process import CommandFailed, run

__all__ = [
    "BAREMETAL",
    "OUT_OF_BAND",
    "PROVISIONING",
    "NetworkTaken",
    "Seen",
    "check_free",
    "collides",
    "commands_inside",
    "commands_outside",
    "make_networks",
    "provisioning_address",
    "remove_networks",
    "resolver_folder",
]

BAREMETAL = "baremetal"
PROVISIONING = "provisioning"
OUT_OF_BAND = "oob"
UPLINK = "uplink"
"""The uplink's name inside the lab's namespace."""

REMEDY = "see `ip netns list`, or remove the lab with `ingot lab destroy` and create it again"


class NetworkTaken(IngotError):  # noqa: N818 - it says what was seen
    """Something of this PC's own is where the lab's networks should be."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class Seen:
    """The links there are, in the lab's namespace and in the user's."""

    inside: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()


def provisioning_address(networks: NetworkPlan) -> str | None:
    """Return the lab's own address on the provisioning network, with its prefix length.

    Only where the site has DHCP there, in mode `unmanaged`, does anyone of the site live on it.
    """
    if networks.provisioning is None or networks.provisioning_mode != ProvisioningMode.UNMANAGED:
        return None
    return f"{networks.provisioning[1]}/{networks.provisioning.prefixlen}"


def check_free(plan: LabPlan) -> None:
    """Check that nothing is where the lab's networks should be.

    Raises:
        NetworkTaken: naming what is there.
    """
    networks = plan.networks
    if namespaces.exists(plan.namespace):
        raise NetworkTaken(
            f"there is a network namespace {plan.namespace} already",
            remedy="it may be of a lab whose state lies elsewhere ($INGOT_STATE); destroy that "
            "one, or give this lab another name",
        )
    if networks.uplink in _links():
        raise NetworkTaken(
            f"there is a link {networks.uplink} already", remedy="give this lab another name"
        )
    asked = {
        "external": networks.external,
        "out-of-band": networks.out_of_band,
        "uplink": networks.uplink_outside.network,
    }
    for name, network in asked.items():
        for theirs, route in _routes():
            if collides(network, theirs, direct="gateway" not in route):
                raise NetworkTaken(
                    f"the lab's {name} network {network} overlaps {theirs}, which this PC reaches "
                    f"by {route.get('dev', 'another way')}",
                    remedy="destroy the other lab if it is one, or choose another network in "
                    "lab.yaml",
                )


def collides(ours: IPv4Network, theirs: IPv4Network, *, direct: bool) -> bool:
    """Tell whether a route of ours would take the place of, or be hidden by, one of the user's.

    A wide route to somewhere behind a gateway, as those of a VPN, may have ours cut out of it.
    """
    return ours.overlaps(theirs) and (direct or theirs.subnet_of(ours))


def make_networks(plan: LabPlan) -> None:
    """Make what is missing of a lab's networks."""
    if not namespaces.exists(plan.namespace):
        namespaces.delete(plan.namespace)  # A name may be left of one that is gone.
        run(["ip", "netns", "add", plan.namespace], remedy=REMEDY)
    _set_switches(plan.namespace)
    inside = _links("-n", plan.namespace)
    if UPLINK not in inside:  # The other end is in a namespace that has lost its name.
        _remove_links([plan.networks.uplink])
    seen = Seen(inside=inside, outside=_links())
    _batch(commands_outside(plan, seen))
    _batch(commands_inside(plan, seen), "-n", plan.namespace)
    folder = resolver_folder(plan.namespace)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "resolv.conf").write_text(
        f"nameserver {plan.networks.external_gateway}\n"
        f"search {plan.cluster_name}.{plan.base_domain}\n",
        encoding="utf-8",
    )


def remove_networks(namespace: str, links: Iterable[str], others: Iterable[str] = ()) -> None:
    """Remove a lab's networks, or what is there of them.

    Args:
        namespace: the lab's.
        links: those in the user's: the uplink, and what libvirt's machines are plugged into.
        others: namespaces of the lab's hosts.
    """
    _remove_links(links)
    for name in (*others, namespace):
        namespaces.delete(name)
    folder = resolver_folder(namespace)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()  # Unless someone else has something in it.


def resolver_folder(namespace: str) -> Path:
    """Return where `ip netns exec` looks for the name servers of a namespace."""
    return Path("/etc/netns", namespace)


def commands_inside(plan: LabPlan, seen: Seen) -> Iterator[str]:
    """Return the commands of `ip` that make the lab's side of it."""
    networks = plan.networks
    yield "link set lo up"
    addresses = {
        BAREMETAL: [f"{networks.external_gateway}/{networks.external.prefixlen}"],
        OUT_OF_BAND: [
            f"{networks.out_of_band_gateway}/{networks.out_of_band.prefixlen}",
            *(f"{host.bmc.address}/32" for host in plan.hosts),
        ],
    }
    if networks.provisioning is not None:
        own = provisioning_address(networks)
        addresses[PROVISIONING] = [] if own is None else [own]
    for bridge, own_addresses in addresses.items():
        if bridge not in seen.inside:
            # Without a MAC of its own it would change with every host that is plugged in, and a
            # switch that listens before it forwards would lose the first seconds of every boot.
            yield (
                f"link add {bridge} address {_mac(plan.namespace, bridge)} type bridge "
                "stp_state 0 forward_delay 0 mcast_snooping 0"
            )
        for address in own_addresses:
            yield f"address replace {address} dev {bridge}"
        yield f"link set {bridge} up"
    yield f"address replace {networks.uplink_inside} dev {UPLINK}"
    yield f"link set {UPLINK} up"
    yield from outlets.inside_commands(plan, seen.inside)


def commands_outside(plan: LabPlan, seen: Seen) -> Iterator[str]:
    """Return the commands of `ip` that make the user's side of it, and its link to the lab."""
    networks, uplink = plan.networks, plan.networks.uplink
    if uplink not in seen.outside:
        yield f"link add {uplink} type veth peer name {UPLINK} netns {plan.namespace}"
    yield f"address replace {networks.uplink_outside} dev {uplink}"
    yield f"link set {uplink} up"
    inside = networks.uplink_inside.ip
    for network in (networks.external, networks.out_of_band):
        yield f"route replace {network} via {inside} dev {uplink}"
    yield from outlets.outside_commands(plan, seen.outside)


def _set_switches(namespace: str) -> None:
    settings = {
        "ipv4/ip_forward": "1",
        "ipv6/conf/all/disable_ipv6": "1",
        "ipv6/conf/default/disable_ipv6": "1",
    }

    def write() -> None:
        for name, value in settings.items():
            path = Path("/proc/sys/net", name)
            if path.exists():  # A kernel may know no IPv6.
                path.write_text(value, encoding="utf-8")

    namespaces.inside(namespace, write)  # There these are the namespace's own, not the PC's.


def _remove_links(links: Iterable[str]) -> None:
    """Remove links of the user's namespace, as far as they are there."""
    for link in set(links) & _links():
        try:
            run(["ip", "link", "delete", link], remedy=REMEDY)
        except CommandFailed:
            # A namespace takes its links with it some time after its end, which may be now.
            if link in _links():
                raise


def _batch(commands: Iterable[str], *where: str) -> None:
    run(["ip", *where, "-batch", "-"], stdin="\n".join(commands) + "\n", remedy=REMEDY)


def _links(*where: str) -> frozenset[str]:
    seen = json.loads(run(["ip", *where, "-json", "link", "show"]) or "[]")
    return frozenset(link["ifname"] for link in seen)


def _routes() -> list[tuple[IPv4Network, dict[str, object]]]:
    seen = json.loads(run(["ip", "-4", "-json", "route", "show"]) or "[]")
    return [(IPv4Network(route["dst"]), route) for route in seen if route["dst"] != "default"]


def _mac(namespace: str, bridge: str) -> str:
    number = sha256(f"{namespace}/{bridge}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *number[:5]))  # 02: locally given
