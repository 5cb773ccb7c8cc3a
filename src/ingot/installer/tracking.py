"""Progress as a fold: what is known, and one more thing heard, give what is known then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ingot.installer.apiview import Seen
from ingot.installer.console import Said
from ingot.installer.hoststep import SENT, image_was_sent
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress

__all__ = ["after_phase", "after_said", "after_seen", "after_troubles", "ended"]

_ORDER = tuple(Phase)


def after_phase(progress: Progress, phase: Phase, *, now: datetime) -> Progress:
    """Return progress where a phase has begun; one that has begun before is not begun again."""
    begun = {one.phase for one in progress.phases}
    if phase in begun or (begun and _ORDER.index(phase) < max(map(_ORDER.index, begun))):
        return progress
    closed = ended(progress, now=now).phases
    begun_now = PhaseTimes(phase=phase, began=now)
    return replace(_untroubled(progress, ""), phases=(*closed, begun_now))


def ended(progress: Progress, *, now: datetime) -> Progress:
    """Return progress where all that has begun has ended."""
    phases = tuple(one if one.ended else replace(one, ended=now) for one in progress.phases)
    return replace(progress, phases=phases)


def after_said(progress: Progress, said: Said, *, now: datetime) -> Progress:
    """Return progress after a word of the bootstrap."""
    if said.phase is None:
        return _untroubled(ended(progress, now=now), said.text)
    progress = after_phase(progress, said.phase, now=now)
    if said.phase is not progress.phase:
        return progress  # It is read late: another phase has begun since.
    if said.is_error:
        return replace(
            progress,
            error=said.text,
            lasting=said.lasting,
            overcome=_with(progress.overcome, said.text),
        )
    return _untroubled(progress, said.text)


def after_seen(progress: Progress, seen: Seen, *, now: datetime) -> Progress:
    """Return progress after a look at the API."""
    if seen.said is not None:
        progress = after_said(progress, seen.said, now=now)
    before = {host.name: host for host in progress.hosts}
    return replace(
        progress,
        hosts=tuple(_followed(before.get(host.name), host) for host in seen.hosts),
        vip_holder=seen.vip_holder or progress.vip_holder,
        last_event=seen.last_event,
        overcome=_with(progress.overcome, *_troubles(seen.hosts)),
    )


def after_troubles(progress: Progress, *texts: str) -> Progress:
    """Return progress after something went wrong that is over."""
    return replace(progress, overcome=_with(progress.overcome, *texts))


def _untroubled(progress: Progress, message: str) -> Progress:
    return replace(progress, message=message, error="", lasting=False)


def _followed(before: HostProgress | None, now: HostProgress) -> HostProgress:
    """Return a server as it is seen now, with what follows from how it was seen before.

    How much of its image it has taken is seen as long as it takes more. Then its agent still has
    to make the disk boot.
    """
    taken = before is not None and (before.share is not None or before.step == SENT)
    return replace(now, step=image_was_sent(now.step)) if taken and now.share is None else now


def _troubles(hosts: Iterable[HostProgress]) -> Iterable[str]:
    return (
        f"host {host.name}: {text}" for host in hosts for text in (host.error, host.lost) if text
    )


def _with(known: tuple[str, ...], *more: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))
