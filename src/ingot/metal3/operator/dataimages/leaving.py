"""What becomes of a DataImage that is being deleted, while its host is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from ingot.ironic.node import NodeId, NodeStatus
from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.host.settings import Delays

__all__ = ["Drive", "Empty", "Parting", "Release", "Wait", "parting"]

IN_USE: Final = frozenset({ProvisioningState.PROVISIONED, ProvisioningState.EXTERNALLY_PROVISIONED})
"""Where the host's controller changes the drive, at a power cycle."""


@dataclass(frozen=True, slots=True)
class Release:
    """It may go; `why` says what made us give up, and is "" where the drive is empty."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """It stays for now; None waits for a change."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """The drive is to be emptied now, by ourselves."""

    node: NodeId


Parting: TypeAlias = Release | Wait | Empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What is known of a host's drive.

    Attributes:
        used: an image is in it, or may be any moment.
        ironic_ready: Ironic can be asked.
        node: the host's node as last listed; None if there was none.
        fresh: that listing is newer than our last call about the node.
    """

    used: bool
    ironic_ready: bool
    node: NodeStatus | None
    fresh: bool


def parting(host: BareMetalHost, drive: Drive, delays: Delays) -> Parting:  # noqa: PLR0911 - a table
    """Return how the DataImage of a host leaves."""
    if not drive.used:
        return Release()
    if annotation.DETACHED in host.metadata.annotations:
        return Release("its host is detached")
    if not drive.ironic_ready:
        return Wait(delays.ironic_not_ready)
    if drive.node is None:
        known = bool(host.status.provisioning.id)
        if known and not drive.fresh:
            return Wait(delays.short)
        return Release("Ironic does not know its host")
    if host.status.provisioning.state in IN_USE and not host.metadata.is_going:
        return Wait()
    state = drive.node.provision_state
    if not (state.is_stable or state.is_failed):
        return Wait(delays.long)  # Ironic itself may need the drive.
    return Empty(drive.node.uuid)
