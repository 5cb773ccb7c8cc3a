"""Somebody else's DHCP server on the provisioning network, found before ours starts.

Ours answers to the cluster's own servers alone, but that keeps nobody else from answering them: a
server takes whichever offer comes first, and boots what it names. So it would be a matter of luck
which server is provisioned, and the others would be lost boots without a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingot.dhcp.servers import DhcpServer, servers_on
from ingot.metal3.api.provisioning import ProvisioningNetwork
from ingot.metal3.pod.interface import await_interface
from ingot.metal3.pod.settings import Settings, read
from ingot.node.bootstrap.options import Places
from ingot.node.bootstrap.problem import NeedsAPersonError
from ingot.node.bootstrap.staticpods import is_started

__all__ = ["METAL3", "check_no_other_dhcp", "other_dhcp"]

METAL3: Final = "30-metal3"
"""The pod that our own DHCP server is in."""

CARD_SECONDS: Final = 30.0
ASKED_FOR: Final = 64
"""So many of the cluster's servers are asked for: the others will fare as they do."""

IPV4: Final = 4


def check_no_other_dhcp(places: Places) -> None:
    """Check that nobody but us will hand out addresses; nothing once our own server may run.

    Raises:
        NeedsAPersonError: somebody does.
        NoInterfaceError: there is no card on the provisioning network.
        OSError: the card cannot be used.
        SettingsError: what the metal3 pod is told cannot be read.
    """
    if is_started(places, METAL3):
        return
    settings = read(places.metal3 / "settings.json")
    if not _concerns(settings):
        return
    card = await_interface(settings, within=CARD_SECONDS)
    problem = other_dhcp(servers_on(card, settings.allowed_macs[:ASKED_FOR]))
    if problem is not None:
        raise problem


def other_dhcp(servers: Sequence[DhcpServer]) -> NeedsAPersonError | None:
    """Return what is wrong when some DHCP servers answer before ours is there."""
    if not servers:
        return None
    named = " and ".join(f"{one.address} ({one.mac})" for one in servers)
    one = len(servers) == 1
    return NeedsAPersonError(
        f"{'another DHCP server' if one else 'other DHCP servers'}, {named}, "
        f"{'answers' if one else 'answer'} on the provisioning network, and would boot the servers",
        remedy=f"switch {'it' if one else 'them'} off there, or use "
        "provisioningNetwork: Unmanaged and have it boot them from us",
    )


def _concerns(settings: Settings) -> bool:
    """Return whether we hand out addresses; of IPv6 there may be several who do."""
    managed = settings.mode is ProvisioningNetwork.MANAGED
    return managed and settings.dhcp is not None and settings.dhcp.network.version == IPV4
