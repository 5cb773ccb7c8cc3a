"""What this machine has now: its network cards and its main routing table, read from `ip -j`.

Numbers are asked for (`-N`), since a machine may have a name for ours in its rt_protos.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Final, Self

from ingot.hostgateway.model import Address, Network
from ingot.hostgateway.problem import BadAnswerError
from ingot.process import run

__all__ = [
    "METRIC",
    "PROTOCOL",
    "Card",
    "Connected",
    "Route",
    "StandingRoute",
    "Surroundings",
    "read_surroundings",
    "seen_cards",
    "seen_routes",
]

PROTOCOL: Final = 73
"""Marks a route as ours. No program that iproute2 knows the name of uses this number."""

METRIC: Final = 73
"""A metric of our own: whatever is replaced has it, so an administrator's route never is. One to
the same network with a lower metric wins over ours, as somebody meant it to."""


@dataclass(frozen=True, slots=True)
class Card:
    """A network card, or what looks like one.

    Attributes:
        name: such as `eth0`.
        mtu: bytes of its largest packet.
        addresses: those it has.
    """

    name: str
    mtu: int
    addresses: frozenset[Address]


@dataclass(frozen=True, slots=True)
class Connected:
    """A network whose machines are reached without a router."""

    network: Network
    link: str
    metric: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """The way to a network: by which machine, over which card."""

    network: Network
    gateway: Address
    link: str


@dataclass(frozen=True, slots=True)
class StandingRoute:
    """A route of ours as the kernel has it; without a gateway, it is none that we would write."""

    network: Network
    gateway: Address | None
    link: str
    metric: int

    @classmethod
    def of(cls, route: Route) -> Self:
        """Return how the kernel has a route that we wrote."""
        return cls(route.network, route.gateway, route.link, METRIC)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All of it.

    Attributes:
        cards: the network cards.
        connected: networks that are reached without a router.
        standing: routes of ours, whoever of us wrote them.
    """

    cards: tuple[Card, ...] = ()
    connected: tuple[Connected, ...] = ()
    standing: tuple[StandingRoute, ...] = ()

    def card_of(self, address: Address) -> Card | None:
        """Return the card that has an address."""
        return next((card for card in self.cards if address in card.addresses), None)


def read_surroundings(versions: Iterable[int]) -> Surroundings:
    """Return what is there now, of some families.

    Raises:
        CommandFailed: `ip` does not work here.
        BadAnswerError: what it says cannot be understood.
    """
    cards = seen_cards(run(["ip", "-j", "address", "show"]))
    connected: list[Connected] = []
    standing: list[StandingRoute] = []
    for version in versions:
        text = run(["ip", "-N", "-j", f"-{version}", "route", "show", "table", "main"])
        for found in seen_routes(text):
            if isinstance(found, Connected):
                connected.append(found)
            else:
                standing.append(found)
    return Surroundings(cards, tuple(connected), tuple(standing))


def seen_cards(text: str) -> tuple[Card, ...]:
    """Return the cards in what `ip -j address` says.

    Raises:
        BadAnswerError: this is not what it says.
    """
    try:
        return tuple(
            Card(
                name=link["ifname"],
                mtu=int(link["mtu"]),
                addresses=frozenset(
                    ip_address(one["local"]) for one in link.get("addr_info", ()) if "local" in one
                ),
            )
            for link in json.loads(text or "[]")
            if link  # An address that goes while `ip` looks leaves an empty one.
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadAnswerError("ip", text) from error


def seen_routes(text: str) -> tuple[Connected | StandingRoute, ...]:
    """Return connected networks and our routes in what `ip -N -j route` says of one family.

    Raises:
        BadAnswerError: this is not what it says.
    """
    try:
        return tuple(_routes(json.loads(text or "[]")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadAnswerError("ip", text) from error


def _routes(listed: list[dict[str, Any]]) -> Iterator[Connected | StandingRoute]:
    for one in listed:
        if one["dst"] == "default":
            continue  # Whatever lies beyond it is not connected, gateway or not.
        network, metric = ip_network(one["dst"]), int(one.get("metric", 0))
        if one.get("protocol") == str(PROTOCOL):
            gateway = ip_address(one["gateway"]) if "gateway" in one else None
            yield StandingRoute(network, gateway, one.get("dev", ""), metric)
        elif "dev" in one and not one.keys() & {"gateway", "via", "nexthops", "type"}:
            yield Connected(network, one["dev"], metric)
