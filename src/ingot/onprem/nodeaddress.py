"""Which of a node's addresses is its own: one of each family, chosen once and kept.

An address on the network of a VIP is right, since the node has to answer there. Where none is, as
behind a user's balancer or on a remote network, the way out decides. A VIP is never chosen, whoever
holds it, and nothing that looks like one: a node known by a VIP's address breaks when it moves.

What was chosen stays, as long as the node still has it: certificates, etcd members and the others'
lists of peers rest on it, so a better address that comes later does not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ingot.onprem.interfaces import DefaultRoute, LocalAddress
from ingot.onprem.keepalived import VIP_LABEL
from ingot.onprem.model import Address, Family, OwnAddress, family_of
from ingot.onprem.problem import NoDefaultRouteError

__all__ = ["Choice", "choose"]

SKIPPED_INTERFACES = ("lo", "cni", "veth", "docker", "kube-", "virbr", "flannel", "cali")
"""Beginnings of names of network cards that nodes make for their pods."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A node's own addresses.

    Attributes:
        own: one for each family, that of the first VIP first.
        on_vip_network: whether the node is where the VIPs are; else it cannot hold one.
        reason: why these, for people.
    """

    own: tuple[OwnAddress, ...]
    on_vip_network: bool
    reason: str


def choose(
    addresses: Iterable[LocalAddress],
    routes: Iterable[DefaultRoute],
    *,
    vips: Collection[Address],
    before: Collection[Address] = (),
) -> Choice:
    """Return a node's own addresses.

    Args:
        addresses: all that it has.
        routes: its default routes.
        vips: all of the cluster.
        before: what was chosen last, if anything.

    Raises:
        NoDefaultRouteError: nothing to choose by.
    """
    listed = tuple(addresses)
    fit = [one for one in listed if _is_fit(one, vips)]
    ways = tuple(routes)
    families = tuple(dict.fromkeys(map(family_of, vips))) or tuple(Family)
    own: list[OwnAddress] = []
    reasons: list[str] = []
    for family in families:
        mine = [one for one in fit if family_of(one.address) == family]
        found = _of_family(mine, [way for way in ways if way.family == family], vips, before)
        if found is not None:
            own.append(OwnAddress(found[0].interface, found[0].within))
            reasons.append(f"{found[0].address} {found[1]}")
    if not own:
        raise NoDefaultRouteError(str(one.within) for one in listed if one.scope == "global")
    there = all(any(vip in one.network for one in own) for vip in vips)
    return Choice(tuple(own), there and bool(vips), "; ".join(reasons))


def _is_fit(one: LocalAddress, vips: Collection[Address]) -> bool:
    return not (
        one.address in vips
        or one.label == VIP_LABEL
        or one.scope != "global"
        or one.address.is_link_local
        or one.address.is_loopback
        or one.deprecated
        or one.tentative
        or one.interface.startswith(SKIPPED_INTERFACES)
    )


def _of_family(
    fit: list[LocalAddress],
    ways: list[DefaultRoute],
    vips: Collection[Address],
    before: Collection[Address],
) -> tuple[LocalAddress, str] | None:
    kept = [one for one in fit if one.address in before]
    if kept:
        return min(kept, key=_age), "as chosen before"
    near = [one for one in fit if any(vip in one.within.network for vip in vips)]
    if near:
        return min(near, key=_age), "is on the network of a VIP"
    out = [(way.metric, one) for way in ways for one in fit if one.interface == way.interface]
    if not out:
        return None
    _metric, best = min(out, key=lambda pair: (pair[0], not _reaches(pair[1], ways), _age(pair[1])))
    return best, f"is where the default route through {best.interface} leaves"


def _reaches(one: LocalAddress, ways: Iterable[DefaultRoute]) -> bool:
    return any(way.gateway is not None and way.gateway in one.within.network for way in ways)


def _age(one: LocalAddress) -> tuple[int, int]:
    return one.index, int(one.address)
