"""The MAC address of the card that a host boots from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.webhooks.bmcaddress import address_of
from ingot.metal3.webhooks.finding import Finding, shown, warning
from ingot.metal3.webhooks.inspecting import is_disabled

__all__ = ["mac_is_given_where_needed", "mac_is_one", "mac_stays"]

FIELD: Final = "spec.bootMACAddress"
_MAC: Final = re.compile(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}")
_GROUP_BIT: Final = 1


def mac_is_given_where_needed(host: BareMetalHost) -> Iterator[Finding]:
    """Row 11: the MAC address is given where the driver needs it or nothing inspects the host."""
    address = address_of(host)
    if host.spec.boot_mac_address or address is None:
        return
    if address.traits.needs_boot_mac:
        why = f"is missing, and a host with a {address.scheme} address needs it"
    elif is_disabled(host):
        why = "is missing, and inspection, which would find it, is disabled"
    else:
        return
    yield Finding(FIELD, why, "give the MAC address of the network card that the host boots from")


def mac_is_one(host: BareMetalHost) -> Iterator[Finding]:
    """Row 12: the MAC address is one, six pairs of hexadecimal digits with colons between them.

    Longer ones, as InfiniBand has them, pass upstream and are then refused by Ironic.
    """
    mac = host.spec.boot_mac_address
    if not mac:
        return
    if not _MAC.fullmatch(mac):
        yield Finding(FIELD, f"{shown(mac)} is no MAC address", "write it as 52:54:00:12:34:56")
    elif int(mac[:2], 16) & _GROUP_BIT:
        yield warning(
            FIELD,
            f"{mac} is the address of a group and of no network card",
            "give the MAC address of the network card that the host boots from",
        )


def mac_stays(old: BareMetalHost, new: BareMetalHost) -> Iterator[Finding]:
    """Row 27: the MAC address is neither changed nor removed once it is set."""
    before, after = old.spec.boot_mac_address or "", new.spec.boot_mac_address or ""
    if before and before.lower() != after.lower():
        change = f"cannot change to {shown(after)}" if after else "cannot be removed"
        yield Finding(
            FIELD,
            f"is {shown(before)} and {change}",
            "keep it, or delete the host and create it again",
        )
