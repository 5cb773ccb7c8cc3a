"""Situations to render from: three control-plane nodes and two workers, in one or two families."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

from ingot.onprem.model import Address, Cluster, OwnAddress, Peer, Role, Situation

V4, V6 = "10.9.0.", "fd09::"
CONTROL_PLANE = ("master-0", "master-1", "master-2")
WORKERS = ("worker-0", "worker-1")
NUMBERS = {
    "bootstrap": 10,
    **{name: 11 + index for index, name in enumerate(CONTROL_PLANE)},
    **{name: 21 + index for index, name in enumerate(WORKERS)},
}


def addresses(host: str, *stacks: str) -> tuple[Address, ...]:
    return tuple(ip_address(f"{stack}{host}") for stack in stacks or (V4,))


def cluster(*stacks: str, managed: bool = True, external_dns: bool = False) -> Cluster:
    return Cluster(
        name="ostest",
        domain="ostest.example.com",
        api_vips=addresses("100", *stacks),
        ingress_vips=addresses("101", *stacks),
        user_managed_balancer=not managed,
        external_dns=external_dns,
    )


def peer(name: str, *stacks: str) -> Peer:
    role = Role.CONTROL_PLANE if name in CONTROL_PLANE else Role.WORKER
    return Peer(name, role, addresses(str(NUMBERS[name]), *stacks))


def peers(*stacks: str) -> tuple[Peer, ...]:
    return tuple(peer(name, *stacks) for name in (*CONTROL_PLANE, *WORKERS))


def own(name: str, *stacks: str, interface: str = "eth0") -> tuple[OwnAddress, ...]:
    prefix = {V4: 24, V6: 64}
    return tuple(
        OwnAddress(interface, ip_interface(f"{stack}{NUMBERS[name]}/{prefix[stack]}"))
        for stack in stacks or (V4,)
    )


def situation(
    name: str, *stacks: str, interface: str = "eth0", of: Cluster | None = None
) -> Situation:
    return Situation(
        cluster=of or cluster(*stacks),
        name=name,
        role=Role.BOOTSTRAP if name == "bootstrap" else peer(name).role,
        own=own(name, *stacks, interface=interface),
        peers=peers(*stacks),
    )
