"""What links a Machine, its host and its Node: ids, names and addresses.

A node of ours is called as its host is, so names link them from the first moment. A provider id is
then written to both sides, and from then on only it counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.machine import Address, AddressType, Machine
from ingot.machineapi.hosts import Host, names
from ingot.machineapi.nodes import Node

__all__ = ["addresses", "annotated_host", "hosts_of", "node_of", "provider_id"]


def provider_id(host: KubeObject[Host]) -> str:
    """Return what the Node on a host is known by."""
    return f"baremetalhost:///{host.key.namespace}/{host.key.name}/{host.metadata.uid}"


def annotated_host(machine: KubeObject[Machine]) -> ObjectKey | None:
    """Return the host that a Machine says it has, or is about to take."""
    namespace, _, name = machine.metadata.annotations.get(annotation.HOST, "").rpartition("/")
    return ObjectKey(namespace or machine.key.namespace, name) if name else None


def hosts_of(
    machine: KubeObject[Machine], hosts: Iterable[KubeObject[Host]]
) -> tuple[KubeObject[Host], ...]:
    """Return the hosts that name a Machine as theirs; the one that the Machine names is first.

    There is one at most, unless somebody has written the reference by hand.
    """
    named = annotated_host(machine)
    found = [host for host in hosts if names(host, machine.key)]
    return tuple(sorted(found, key=lambda host: (host.key != named, host.key)))


def addresses(host: KubeObject[Host]) -> tuple[Address, ...]:
    """Return the names and addresses of whatever runs on a host.

    The name is the host's own: what a ramdisk called itself says nothing about the node. Addresses
    are those that inspection saw; what a Node says of itself is not taken, since certificates are
    approved by these.
    """
    name = host.key.name
    found = [
        Address(type=AddressType.HOSTNAME.value, address=name),
        Address(type=AddressType.INTERNAL_DNS.value, address=name),
    ]
    found += [
        Address(type=AddressType.INTERNAL_IP.value, address=text)
        for text in host.model.addresses
        if _is_routable(text)
    ]
    return tuple(found)


def node_of(
    machine: ObjectKey, host: KubeObject[Host], nodes: Iterable[KubeObject[Node]]
) -> KubeObject[Node] | None:
    """Return the Node that runs on a host: by its id, by its annotation, or by its name.

    One that has another id, or says that it belongs to another Machine, is never taken. Addresses
    link nothing: what a Node says of itself does not make it ours.
    """
    wanted, name = provider_id(host), host.key.name

    def rank(node: KubeObject[Node]) -> int | None:
        said = node.metadata.annotations.get(annotation.MACHINE, "")
        its_id = node.model.spec.provider_id
        if its_id == wanted:
            return 0
        if said == str(machine) and _is_same_place(its_id, wanted):
            return 1
        return 2 if not said and not its_id and node.metadata.name == name else None

    ranked = [(order, one) for one in nodes if (order := rank(one)) is not None]
    ranked.sort(key=lambda pair: (pair[0], pair[1].metadata.name != name, pair[1].metadata.name))
    return ranked[0][1] if ranked else None


def _is_same_place(its_id: str, wanted: str) -> bool:
    """Tell whether ids differ in the unique id alone, as after a host was restored."""
    return not its_id or its_id.rpartition("/")[0] == wanted.rpartition("/")[0]


def _is_routable(text: str) -> bool:
    try:
        return not ip_address(text).is_link_local
    except ValueError:
        return False
