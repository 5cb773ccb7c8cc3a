"""The addresses and default routes of this node, read from `ip -j`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from ingot.onprem.model import Address, Family
from ingot.onprem.problem import BadAnswerError
from ingot.process import run

__all__ = [
    "DefaultRoute",
    "LocalAddress",
    "read_addresses",
    "read_routes",
    "seen_addresses",
    "seen_routes",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAddress:
    """An address on a network card.

    Attributes:
        interface: the network card's name.
        index: its number, by age.
        within: the address with its prefix length.
        label: what was written on it; IPv4 only.
        scope: `global`, `link` or `host`.
        deprecated: no new connection should use it.
        tentative: whether somebody else has it is still being found out, or was.
    """

    interface: str
    index: int
    within: IPv4Interface | IPv6Interface
    label: str = ""
    scope: str = "global"
    deprecated: bool = False
    tentative: bool = False

    @property
    def address(self) -> Address:
        """The address alone."""
        return self.within.ip


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultRoute:
    """A way out.

    Attributes:
        interface: the network card's name.
        family: of the addresses that take it.
        gateway: the next router, where there is one.
        metric: the lower, the better.
        source: the address it asks senders to use, if any.
    """

    interface: str
    family: Family
    gateway: Address | None = None
    metric: int = 0
    source: Address | None = None


def seen_addresses(text: str) -> tuple[LocalAddress, ...]:
    """Return the addresses in what `ip -j address` says.

    Raises:
        BadAnswerError: this is not what it says.
    """
    try:
        return tuple(_addresses(json.loads(text)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadAnswerError("ip", text) from error


def _addresses(links: list[dict[str, object]]) -> Iterator[LocalAddress]:
    for link in links:
        listed = link.get("addr_info")
        for one in listed if isinstance(listed, list) else []:
            if "local" in one:
                yield LocalAddress(
                    interface=str(link["ifname"]),
                    index=int(str(link["ifindex"])),
                    within=ip_interface(f"{one['local']}/{one['prefixlen']}"),
                    label=str(one.get("label", "")),
                    scope=str(one.get("scope", "global")),
                    deprecated=bool(one.get("deprecated", False)),
                    tentative=bool(one.get("tentative", False) or one.get("dadfailed", False)),
                )


def seen_routes(text: str, family: Family) -> tuple[DefaultRoute, ...]:
    """Return the default routes in what `ip -j route show default` says.

    Raises:
        BadAnswerError: this is not what it says.
    """
    try:
        return tuple(
            DefaultRoute(
                interface=str(one["dev"]),
                family=family,
                gateway=ip_address(one["gateway"]) if "gateway" in one else None,
                metric=int(one.get("metric", 0)),
                source=ip_address(one["prefsrc"]) if "prefsrc" in one else None,
            )
            for one in json.loads(text or "[]")
            if one.get("dst") == "default" and "dev" in one
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadAnswerError("ip", text) from error


def read_addresses() -> tuple[LocalAddress, ...]:
    """Return the addresses that this node has now."""
    return seen_addresses(run(["ip", "-j", "address", "show"]))


def read_routes() -> tuple[DefaultRoute, ...]:
    """Return the default routes that this node has now."""
    return tuple(
        route
        for family in Family
        for route in seen_routes(
            run(["ip", "-j", f"-{family.value}", "route", "show", "default"]), family
        )
    )
