"""A lab on the terminal: how making one goes, and tables of labs, hosts and faults."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ingot.artefact.building import Watcher
from ingot.artefact.recipe import Recipe
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import KINDS
from ingot.lab.lifecycle import Step
from ingot.lab.plan import LabPlan
from ingot.lab.status import HostStatus, LabStatus
from ingot.lab.summaries import Summary
from ingot.machine.model import Power
from ingot.ui.building import REFRESHES_A_SECOND, LiveWatcher, PlainWatcher
from ingot.ui.quantities import duration

__all__ = [
    "Watching",
    "created",
    "creating",
    "fault_table",
    "kind_table",
    "lab_table",
    "status_table",
    "working",
]

SHOWN_FROM_SECONDS = 1.0
"""What is over sooner needs no sign that it goes on."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Who is told how making a lab goes.

    Attributes:
        builds: told of what must be built first.
        step: told of each step.
    """

    builds: Watcher
    step: Callable[[Step], None]


class _Builds(LiveWatcher):
    """Builds in one place of a terminal, or nothing where nothing is built."""

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""
        if missing:
            super().planned(missing, cached)


class _PlainBuilds(PlainWatcher):
    """Builds in lines, or none where nothing is built."""

    def planned(self, missing: Sequence[Recipe], cached: Sequence[Recipe]) -> None:
        """See `Watcher`."""
        if missing:
            super().planned(missing, cached)


class _Progress:
    """What is being done now, and for how long; what is built has the place below."""

    def __init__(self, doing: str, below: RenderableType = "") -> None:
        self._doing = doing
        self._below = below
        self._since = time.monotonic()
        self._spinner = Spinner("dots")

    def turn_to(self, doing: str) -> None:
        """Something else is being done from now on."""
        self._doing, self._since = doing, time.monotonic()

    def __rich__(self) -> RenderableType:
        elapsed = time.monotonic() - self._since
        words = [(self._doing, "bold")]
        if elapsed >= SHOWN_FROM_SECONDS:
            words.append((f"  {duration(elapsed)}", "cyan"))
        self._spinner.update(text=Text.assemble(*words))
        return Group(self._spinner, self._below)


@contextmanager
def creating(name: str) -> Iterator[Watching]:
    """Watch a lab being made: live on a terminal, else in plain lines, on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:

        def say(step: Step) -> None:
            if step is not Step.DONE:
                console.file.write(f"{name}: {step}\n")
                console.file.flush()

        yield Watching(_PlainBuilds(console.file), say)
        return
    builds = _Builds(console)
    progress = _Progress("looking around", builds)
    with Live(progress, console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True):
        yield Watching(builds, progress.turn_to)


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show that something goes on, on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with Live(
        _Progress(doing), console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True
    ):
        yield


def created(plan: LabPlan, directory: Path) -> RenderableType:
    """Return what was made, and what to do next."""
    table = _table("host", "role", "address", "BMC", "", "runs by")
    for host in plan.hosts:
        address = next((str(nic.address) for nic in host.nics if nic.address), "")
        table.add_row(
            Text(host.name, "bold"),
            Text(host.role),
            address,
            str(host.bmc.address),
            Text(host.bmc.kind),
            Text(host.driver),
        )
    name = "" if plan.name == "lab" else f" --name {plan.name}"
    place = "" if directory.resolve() == Path.cwd() else f" --dir {shlex.quote(str(directory))}"
    return Group(
        table,
        "",
        Text.assemble("The lab ", (plan.name, "bold"), " is there; its hosts are off. Next:"),
        *(
            Text.assemble("  ", (command, "bold"), f"  {meaning}")
            for command, meaning in (
                (f"ingot validate{place}", "checks the install-config.yaml that was written"),
                (f"ingot lab status{name}", "shows the hosts"),
                (f"ingot lab power {plan.hosts[0].name} on{name}", "powers one on"),
            )
        ),
    )


