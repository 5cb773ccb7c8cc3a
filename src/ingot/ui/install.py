"""How an install is watched: live on a terminal, in plain lines elsewhere, as events for machines.

Progress goes to standard error; events, which are results, to standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ingot.installer.progress import HostProgress, PhaseTimes, Progress
from ingot.ui.quantities import duration

__all__ = ["Display", "EventDisplay", "LiveDisplay", "PlainDisplay", "displaying"]

REFRESHES_A_SECOND = 4.0
WHOLE = 100


class Display(Protocol):
    """Who shows how an install goes."""

    def show(self, progress: Progress) -> None:
        """Show how it stands now."""


class LiveDisplay:
    """One picture that stays in its place: phases, servers, who holds the VIP, what happened."""

    def __init__(self) -> None:
        self._progress = Progress()

    def show(self, progress: Progress) -> None:
        """Show how it stands now."""
        self._progress = progress

    def __rich__(self) -> RenderableType:
        progress = self._progress
        parts: list[RenderableType] = [_phases(progress)]
        if progress.hosts:
            parts += ["", _hosts(progress.hosts), ""]
        if progress.vip_holder:
            parts.append(Text.assemble(("API VIP    ", "bold"), progress.vip_holder))
        if progress.last_event:
            event = Text.assemble(("last event ", "bold"), progress.last_event)
            event.no_wrap, event.overflow = True, "ellipsis"
            parts.append(event)
        return Group(*parts)


def _phases(progress: Progress) -> Table:
    table = Table.grid(padding=(0, 1))
    for one in progress.phases:
        if one.ended:
            table.add_row(Text("✓", "green"), one.phase, Text(_elapsed(one), "cyan"), "")
        else:
            said = Text(progress.error, "red") if progress.error else Text(progress.message, "dim")
            said.no_wrap, said.overflow = True, "ellipsis"
            table.add_row("…", Text(one.phase, "bold"), Text(_elapsed(one), "cyan"), said)
    return table


def _hosts(hosts: tuple[HostProgress, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("host", "role", "state", "step", "tries"):
        # Where there is no room, only the step gives way.
        table.add_column(heading, no_wrap=heading != "step")
    for host in hosts:
        said = Text(host.error, "red") if host.error else Text(_step(host))
        said.no_wrap, said.overflow = True, "ellipsis"
        table.add_row(host.name, host.role, host.state, said, str(host.attempts or ""))
    return table


def _step(host: HostProgress) -> str:
    # The share first: it is what changes, and a narrow terminal cuts the rest off.
    share = f"{host.share * WHOLE:.0f} % written" if host.share is not None else ""
    return ", ".join(filter(None, (share, host.step)))


def _elapsed(one: PhaseTimes) -> str:
    return duration(((one.ended or datetime.now(UTC)) - one.began).total_seconds())


class PlainDisplay:
    """A line for whatever is new, with the time since the beginning."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._last = Progress()

    def show(self, progress: Progress) -> None:
        """Tell what has changed."""
        before, self._last = self._last, progress
        for kind, text in changes(before, progress):
            lead = "==> " if kind == "phase" else "    "
            self._stream.write(f"[{_since(progress)}] {lead}{text}\n")
        self._stream.flush()


class EventDisplay:
    """A JSON object on a line for whatever is new."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._last = Progress()

    def show(self, progress: Progress) -> None:
        """Tell what has changed."""
        before, self._last = self._last, progress
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        for kind, text in changes(before, progress):
            phase = progress.phase.value if progress.phase else None
            event = {"at": at, "phase": phase, "type": kind, "message": text}
            self._stream.write(json.dumps(event) + "\n")
        self._stream.flush()


def changes(before: Progress, after: Progress) -> Iterator[tuple[str, str]]:
    """Return what is new, each with its kind: phase, message, error, host or vip."""
    known = {one.phase: one for one in before.phases}
    for one in after.phases:
        if one.ended and (one.phase not in known or known[one.phase].ended is None):
            yield "phase", f"{one.phase} took {_elapsed(one)}"
        elif one.phase not in known:
            yield "phase", str(one.phase)
    if after.message and after.message != before.message:
        yield "message", after.message
    if after.error and after.error != before.error:
        yield "error", f"error, tried again: {after.error}"
    hosts = {host.name: host for host in before.hosts}
    for host in after.hosts:
        old = hosts.get(host.name)
        if old is None or (old.state, old.error) != (host.state, host.error):
            error = f": {host.error}" if host.error else ""
            yield "host", f"{host.name} {host.state}{error}"
    if after.vip_holder != before.vip_holder:
        yield "vip", f"the API's VIP is on {after.vip_holder or 'nobody'}"


def _since(progress: Progress) -> str:
    if not progress.phases:
        return " 0:00"
    seconds = (datetime.now(UTC) - progress.phases[0].began).total_seconds()
    return f"{int(seconds) // 60:2d}:{int(seconds) % 60:02d}"


@contextmanager
def displaying(*, as_json: bool) -> Iterator[Display]:
    """Show an install for as long as this lasts."""
    console = Console(stderr=True)
    if as_json:
        yield EventDisplay(sys.stdout)
    elif console.is_terminal:
        live = LiveDisplay()
        with Live(live, console=console, refresh_per_second=REFRESHES_A_SECOND):
            yield live
    else:
        yield PlainDisplay(sys.stderr)
