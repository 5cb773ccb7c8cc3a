"""When a node that the others did not plan with may begin to speak VRRP.

All who were planned know each other from the first second. A node that comes later knows the others
before they know it: it would send adverts, hear none, and hold the VIP beside its holder (onprem
failure mode 3). So it first listens. An advert from a peer to its own address shows that the holder
lists it. Where nobody answers for the VIP either, there is no holder to be beside.

While the bootstrap holds the VIP, no peer sends adverts, and all of them may be newcomers: servers
that have their addresses from a DHCP server are not planned with them. If each waited for a free
VIP, it would be nobody's for seconds after the bootstrap gave it up. So a node that hears the
bootstrap asks its peers, who all have to say that they list it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUIET_SECONDS", "Joining", "may_speak"]

QUIET_SECONDS = 5.0
"""So long nobody may answer for the VIP before a newcomer takes it for free: six times as long as
the others need to replace a dead holder among themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """What a node has seen of a VIP before it takes part in holding it.

    Attributes:
        planned: it was planned from the first second, with the address that it has.
        heard: a peer has sent it an advert for this VIP.
        known: the bootstrap has, and every peer says that it lists this node.
        answered: somebody else answers for the VIP, by ARP or neighbour discovery.
        quiet: for how many seconds nobody has.
    """

    planned: bool
    heard: bool
    known: bool = False
    answered: bool
    quiet: float


def may_speak(seen: Joining) -> tuple[bool, str]:
    """Return whether a node may begin to speak VRRP, and why."""
    if seen.planned:
        return True, "was planned from the beginning"
    if seen.heard:
        return True, "is listed by the holder, which it hears"
    if seen.known:
        return True, "hears the bootstrap, and is listed by all who may hold the VIP after it"
    if seen.answered:
        return False, "waits for the holder to list it"
    if seen.quiet < QUIET_SECONDS:
        return False, f"has listened for {seen.quiet:.0f} of {QUIET_SECONDS:.0f} quiet seconds"
    return True, "found the VIP free"