def status_table(status: LabStatus, *, fill: bool = True) -> RenderableType:
    """Return how a lab is doing.

    Args:
        status: what was seen.
        fill: whether lines may be cut to fill the width; in a pipe they stay whole.
    """
    table = _table("host", "power", "boots from", "doing", "console")
    for column in table.columns[:3]:
        column.no_wrap = True
    for column, ratio in zip(table.columns[3:], (2, 3), strict=True):
        column.ratio, column.no_wrap, column.overflow = ratio, True, "ellipsis"
    table.expand = fill
    for host in status.hosts:
        table.add_row(
            Text(host.name, "bold"), _power(host), _boot(host), Text(host.activity), _tail(host)
        )
    parts: list[RenderableType] = [_head(status), table]
    broken = [host for host in status.hosts if host.faults]
    if broken:
        parts.append("")
    parts += [
        Text.assemble(("faults ", "bold"), f"{host.name}: {', '.join(host.faults)}")
        for host in broken
    ]
    return Group(*parts)


def _head(status: LabStatus) -> RenderableType:
    if status.running:
        return Text.assemble(
            (status.name, "bold"), (f"  API {status.api_vip}  {status.directory}", "dim"), "\n"
        )
    name = "" if status.name == "lab" else f" --name {status.name}"
    return Text.assemble(
        (status.name, "bold"),
        (" is not running: its BMCs do not answer. ", "yellow"),
        "Run ",
        (f"ingot lab start{name}", "bold"),
        "; hosts that are on stay so.\n",
    )


def _power(host: HostStatus) -> Text:
    return Text(host.power, "green" if host.power is Power.ON else "dim")


def _boot(host: HostStatus) -> Text:
    return Text(f"{host.boot} (media in)" if host.media else host.boot)


def _tail(host: HostStatus) -> Text:
    return Text(host.console, "dim" if host.power is Power.OFF else "")


def lab_table(labs: Sequence[Summary]) -> Table:
    """Return the labs of this PC."""
    table = _table("lab", "state", "hosts", "API", "directory")
    for lab in labs:
        state = Text("running", "green") if lab.running else Text("stopped", "dim")
        if lab.problem:
            table.add_row(Text(lab.name, "bold"), Text("damaged", "red"), "", "", Text(lab.problem))
        else:
            place = Text(lab.directory)
            table.add_row(Text(lab.name, "bold"), state, str(lab.hosts), lab.api_vip, place)
    return table


def fault_table(faults: Sequence[Fault]) -> Table:
    """Return the faults that are set."""
    table = _table("host", "fault", "struck", "how", "effect")
    for fault in faults:
        info = KINDS[fault.kind]
        counted = f"{fault.struck} of {fault.seen}" if info.counts else ""
        kind = Text(fault.kind, "dim" if fault.is_spent else "bold")
        table.add_row(Text(fault.host), kind, counted, Text(_how(fault)), Text(info.effect))
    return table


def _how(fault: Fault) -> str:
    """Return what was asked for beyond the kind, in the words of the options."""
    info = KINDS[fault.kind]
    parts = [] if fault.amount is None else [f"{fault.amount:g} {info.amount}"]
    if fault.rate < 1:
        parts.append(f"rate {fault.rate:g}, seed {fault.seed}")
    if fault.after:
        parts.append(f"after {fault.after}")
    if fault.times is not None:
        parts.append(f"{'spent: ' if fault.is_spent else ''}{fault.times} times")
    return ", ".join(parts)


def kind_table() -> Table:
    """Return every kind of fault."""
    table = _table("fault", "effect", "counted by", "--amount")
    for column in table.columns[1:]:
        column.no_wrap = False
    for kind, info in KINDS.items():
        amount = f"{info.amount} ({info.default:g})" if info.amount else ""
        table.add_row(Text(kind, "bold"), Text(info.effect), Text(info.counts or ""), Text(amount))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table
