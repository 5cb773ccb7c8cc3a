"""How an install is watched: live on a terminal, in plain lines elsewhere, as events for machines.

Progress goes to standard error; events, which are results, to standard output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import IO, Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ingot.installer.progress import HostProgress, PhaseTimes, Progress
from ingot.ui.quantities import duration

__all__ = ["Display", "EventDisplay", "LiveDisplay", "PlainDisplay", "displaying"]

REFRESHES_A_SECOND = 4.0
WHOLE = 100
WIDE = 100
"""Columns of a terminal that has room for roles; on others, what is done matters more."""
READ = 240
"""Characters of an error that are shown while there may be others; Ironic's can fill a screen."""
PARTS = 4
"""Of an image, that lines and events tell: each percent would be a flood."""


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

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        progress = self._progress
        parts: list[RenderableType] = [_phases(progress)]
        if progress.hosts:
            roles = options.max_width >= WIDE
            parts += ["", _hosts(progress.hosts, roles=roles), ""]
        if progress.vip_holder:
            parts.append(Text.assemble(("API VIP    ", "bold"), progress.vip_holder))
        if progress.last_event:
            event = Text.assemble(("last event ", "bold"), progress.last_event)
            event.no_wrap, event.overflow = True, "ellipsis"
            parts.append(event)
        yield Group(*parts)


def _phases(progress: Progress) -> Table:
    table = Table.grid(padding=(0, 1))
    for one in progress.phases:
        if one.ended:
            table.add_row(Text("✓", "green"), one.phase, Text(_elapsed(one), "cyan"), "")
        else:
            said = _error(progress.error) if progress.error else _line(progress.message, "dim")
            table.add_row("…", Text(one.phase, "bold"), Text(_elapsed(one), "cyan"), said)
    return table


def _hosts(hosts: tuple[HostProgress, ...], *, roles: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("host", *(["role"] if roles else []), "state", "tries"):
        table.add_column(heading, no_wrap=True)
    # Last, and the only one that gives way where there is no room.
    table.add_column("step")
    for host in hosts:
        said = _error(host.error) if host.error else _line(_step(host))
        role = [host.role] if roles else []
        table.add_row(host.name, *role, host.state, str(host.attempts or ""), said)
    return table


def _line(text: str, style: str = "") -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def _error(text: str) -> Text:
    """Return an error to be read, and not only to be seen: it takes as many lines as it needs."""
    shown = text if len(text) <= READ else f"{text[:READ]}…"
    return Text(shown, "red", overflow="fold")


def _step(host: HostProgress) -> str:
    if host.share is None:
        return host.step
    return f"{host.share * WHOLE:.0f} % of its image is written"


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
        lead = "needs a person" if after.lasting else "tried again"
        yield "error", f"error, {lead}: {after.error}"
    known_hosts = {host.name: host for host in before.hosts}
    for host in map(_coarse, after.hosts):
        old = known_hosts.get(host.name)
        lost = host.lost if old is None or host.lost != old.lost else ""
        same = old and replace(_coarse(old), attempts=host.attempts, lost=host.lost) == host
        if lost or not same:
            detail = host.error or lost or _step(host)
            yield "host", f"{host.name} {host.state}" + (f": {detail}" if detail else "")
    if after.vip_holder and after.vip_holder != before.vip_holder:
        yield "vip", f"the API's VIP is on {after.vip_holder}"


def _coarse(host: HostProgress) -> HostProgress:
    """Return what is told of a server: whose it is and whether it is a node, its step says."""
    share = None if host.share is None else int(host.share * PARTS) / PARTS
    return replace(host, share=share, claimed=False, joined=False)


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
