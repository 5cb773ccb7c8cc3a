"""How far the boot of a ramdisk has come, from what Ironic and the boot servers' logs show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from ingot.ironic.document import Json
from ingot.ironic.node import Node
from ingot.metal3.host.observation import BootSeen
from ingot.metal3.node.situation import boots_ramdisk

__all__ = ["Signs", "agent_awaited", "boot_seen", "state_since"]


class Signs(Protocol):
    """What boot servers have seen of a server; each is the last time."""

    @property
    def dhcp(self) -> datetime | None:
        """It asked for an address."""

    @property
    def boot_file(self) -> datetime | None:
        """It fetched the boot loader."""

    @property
    def kernel(self) -> datetime | None:
        """It fetched the kernel."""


def boot_seen(node: Node, signs: Signs | None, *, over_network: bool) -> BootSeen | None:
    """Return how far a boot has come; None while there is none, and where it cannot be seen.

    Args:
        node: the server's node.
        signs: None where no boot server tells what it sees.
        over_network: whether the ramdisk is fetched by DHCP and TFTP.
    """
    begun = _begun(node)
    if begun is None or (over_network and signs is None):
        return None
    return BootSeen(
        powered_on=begun,
        dhcp=signs.dhcp if signs else None,
        boot_file=signs.boot_file if signs else None,
        kernel=signs.kernel if signs else None,
        agent=_heard(node.driver_internal_info),
    )


def agent_awaited(node: Node) -> bool:
    """Return whether a ramdisk boots, and its agent has not been heard of yet."""
    begun = _begun(node)
    heard = _heard(node.driver_internal_info)
    return begun is not None and (heard is None or heard < begun)


def state_since(node: Node) -> datetime | None:
    """Return since when a node is in its provision state."""
    return _time(node.status.provision_updated_at)


def _begun(node: Node) -> datetime | None:
    """Return when the server was turned on for the boot that is awaited; None if none is.

    Ironic notes its own power changes, and only later that it waits. Whole seconds, as the boot
    servers' logs have them.
    """
    if not boots_ramdisk(node):
        return None
    changed = node.driver_internal_info.get("last_power_state_change")
    begun = _time(changed if isinstance(changed, str) else node.status.provision_updated_at)
    return begun.replace(microsecond=0) if begun else None


def _heard(internal: Mapping[str, Json]) -> datetime | None:
    heard = internal.get("agent_last_heartbeat")
    return _time(heard) if isinstance(heard, str) else None


def _time(text: str | None) -> datetime | None:
    """Return a time as Ironic writes it; without a zone, it is UTC."""
    try:
        time = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time and time.tzinfo is None else time
