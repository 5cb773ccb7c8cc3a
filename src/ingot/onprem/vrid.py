"""Router ids of a cluster, and whether somebody else uses them on the same wire.

The numbers are the field's, by its checksum of the cluster's name; they are derived where the
install-config is checked, so that it can warn before anything runs. Ours are unicast and never meet
those of a stranger. But a stranger's multicast tells that two clusters share a wire and a number,
and whoever then turns one of ours to multicast, by hand or by an upgrade, would join them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ingot.config.routerids import RouterIds, router_ids
from ingot.onprem.model import Address, VipKind

__all__ = ["Clash", "HeardAdvert", "RouterIds", "clashes", "router_ids"]


@dataclass(frozen=True, slots=True)
class HeardAdvert:
    """What was heard of a virtual router.

    Attributes:
        router_id: its number.
        source: who said it.
        destination: to whom: one of us, or everybody.
        version: of VRRP, 2 or 3.
        priority: the sender's; 0 says that it stops.
        vips: the addresses that it is about.
    """

    router_id: int
    source: Address
    destination: Address
    version: int
    priority: int
    vips: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A router id of ours that others use as well."""

    kind: VipKind
    router_id: int
    sources: tuple[Address, ...]

    def __str__(self) -> str:
        who = ", ".join(map(str, self.sources))
        return (
            f"virtual router id {self.router_id}, ours for {self.kind.value}, is also used by {who}"
        )


def clashes(
    ids: RouterIds, heard: Iterable[HeardAdvert], *, vips: Collection[Address]
) -> tuple[Clash, ...]:
    """Return which of our router ids others use.

    An advert is a stranger's when none of its addresses is a VIP of ours: our own nodes, the
    bootstrap included, speak of our VIPs only.
    """
    strangers: dict[int, set[Address]] = {}
    for advert in heard:
        if not set(advert.vips) & set(vips):
            strangers.setdefault(advert.router_id, set()).add(advert.source)
    ours = ((VipKind.API, ids.api), (VipKind.INGRESS, ids.ingress))
    return tuple(
        Clash(kind, number, tuple(sorted(strangers[number], key=_order)))
        for kind, number in ours
        if number in strangers
    )


def _order(address: Address) -> tuple[int, int]:
    return address.version, int(address)
