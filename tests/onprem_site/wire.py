"""What the bridge does not carry: rules of nftables, all at once from a value that says it all.

The observer is exempt from what goes wrong between nodes, or it could not tell what that does. It
is not exempt where a node is not there at all. netem was rejected: this project is tested on
kernels without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product

from tests.onprem_site.observation import NOBODY, Nodes
from tests.onprem_site.plan import Seat

SLOTS = 10_000
OTHER_THAN_ADVERTS = ("ether type arp", "ip protocol != vrrp", "ip6 nexthdr != vrrp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wires:
    """What goes wrong on all wires of a site.

    Attributes:
        sides: nodes hear only those on their own side; nodes on none hear all.
        silent: nodes from and to which nothing comes.
        waking: nodes from and to which nothing comes but adverts.
        lost: percent of frames that are lost from and to a node.
        lost_by_all: percent of frames that are lost, whoever they are from.
    """

    sides: tuple[Nodes, ...] = ()
    silent: Nodes = NOBODY
    waking: Nodes = NOBODY
    lost: Mapping[str, float] = field(default_factory=dict)
    lost_by_all: float = 0


def rules(wires: Wires, seats: Mapping[str, Seat], observer: Seat) -> str:
    """Return what nftables is told, in place of what it was told before."""
    return "\n".join(
        (
            "add table bridge site",
            "delete table bridge site",
            "table bridge site {",
            "  chain forward {",
            "    type filter hook forward priority 0; policy accept;",
            *(f"    {rule}" for rule in _rules(wires, seats, observer)),
            "  }",
            "}",
            "",
        )
    )


def _rules(wires: Wires, seats: Mapping[str, Seat], observer: Seat) -> Iterator[str]:
    if wires.silent:
        yield from _both_ways(_set(seats, wires.silent), "drop")
    for other in OTHER_THAN_ADVERTS if wires.waking else ():
        yield from _both_ways(_set(seats, wires.waking), f"{other} drop")
    yield from _both_ways(f'"{observer.port}"', "accept")
    for here, there in permutations(wires.sides, 2):
        pairs = product(_links(seats, here), _links(seats, there))
        shown = ", ".join(f'"{one}" . "{other}"' for one, other in pairs)
        yield f"iifname . oifname {{ {shown} }} drop"
    if wires.lost_by_all:
        yield f"{_chance(wires.lost_by_all)} drop"
    for name, percent in sorted(wires.lost.items()):
        yield from _both_ways(_set(seats, frozenset({name})), f"{_chance(percent)} drop")


def _both_ways(links: str, what: str) -> tuple[str, str]:
    return f"iifname {links} {what}", f"oifname {links} {what}"


def _chance(percent: float) -> str:
    return f"numgen random mod {SLOTS} < {round(percent * SLOTS / 100)}"


def _set(seats: Mapping[str, Seat], names: Nodes) -> str:
    quoted = (f'"{link}"' for link in _links(seats, names))
    return f"{{ {', '.join(quoted)} }}"


def _links(seats: Mapping[str, Seat], names: Nodes) -> list[str]:
    found = (seats[name] for name in sorted(names))
    return [link for seat in found for link in (seat.port, seat.detour)]
