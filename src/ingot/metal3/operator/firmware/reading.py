"""When Ironic is asked for a host's settings or components again.

Ironic answers from its database, and writes there only while it verifies, inspects, cleans or
services a node. So there is nothing new before the node's provision state has changed. Upstream
asks every five minutes instead, which is most of what its operator does at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.ironic.node import NodeStatus
from ingot.ironic.states import ProvisionState

__all__ = ["RARELY", "REST", "Reading", "is_verified", "stamp_of", "until_next"]

REST: Final = 300.0
"""Seconds between two readings of a host that asks for nothing: upstream's interval."""

RARELY: Final = 3600.0
"""Seconds after which a host is read again though nothing has changed: what may have been missed is
not missed for ever."""

_UNVERIFIED: Final = frozenset(
    {ProvisionState.ENROLL, ProvisionState.VERIFYING, ProvisionState.UNKNOWN}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The last time that Ironic was asked.

    Attributes:
        stamp: of the node then; "" where that is not known.
        at: when, by the clock of the event loop.
    """

    stamp: str
    at: float


def stamp_of(node: NodeStatus) -> str:
    """Return what changes with every change of a node's provision state."""
    return f"{node.uuid} {node.provision_updated_at} {node.provision_state}"


def is_verified(node: NodeStatus) -> bool:
    """Return whether Ironic has reached the node's BMC, and so may have something to tell."""
    return node.provision_state not in _UNVERIFIED


def until_next(last: Reading | None, node: NodeStatus, *, asked: bool, now: float) -> float | None:
    """Return in how many seconds to ask again; None: not before the node has changed.

    Args:
        last: the last time; None if there was none that counts.
        node: as it was listed.
        asked: whether somebody waits for what comes of it, since spec asks for something.
        now: the time, by the clock of the event loop.
    """
    if last is None:
        return 0.0
    if last.stamp == stamp_of(node):
        return max(0.0, last.at + RARELY - now)
    if node.provision_state.is_transient:
        return None
    return 0.0 if asked else max(0.0, last.at + REST - now)
