"""When waiting is over, and what was waited for: each server by its name, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Progress

__all__ = ["has_lasted", "lasting_since", "standing_of", "waited_for"]

LASTING_SECONDS: Final = 30.0
"""What a person has to mend is tried again every few seconds, and may have been mended already."""

SILENCE: Final = "nothing was heard"


def lasting_since(progress: Progress, known: float | None, *, now: float) -> float | None:
    """Return since when nothing goes on without a person; None where that is not so.

    Args:
        progress: what is known.
        known: what this returned at the last look.
        now: in seconds of any clock.
    """
    if not progress.lasting:
        return None
    return now if known is None else known


def has_lasted(since: float | None, *, now: float) -> bool:
    """Return whether it is time to call a person."""
    return since is not None and now - since >= LASTING_SECONDS


def waited_for(progress: Progress) -> str:
    """Return what the present phase waits for, for a person who has to find out why.

    While servers are provisioned, each one that is not is named. Later the bootstrap itself says
    who waits for what, also where its API is not to be had; an error does not hide that.
    """
    said = ""
    if progress.phase is Phase.HOSTS:
        said = "; ".join(_unprovisioned(progress.hosts))
    parts = [said or progress.message]
    if progress.error:
        parts.append(f"the last error: {progress.error}")
    return "; ".join(filter(None, parts)) or SILENCE


def _unprovisioned(hosts: tuple[HostProgress, ...]) -> Iterator[str]:
    for host in hosts:
        if host.is_awaited:
            yield standing_of(host)


def standing_of(host: HostProgress) -> str:
    """Return how a server stands, for a person who waits for it."""
    detail = host.error or host.step
    return f"{host.name} {host.state}" + (f" ({detail})" if detail else "")
