"""What becomes of a subscription that is being deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ingot.ironic.node import NodeId
from ingot.metal3.api.bmceventsubscription import BMCEventSubscription
from ingot.metal3.host.settings import Settings

__all__ = ["Release", "Remove", "Wait", "Ways", "has_waited", "parting"]


@dataclass(frozen=True, slots=True)
class Release:
    """It may go; `why` says what made us give up, and is "" where nothing is left on the BMC."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """It stays for now."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Remove:
    """The BMC is to be asked to end it."""

    node: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How the BMC could be asked.

    Attributes:
        has_host: the host is there.
        ironic_ready: Ironic can be asked.
        node: the host's node; None if Ironic has none.
        fresh: that was listed after our last call about it.
    """

    has_host: bool
    ironic_ready: bool
    node: NodeId | None
    fresh: bool


def parting(  # noqa: PLR0911 - a table
    subscription: BMCEventSubscription,
    identifier: str,
    ways: Ways,
    *,
    now: datetime,
    settings: Settings,
) -> Release | Wait | Remove:
    """Return how a subscription leaves.

    Args:
        subscription: it.
        identifier: what the BMC calls it; "" where there is none.
        ways: how the BMC could be asked.
        now: the time.
        settings: how patient to be.
    """
    if not identifier:
        return Release()
    if not ways.has_host:
        return Release("its host is gone")
    if not ways.ironic_ready:
        if has_waited(subscription, settings.deletion.without_ironic, now=now):
            return Release("Ironic does not answer")
        return Wait(settings.delays.ironic_not_ready)
    if ways.node is None:
        if not ways.fresh:
            return Wait(settings.delays.short)
        return Release("Ironic does not know its host")
    return Remove(ways.node)


def has_waited(subscription: BMCEventSubscription, seconds: float, *, now: datetime) -> bool:
    """Whether it has been being deleted for longer than a time."""
    since = subscription.metadata.deletion_timestamp
    return since is not None and (now - since).total_seconds() > seconds
