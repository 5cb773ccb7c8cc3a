"""Progress as a fold: what is known, and one more thing heard, give what is known then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ingot.installer.apiview import Seen
from ingot.installer.console import Said
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress

__all__ = ["after_phase", "after_said", "after_seen", "ended"]

_ORDER = tuple(Phase)


def after_phase(progress: Progress, phase: Phase, *, now: datetime) -> Progress:
    """Return progress where a phase has begun; one that has begun before is not begun again."""
    begun = {one.phase for one in progress.phases}
    if phase in begun or (begun and _ORDER.index(phase) < max(map(_ORDER.index, begun))):
        return progress
    closed = ended(progress, now=now).phases
    return replace(
        progress, phases=(*closed, PhaseTimes(phase=phase, began=now)), message="", error=""
    )


def ended(progress: Progress, *, now: datetime) -> Progress:
    """Return progress where all that has begun has ended."""
    phases = tuple(one if one.ended else replace(one, ended=now) for one in progress.phases)
    return replace(progress, phases=phases)


def after_said(progress: Progress, said: Said, *, now: datetime) -> Progress:
    """Return progress after a word of the bootstrap."""
    if said.phase is None:
        return replace(ended(progress, now=now), message=said.text, error="")
    progress = after_phase(progress, said.phase, now=now)
    if said.phase is not progress.phase:
        return progress  # It is read late: another phase has begun since.
    if said.is_error:
        return replace(progress, error=said.text, overcome=_with(progress.overcome, said.text))
    return replace(progress, message=said.text, error="")


def after_seen(progress: Progress, seen: Seen, *, now: datetime) -> Progress:
    """Return progress after a look at the API."""
    if seen.said is not None:
        progress = after_said(progress, seen.said, now=now)
    return replace(
        progress,
        hosts=seen.hosts,
        last_event=seen.last_event,
        overcome=_with(progress.overcome, *_troubles(seen.hosts)),
    )


def _troubles(hosts: Iterable[HostProgress]) -> Iterable[str]:
    return (f"{host.name}: {host.error}" for host in hosts if host.error)


def _with(known: tuple[str, ...], *more: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))
