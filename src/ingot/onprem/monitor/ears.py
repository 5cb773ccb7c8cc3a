"""What is heard of VIPs on the wire: who holds them, who lists this node, and strangers.

Adverts are taken from the kernel's queue now and then, not one by one as they arrive: a holder is
heard ten times a second by everybody, and nothing has to follow from a single one.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterable

from ingot.onprem.heard import drain, open_ear
from ingot.onprem.keepalived import Instance
from ingot.onprem.model import Address, Family, Situation, family_of
from ingot.onprem.monitor.standing import Heard
from ingot.onprem.priority import BOOTSTRAP
from ingot.onprem.vrid import HeardAdvert, clashes, router_ids

__all__ = ["Ears"]

log = logging.getLogger(__name__)


class Ears:
    """Listens on the network cards that have VIPs.

    Attributes:
        last: the last advert about each VIP, from whomever.
        earlier: the last one of whoever was heard before that; two may reach for a VIP at once.
        listing: the VIPs about which a peer has sent adverts to this node's own address.
        awaited: those about which the bootstrap has, who is nobody's peer.
        clashes: router ids of ours that strangers use, in words.
    """

    def __init__(self) -> None:
        self.last: dict[Address, Heard] = {}
        self.earlier: dict[Address, Heard] = {}
        self.listing: set[Address] = set()
        self.awaited: set[Address] = set()
        self.clashes: tuple[str, ...] = ()
        self._open: dict[tuple[str, Family], socket.socket] = {}
        self._strangers: dict[int, HeardAdvert] = {}

    def listen(self, instances: Iterable[Instance]) -> None:
        """Listen where some VIPs are, and nowhere else."""
        wanted = {(one.interface, family_of(one.vip)) for one in instances}
        for place in set(self._open) - wanted:
            self._open.pop(place).close()
        for place in wanted - set(self._open):
            try:
                self._open[place] = open_ear(*place)
            except OSError as error:
                log.warning("adverts on %s cannot be heard: %s", place[0], error)

    def hear(self, situation: Situation, now: float) -> None:
        """Take in what has arrived."""
        own = {one.address for one in situation.own}
        peers = {address for peer in situation.peers for address in peer.addresses}
        for (_interface, family), ear in self._open.items():
            for advert in drain(ear, family):
                if advert.source in own:
                    continue
                self._note(advert, situation, peers, now)

    def _note(
        self, advert: HeardAdvert, situation: Situation, peers: set[Address], now: float
    ) -> None:
        ours = set(situation.cluster.all_vips) & set(advert.vips)
        for vip in ours:
            last = self.last.get(vip)
            if last is not None and last.source != advert.source:
                self.earlier[vip] = last
            self.last[vip] = Heard(advert.source, advert.priority, now)
            if advert.destination not in {one.address for one in situation.own}:
                continue
            if advert.source in peers:
                self.listing.add(vip)
            elif advert.priority == BOOTSTRAP:
                # It lists planned nodes, and tells nothing of peers.
                self.awaited.add(vip)
        if not ours and advert.router_id not in self._strangers:
            self._strangers[advert.router_id] = advert
            found = clashes(
                router_ids(situation.cluster.name),
                self._strangers.values(),
                vips=situation.cluster.all_vips,
            )
            for clash in found[len(self.clashes) :]:
                log.warning("%s", clash)
            self.clashes = tuple(map(str, found))

    def close(self) -> None:
        """Listen no more."""
        for ear in self._open.values():
            ear.close()
        self._open.clear()
