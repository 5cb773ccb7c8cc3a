"""The report of an install, as people read it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ingot.installer.report import HostReport, PhaseReport, Report
from ingot.ui.quantities import duration

__all__ = ["print_report"]

COMMANDS = ("kubectl get nodes -o wide", "kubectl -n metal3 get baremetalhosts")
OPERATIONS = ("register", "inspect", "provision", "deprovision")
"""What the operator writes down, in the order in which it is done."""


def print_report(report: Report, console: Console) -> None:
    """Print a report as one page."""
    # A command that is longer than the terminal is wide is for copying: nothing is cut off.
    console.print(Group(*_parts(report)), crop=False)


def _parts(report: Report) -> Iterator[RenderableType]:
    runs = f", in {report.runs} runs" if report.runs > 1 else ""
    yield Text.assemble(
        ("✓ ", "green"),
        (f"the cluster {report.cluster} is there", "bold"),
        f", built in {duration(report.seconds)}{runs}",
    )
    yield ""
    yield _phases(report.phases)
    if report.hosts:
        yield ""
        yield _hosts(report.hosts)
    if report.overcome:
        yield ""
        yield Text("What went wrong on the way, and was overcome:", "bold")
        yield _list(report.overcome)
    yield ""
    yield Text("How to use it:", "bold")
    kubeconfig = shlex.quote(str(report.kubeconfig))
    for line in (f"export KUBECONFIG={kubeconfig}", *COMMANDS):
        yield Text(f"  {line}", "cyan", no_wrap=True, overflow="ignore")
    yield Text(f"  the API is at {report.api}, also by the name {report.names[0]}")
    if report.vip_holder:
        yield Text(f"  its VIP is on {report.vip_holder}; it moves when that node fails")
    yield Text(
        f"  applications are at {report.apps}: have your DNS lead it to {report.ingress_vip}"
    )


def _list(items: tuple[str, ...]) -> Table:
    table = Table.grid(padding=(0, 1))
    for one in items:
        table.add_row(" •", Text(one, "yellow"))
    return table


def _phases(phases: tuple[PhaseReport, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("phase", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    for one in phases:
        table.add_row(one.name, Text(duration(one.seconds), "cyan"))
    return table


def _hosts(hosts: tuple[HostReport, ...]) -> Table:
    known = {name for host in hosts for name in host.operations}
    shown = [name for name in OPERATIONS if name in known]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("host", "role", "state"):
        table.add_column(name, overflow="fold")
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for host in hosts:
        took = (host.operations.get(name) for name in shown)
        cells = (Text("" if one is None else duration(one), "cyan") for one in took)
        table.add_row(Text(host.name), Text(host.role), Text(host.state), *cells)
    return table
