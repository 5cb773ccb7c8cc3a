"""Which nodes to render, from Nodes as seen, nodes as planned, and what was good last.

A wrong list is worse than an old one: an empty one once turned unicast into multicast and split the
VIP (onprem failure mode 4). So:

* Nobody can be asked: the last good list stays, and before there is one, the plan.
* Until every planned control-plane node has been seen once, planned ones stay in the list.
* New nodes and new addresses count at once. A node that is missing is dropped only after it was
  missing three times in a row, and never so that fewer than two of several control-plane nodes
  would be left.
* A node without an address keeps the one it had; a list with two nodes at one address is not
  believed at all.
* Who is missing itself knows at once (`is_listed`), and leaves before the others drop it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

from ingot.onprem.model import Peer, Role, check_distinct
from ingot.onprem.problem import DuplicatePeerError

__all__ = ["Peers", "from_plan", "observe", "remembered", "to_json"]

CONFIRMATIONS = 3
"""How often in a row a node has to be missing."""

FEWEST = 2
"""Of several control-plane nodes, fewer are not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """The nodes to render, and what was seen on the way there.

    Attributes:
        nodes: all of them, by name; never half of them.
        planned: the names that stay until all of them were seen; empty once they were.
        seen: the planned ones that were.
        missing: how often in a row a node was missing.
        listed: the names in the last list that was believed; None before there was one.
        reason: why the list is as it is, for people.
    """

    nodes: tuple[Peer, ...]
    planned: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    missing: dict[str, int] = field(default_factory=dict)
    listed: frozenset[str] | None = None
    reason: str = "as planned"

    def is_listed(self, name: str) -> bool:
        """Return whether a node may take part: it was in the last list, or there was none yet."""
        if self.listed is None or name in self.planned:
            return any(peer.name == name for peer in self.nodes)
        return name in self.listed


def from_plan(planned: Iterable[Peer]) -> Peers:
    """Return the peers of the first second.

    Raises:
        DuplicatePeerError: two of them share a name or an address.
    """
    nodes = tuple(sorted(planned))
    check_distinct(nodes)
    expected = frozenset(peer.name for peer in nodes if peer.role is Role.CONTROL_PLANE)
    return Peers(nodes=nodes, planned=expected)


def observe(peers: Peers, nodes: Iterable[Peer] | None) -> Peers:
    """Return the peers after one look at the cluster's Nodes.

    Args:
        peers: as they were.
        nodes: all Nodes that there are, or None where nobody could be asked.
    """
    if nodes is None:
        return replace(peers, reason="the API cannot be asked: as last known")
    known = {peer.name: peer for peer in peers.nodes}
    found = {peer.name: peer if peer.addresses else _as_known(peer, known) for peer in nodes}
    usable = {name: peer for name, peer in found.items() if peer.addresses}
    if not any(peer.role is Role.CONTROL_PLANE for peer in usable.values()):
        return replace(peers, reason="the list has no control plane in it: as last known")

    arrived = set(known) - set(_moved_over(known, usable)) | set(usable)
    seen = peers.seen | (peers.planned & arrived)
    planned = frozenset() if seen == peers.planned else peers.planned
    absent = [name for name in known if name not in found and name not in planned]
    missing = {name: peers.missing.get(name, 0) + 1 for name in absent}
    dropped = {name for name, times in missing.items() if times >= CONFIRMATIONS}
    kept = {name: peer for name, peer in known.items() if name not in dropped}
    fresh = tuple(sorted({**_moved_over(kept, usable), **usable}.values()))

    if _control_plane(fresh) < min(FEWEST, _control_plane(peers.nodes)):
        return replace(peers, reason="the list would leave one control-plane node: as last known")
    try:
        check_distinct(fresh)
    except DuplicatePeerError as error:
        return replace(peers, reason=f"{error.what}: as last known")
    return Peers(
        nodes=fresh,
        planned=planned,
        seen=frozenset() if not planned else seen,
        missing={name: times for name, times in missing.items() if name not in dropped},
        listed=frozenset(found),
        reason=_reason(planned - seen, missing, dropped),
    )


def _as_known(peer: Peer, known: dict[str, Peer]) -> Peer:
    before = known.get(peer.name)
    return replace(peer, addresses=before.addresses) if before else peer


def _moved_over(kept: dict[str, Peer], usable: dict[str, Peer]) -> dict[str, Peer]:
    """Return those kept, without any whose address a node that is there has taken over."""
    taken = {address for peer in usable.values() for address in peer.addresses}
    return {
        name: peer
        for name, peer in kept.items()
        if name in usable or not taken.intersection(peer.addresses)
    }


def _control_plane(nodes: Iterable[Peer]) -> int:
    return sum(peer.role is Role.CONTROL_PLANE for peer in nodes)


def _reason(awaited: frozenset[str], missing: dict[str, int], dropped: set[str]) -> str:
    if dropped:
        return f"without {', '.join(sorted(dropped))}, which is no longer a Node"
    if missing:
        return f"{', '.join(sorted(missing))} may be gone: not yet dropped"
    if awaited:
        return f"planned and not yet seen: {', '.join(sorted(awaited))}"
    return "as listed by the API"


def to_json(peers: Peers) -> str:
    """Return what a node writes down, to begin with after a restart."""
    nodes = [
        {"name": one.name, "role": one.role.value, "addresses": [str(at) for at in one.addresses]}
        for one in peers.nodes
    ]
    return json.dumps(
        {"nodes": nodes, "planned": sorted(peers.planned), "seen": sorted(peers.seen)}
    )


def remembered(text: str | None, planned: Iterable[Peer]) -> Peers:
    """Return the peers to begin with: those written down, or the plan where that is unreadable."""
    try:
        written = json.loads(text or "")
        nodes = tuple(
            Peer(one["name"], Role(one["role"]), tuple(map(ip_address, one["addresses"])))
            for one in written["nodes"]
        )
        check_distinct(nodes)
        if not nodes:
            return from_plan(planned)
        return Peers(
            nodes=tuple(sorted(nodes)),
            planned=frozenset(map(str, written["planned"])),
            seen=frozenset(map(str, written["seen"])),
            reason="as written down before the restart",
        )
    except (ValueError, KeyError, TypeError, DuplicatePeerError):
        return from_plan(planned)
