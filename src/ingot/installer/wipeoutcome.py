"""When there is nothing left to wait for while disks are cleaned, and what came of it. Pure.

A server that fails again and again does not keep the others from being cleaned, nor the command
from its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Progress

__all__ = ["CLEAN", "TRIES", "Cleaned", "is_settled", "outcome"]

CLEAN: Final = "available"
"""The state of a host whose disks are clean: it begins as one whose image is being removed."""

TRIES: Final = 3
"""Failures in a row after which a server is given up. The operator waits longer after each, so that
from the first to the last there are at least three minutes."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What came of it.

    Attributes:
        names: the servers whose disks are clean.
        failed: the others, with why.
    """

    names: frozenset[str] = frozenset()
    failed: Mapping[str, str] = field(default_factory=dict)


def is_settled(progress: Progress, names: Iterable[str], *, now: datetime, limit: float) -> bool:
    """Return whether there is nothing left to wait for: all are clean, or given up, or too late.

    Args:
        progress: what is known.
        names: the servers.
        now: the time.
        limit: how many seconds the servers may take.
    """
    began = next((one.began for one in progress.phases if one.phase is Phase.HOSTS), None)
    if began is None:
        return False
    hosts = {host.name: host for host in progress.hosts}
    return (now - began).total_seconds() >= limit or all(
        name in hosts and (hosts[name].state == CLEAN or _is_given_up(hosts[name]))
        for name in names
    )


def outcome(hosts: Iterable[HostProgress], names: Sequence[str]) -> Cleaned:
    """Return what came of it, from how the servers were seen last."""
    seen = {host.name: host for host in hosts}
    clean = frozenset(name for name in names if name in seen and seen[name].state == CLEAN)
    return Cleaned(clean, {name: _why(seen.get(name)) for name in names if name not in clean})


def _is_given_up(host: HostProgress) -> bool:
    return bool(host.error) and host.attempts >= TRIES


def _why(host: HostProgress | None) -> str:
    if host is None:
        return "its disks were not cleaned: nothing was heard of it"
    return f"its disks were not cleaned: {host.error or f'it was still {host.state}'}"
